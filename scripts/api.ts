/**
 * `npm run api`: compares the exported API with its committed declaration, so that no change goes unnoticed. `--write`
 * accepts a change; `package` packs `palimpsest-api` into `dist` and checks the packed file; `bundle` makes the files
 * that it carries besides its written ones.
 */

import { checkDeclaration } from './api/checkDeclaration.ts';
import { fillPackage } from './api/fillPackage.ts';
import { packAndCheck } from './api/packPackage.ts';

const [task] = process.argv.slice(2);
if (task === 'bundle') await fillPackage();
else process.exitCode = (await runCheck()) ? 0 : 1;

async function runCheck(): Promise<boolean> {
  const agrees = await checkDeclaration(task === '--write');
  return task === 'package' ? agrees && packAndCheck() : agrees;
}
