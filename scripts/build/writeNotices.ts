/**
 * Writes ThirdPartyNotices.txt. Invariant: it names exactly the packages whose files are in the bundles or beside them.
 */

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../paths.ts';
import type { Bundled } from './buildProduct.ts';

/** Copied into dist/ rather than bundled: the font and its stylesheet. */
const COPIED = ['@vscode/codicons'];

export async function writeNotices({ inputs }: Bundled): Promise<void> {
  const names = [...new Set([...inputs.flatMap(packageOf), ...COPIED])].sort();
  const sections = await Promise.all(names.map(describePackage));
  const head = 'Palimpsest contains the following third-party software, under the licences given below.\n';
  await writeFile(join(ROOT, 'ThirdPartyNotices.txt'), [head, ...sections].join(`\n${'-'.repeat(80)}\n\n`));
}

/** The package in node_modules that a bundled file came from; nothing for our own files. */
function packageOf(input: string): string[] {
  const match = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
  return match?.[1] === undefined ? [] : [match[1]];
}

async function describePackage(name: string): Promise<string> {
  const folder = join(ROOT, 'node_modules', name);
  const { version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const licences = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).sort();
  if (licences.length === 0 && typeof license !== 'string') throw new Error(`${name} names no licence`);
  const texts = await Promise.all(licences.map((file) => readFile(join(folder, file), 'utf8')));
  return `${name} ${version}\nLicence: ${license}\n\n${texts.map((text) => text.trim()).join('\n\n')}\n`;
}
