/** Exits with 0 when sum.mjs adds up any numbers. */

import { execFileSync } from 'node:child_process';

const sumOf = (...numbers) => Number(execFileSync(process.execPath, ['sum.mjs', ...numbers.map(String)]));
const cases = [
  [[2, 3], 5],
  [[], 0],
  [[1.5, -2, 4], 3.5],
];
for (const [numbers, sum] of cases) {
  const printed = sumOf(...numbers);
  if (printed === sum) continue;
  console.error(`sum.mjs ${numbers.join(' ')} prints ${printed} instead of ${sum}`);
  process.exitCode = 1;
}
