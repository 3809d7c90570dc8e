/**
 * `npm run release -- v1.2.3`: what the release workflow must know of a tag, and nothing else. Refuses a tag that does not fit
 * the manifest, a version without a section in the changelog, names of places that nobody has filled in yet, and texts without a Chinese
 * sentence. Writes the
 * notes of the release to the file that `--notes` names, and says whether it is a pre-release.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readRelease } from './build/readRelease.ts';
import { describeTranslations, findTranslations } from './manifest/findTranslations.ts';
import { ROOT } from './paths.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { notes: { type: 'string' } } });
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const release = readRelease(
  positionals[0] ?? '',
  JSON.parse(read('package.json')),
  read('CHANGELOG.md'),
  describeTranslations(findTranslations()),
);
if (release.kind === 'refused') {
  for (const reason of release.reasons) console.error(`release: ${reason}`);
  process.exit(1);
}
if (values.notes !== undefined) writeFileSync(values.notes, release.notes);
console.log(`prerelease=${release.prerelease}`);
