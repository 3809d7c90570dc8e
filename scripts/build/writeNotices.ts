/**
 * Writes ThirdPartyNotices.txt. Invariant: it names exactly the packages whose files are in the bundles or beside them.
 */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../paths.ts';
import type { Bundled } from './buildProduct.ts';
import { describePackage, foldersOf } from './bundledPackages.ts';

export async function writeNotices(bundled: Bundled): Promise<void> {
  await writeFile(join(ROOT, 'ThirdPartyNotices.txt'), await describeNotices(bundled));
}

/** `copied`: packages whose files lie beside the bundle. */
export async function describeNotices(bundled: Bundled, copied?: readonly string[]): Promise<string> {
  const packages = await Promise.all(foldersOf(bundled, copied).map((folder) => describePackage(folder)));
  const sections = packages
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, version, licence, text }) => `${name} ${version}\nLicence: ${licence}\n\n${text}\n`);
  const head = 'Palimpsest contains the following third-party software, under the licences given below.\n';
  return [head, ...sections].join(`\n${'-'.repeat(80)}\n\n`);
}
