/**
 * `npm run packages`: writes the tarballs of `palimpsest-api`, `palimpsest-core` and `palimpsest-lab` to `dist/packages`, or to
 * the folder that is given. All are made of the sources of the extension; none holds VS Code. Nothing is written while the
 * types of the API differ from what is promised.
 */

import { resolve } from 'node:path';
import { checkDeclaration } from './api/checkDeclaration.ts';
import { packApi } from './api/packPackage.ts';
import { packCore, packProgram } from './packages/packProgram.ts';
import { ROOT } from './paths.ts';

if (!(await checkDeclaration(false))) process.exit(1);
const into = resolve(ROOT, process.argv[2] ?? 'dist/packages');
const packed = [
  await packApi(into),
  await packCore(into),
  await packProgram('src/cli', { main: 'src/cli/main.ts', worker: 'src/cli/worker.ts' }, into),
];
for (const file of packed) console.log(`packages: ${file}`);
