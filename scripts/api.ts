/**
 * `npm run api`: compares the exported API with its committed declaration, so that no change goes unnoticed. `--write`
 * accepts a change; `bundle` adds the conformance kit, the guide and the licence to the types package.
 */

import { fillPackage } from './api/bundleKit.ts';
import { checkDeclaration } from './api/checkDeclaration.ts';

const [task] = process.argv.slice(2);
if (task === 'bundle') await fillPackage();
else process.exitCode = (await checkDeclaration(task === '--write')) ? 0 : 1;
