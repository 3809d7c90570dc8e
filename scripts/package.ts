/**
 * `npm run package`: builds palimpsest.vsix, and refuses one that is too large, that the packager warns about, or that holds
 * a package whose licence does not allow it. `--pre-release` marks it for the galleries' channel of early versions.
 */

import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { buildProduct } from './build/buildProduct.ts';
import { writeNotices } from './build/writeNotices.ts';
import { ROOT, SIZE_LIMITS, VSIX } from './paths.ts';

const LIMITS = [
  { file: VSIX, limit: SIZE_LIMITS.vsix },
  { file: join(ROOT, 'dist/extension.js'), limit: SIZE_LIMITS.entry },
  { file: join(ROOT, 'dist/webview/main.js'), limit: SIZE_LIMITS.webview },
];

await writeNotices(await buildProduct({ minify: true }));

const early = process.argv.includes('--pre-release') ? ['--pre-release'] : [];
const flags = ['--no-dependencies', ...early, '--out', VSIX];
const packed = spawnSync(process.execPath, [join(ROOT, 'node_modules/@vscode/vsce/vsce'), 'package', ...flags], {
  cwd: ROOT,
  encoding: 'utf8',
});
process.stdout.write(packed.stdout + packed.stderr);
if (packed.status !== 0 || /\b(WARNING|ERROR)\b/.test(packed.stdout + packed.stderr)) {
  console.error('package: the packager failed or warned; see above');
  process.exit(1);
}

for (const { file, limit } of LIMITS) {
  const { size } = statSync(file);
  const verdict = size <= limit ? 'ok' : 'too large';
  console.log(`${file.slice(ROOT.length + 1)}: ${(size / 1024).toFixed(0)} KB of ${limit / 1024} KB, ${verdict}`);
  if (size > limit) process.exitCode = 1;
}
