/**
 * `npm run rows`: every row of the source documents with the tests that name it; fails when a row has none. `--mutate`
 * proves the tests: each row's mutation, applied to a copy, must make a test that names the row fail.
 */

import { findNamingTests } from './rows/findNamingTests.ts';
import { mutateRow } from './rows/mutateRow.ts';
import { readRows } from './rows/readRows.ts';

const [option, ...only] = process.argv.slice(2);
const rows = (await readRows()).filter(({ row }) => only.length === 0 || only.includes(row));
const tests = await findNamingTests(rows.map(({ row }) => row));
const faults: string[] = [];
for (const { row, text, planned, mutation } of rows) {
  const naming = tests.get(row) ?? [];
  let note = planned ? 'planned' : `${naming.length} test${naming.length === 1 ? '' : 's'}`;
  if (naming.length === 0 && !planned) faults.push(`${row} is named by no test`);
  else if (option === '--mutate' && mutation) {
    const outcome = await mutateRow(row, mutation, [...new Set(naming.map(({ file }) => file))]);
    note += `, ${outcome}`;
    if (outcome !== 'mutation found') faults.push(`${row}: ${outcome}`);
  }
  console.log(`${row.padEnd(4)} ${note.padEnd(28)} ${text}`);
  if (option === '--tests') for (const { file, name } of naming) console.log(`       ${file}: ${name}`);
}
for (const fault of faults) console.error(`rows: ${fault}`);
process.exitCode = faults.length ? 1 : 0;
