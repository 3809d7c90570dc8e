/**
 * `npm run rows`: every row of the source documents with the tests that name it; fails when a row has none. `--mutate`
 * proves the tests: each mutation of a row, applied to a copy, must make a test that names the row fail.
 */

import { findNamingTests } from './rows/findNamingTests.ts';
import { copySources } from './rows/mutateRow.ts';
import { readRows } from './rows/readRows.ts';

const [option, ...only] = process.argv.slice(2);
const rows = (await readRows()).filter(({ row }) => only.length === 0 || only.includes(row));
const tests = await findNamingTests(rows.map(({ row }) => row));
const faults: string[] = [];
const copy = option === '--mutate' ? await copySources() : null;
try {
  for (const { row, text, planned, mutations = [] } of rows) {
    const naming = tests.get(row) ?? [];
    let note = planned ? 'planned' : `${naming.length} test${naming.length === 1 ? '' : 's'}`;
    if (naming.length === 0 && !planned) faults.push(`${row} is named by no test`);
    let found = 0;
    for (const mutation of naming.length > 0 && copy ? mutations : []) {
      const outcome = await copy?.try(row, mutation, [...new Set(naming.map(({ file }) => file))]);
      if (outcome === 'mutation found') found++;
      else faults.push(`${row}: ${outcome} (${mutation.file}: ${mutation.find} → ${mutation.replace})`);
    }
    if (copy && mutations.length > 0) note += `, ${found} of ${mutations.length} mutations found`;
    console.log(`${row.padEnd(4)} ${note.padEnd(34)} ${text}`);
    if (option === '--tests') for (const { file, name } of naming) console.log(`       ${file}: ${name}`);
  }
} finally {
  await copy?.remove();
}
for (const fault of faults) console.error(`rows: ${fault}`);
process.exitCode = faults.length ? 1 : 0;
