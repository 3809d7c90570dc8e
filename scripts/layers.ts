/** `npm run layers`: checks imports against the layer table, then compiles each layer with its own libraries. */

import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkImports } from './layers/checkImports.ts';
import { ROOT } from './paths.ts';

const paths = globSync(['src/**/*.ts', 'webview/**/*.ts'], { cwd: ROOT })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path !== 'src/runtime.d.ts')
  .sort();
const findings = checkImports(paths.map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') })));
for (const { path, line, imported, reason } of findings) console.error(`${path}:${line}: '${imported}': ${reason}`);

const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
const compiled = spawnSync(process.execPath, [compiler, '-b', 'tsconfig.layers.json'], { cwd: ROOT, stdio: 'inherit' });

if (findings.length > 0 || compiled.status !== 0) process.exit(1);
console.log(`layers: ${paths.length} files, imports and libraries as the table allows`);
