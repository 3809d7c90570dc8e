/**
 * `npm run api`: compares the exported API with its committed declaration, so that no change of it goes unseen. `--write`
 * accepts a change; `bundle` fills the types package with the conformance kit, the guide and the licence.
 */

import { fillPackage } from './api/bundleKit.ts';
import { checkDeclaration } from './api/checkDeclaration.ts';

const [task] = process.argv.slice(2);
if (task === 'bundle') await fillPackage();
else process.exitCode = (await checkDeclaration(task === '--write')) ? 0 : 1;
