/**
 * `npm run shots [-- part of a scenario's name]`: the pictures of every state, in `test-results/shots`, and those of the
 * README, in `docs/images`. They are taken in the real VS Code, by scenarios that only take pictures.
 */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { RESULTS } from './paths.ts';
import { runE2e } from './test/runE2e.ts';

const [name = ''] = process.argv.slice(2);
if (name === '') rmSync(join(RESULTS, 'shots'), { recursive: true, force: true });
process.env.PALIMPSEST_SHOTS = '1';
const { passed, failed } = await runE2e('all')(name);
console.log(`${passed} scenarios, ${failed} failed; the pictures are in test-results/shots and docs/images`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
