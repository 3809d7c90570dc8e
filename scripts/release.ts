/**
 * `npm run release -- v1.2.3`: what the release workflow must know of a tag, and nothing else. Refuses a tag that does not fit
 * the manifest, a version without a section in the changelog, names of places that nobody has filled in yet, and texts
 * without a Chinese sentence. Writes the notes of the release to the file that `--notes` names, and says whether it is a
 * pre-release. `npm run release -- --dry` makes and checks everything that would be published, and says what is missing.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readRelease } from './build/readRelease.ts';
import { describeTranslations, findTranslations } from './manifest/findTranslations.ts';
import { ROOT } from './paths.ts';
import { rehearse } from './release/rehearse.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { notes: { type: 'string' }, dry: { type: 'boolean', default: false } },
});
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const manifest = JSON.parse(read('package.json'));
const release = readRelease(
  positionals[0] ?? (values.dry ? `v${manifest.version}` : ''),
  manifest,
  read('CHANGELOG.md'),
  describeTranslations(findTranslations()),
);
if (values.dry) process.exit(await rehearse(release));
if (release.kind === 'refused') {
  for (const reason of release.reasons) console.error(`release: ${reason}`);
  process.exit(1);
}
if (values.notes !== undefined) writeFileSync(values.notes, release.notes);
console.log(`prerelease=${release.prerelease}`);
