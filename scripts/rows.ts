/**
 * `npm run rows [-- K5 item:7 …]`: every row of `test/rows.json` with the number of tests that carry it as a tag. Fails when
 * a row has no test, when it or the documentation names what does not exist, or when a documented default is not that of
 * the tables of settings.
 * `--tests` lists the paths and the tests; `--prove` changes each documented default, and breaks behaviours on purpose, to
 * see that a test notices. Names of rows narrow what is listed and proved.
 */

import { parseArgs } from 'node:util';
import { checkDocuments } from './rows/checkDocuments.ts';
import { checkTable, isJourney, testsOf } from './rows/checkTable.ts';
import { findTests } from './rows/findTests.ts';
import { proveAll } from './rows/proveAll.ts';
import { readTable } from './rows/table.ts';

const { values, positionals: only } = parseArgs({
  allowPositionals: true,
  options: { tests: { type: 'boolean', default: false }, prove: { type: 'boolean', default: false } },
});
const table = readTable();
const tests = findTests();
const faults = [...checkTable(table, tests), ...checkDocuments()];
for (const name of only) if (!table.rows.some(({ row }) => row === name)) faults.push(`there is no row ${name}`);

const rows = table.rows.filter(({ row }) => only.length === 0 || only.includes(row));
for (const row of rows) {
  const tagged = testsOf(row, tests);
  const count = `${tagged.length} tests, ${tagged.filter(isJourney).length} end to end`;
  console.log(`${row.row.padEnd(12)} ${count.padEnd(22)} ${row.text}`);
  if (values.tests && row.user !== undefined) console.log(`       ${row.user}`);
  if (values.tests) for (const { file, name } of tagged) console.log(`       ${file}: ${name}`);
}

if (values.prove) {
  const proofs = rows
    .map((row) => ({
      row,
      breaks: table.breaks.filter(({ breaks }) => breaks === row.row),
      files: [...new Set(testsOf(row, tests).map(({ file }) => file))].filter((file) => file.startsWith('test/unit/')),
    }))
    .filter(({ row, breaks }) => row.defaults !== undefined || breaks.length > 0);
  const tell = (row: string, proved: boolean) => console.log(`${row.padEnd(12)} ${proved ? 'proved' : 'NOT proved'}`);
  faults.push(...(await proveAll(proofs, tell)));
}

for (const fault of faults) console.error(`rows: ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;
