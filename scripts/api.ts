/**
 * `npm run api`: compares the exported API with what is promised, so that no change goes unnoticed. `--write` accepts a
 * change; `package` packs `palimpsest-api` into `dist` and checks the packed file.
 */

import { checkDeclaration } from './api/checkDeclaration.ts';
import { packAndCheck } from './api/packPackage.ts';

const [task] = process.argv.slice(2);
const agrees = await checkDeclaration(task === '--write');
const isGood = task === 'package' ? agrees && (await packAndCheck()) : agrees;
process.exitCode = isGood ? 0 : 1;
