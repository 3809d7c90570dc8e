/** `npm run package`: builds palimpsest.vsix, and refuses one that is too large or that the packager warns about. */

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

// The manifest names no repository until there is a public one. The flag says so, instead of an invented address.
const flags = ['--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links', '--out', VSIX];
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
