/**
 * `npm run faults [-- scale]`: breaks the storage in every way we know and counts what was lost. Scale 1 is the size each
 * test run has; more takes longer and looks harder. Ends with an error when anything acknowledged was lost.
 */

import { runFaults } from './faults/runFaults.ts';

const scale = Number(process.argv[2] ?? 1);
if (!(scale > 0)) throw new Error(`The scale must be a number above 0, not ${process.argv[2]}`);
const results = await runFaults(scale);
for (const { name, tried, violations } of results) {
  console.log(
    `${violations.length === 0 ? 'ok   ' : 'WRONG'} ${name}: ${tried.toLocaleString('en')} tried, ${violations.length} wrong`,
  );
  for (const violation of violations.slice(0, 5)) console.log(`      ${violation}`);
}
if (results.some(({ violations }) => violations.length > 0)) process.exitCode = 1;
