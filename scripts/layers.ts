/**
 * `npm run layers`: checks imports against the layer table and the border of VS Code, finds import circles, and compiles
 * each layer with its own libraries.
 */

import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkImports } from './layers/checkImports.ts';
import { findCircles } from './layers/findCircles.ts';
import { findStrays } from './layers/findStrays.ts';
import { ROOT } from './paths.ts';

const sources = globSync(['src/**/*.ts', 'webview/**/*.ts', 'scripts/**/*.ts', 'bench/**/*.ts'], { cwd: ROOT })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path !== 'src/runtime.d.ts')
  .sort()
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
const layered = sources.filter(({ path }) => /^(src|webview)\//.test(path));
const findings = [
  ...checkImports(layered).map(({ path, line, reason }) => `${path}:${line}: ${reason}`),
  ...findStrays(layered).map((path) => `${path}: reaches no vscode, so it belongs into src/node`),
  ...findCircles(sources).map((circle) => `These files import each other in a circle: ${circle.join(', ')}`),
];
for (const finding of findings) console.error(finding);

const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
const compiled = spawnSync(process.execPath, [compiler, '-b', 'tsconfig.layers.json'], { cwd: ROOT, stdio: 'inherit' });

if (findings.length > 0 || compiled.status !== 0) process.exit(1);
console.log(`layers: ${layered.length} files, imports and libraries as the table allows, no circles`);
