/** `npm run build:tests`: bundles the Mocha suite for VS Code into out/vscode, and the sample extensions of the tests. */

import { buildTests } from './build/buildTests.ts';

await buildTests();
