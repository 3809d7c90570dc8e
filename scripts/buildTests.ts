/** `npm run build:tests`: bundles the Mocha suite for VS Code into out/vscode. */

import { buildTests } from './build/buildTests.ts';

await buildTests();
