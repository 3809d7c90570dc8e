/**
 * `npm run rows`: every feature of the source documents with the path by which a person reaches it and the tests that
 * name its row. Fails when a row has no test or its path names what does not exist or is taken by no end-to-end test, when
 * a default that it documents is not the one in the tables of settings, or when `docs/features.md` is out of date.
 * `--write` writes that page, `--tests` lists paths and tests, and `--prove` changes each documented default, and breaks
 * behaviours of `test/breaks.json`, to see that a test notices. Names of rows narrow all but the page.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './paths.ts';
import { checkBreak, proveBreak, readBreaks } from './rows/checkBreaks.ts';
import { compareDefaults, proveDefaults } from './rows/checkDefaults.ts';
import { checkPath, findJourneys } from './rows/checkPaths.ts';
import { findNamingTests } from './rows/findNamingTests.ts';
import { readRows } from './rows/readRows.ts';
import { writeFeatures } from './rows/writeFeatures.ts';

const options = new Set(process.argv.slice(2).filter((it) => it.startsWith('--')));
const only = process.argv.slice(2).filter((it) => !it.startsWith('--'));
const rows = await readRows();
const tests = await findNamingTests(rows.map(({ row }) => row));
const breaks = await readBreaks();
const faults: string[] = [];

for (const row of rows.filter(({ row }) => only.length === 0 || only.includes(row))) {
  const naming = tests.get(row.row) ?? [];
  const isPlanned = row.planned === true;
  const journeys = findJourneys(naming);
  if (naming.length === journeys.length && !isPlanned) faults.push(`${row.row} is named by no unit or property test`);
  if (journeys.length === 0 && !isPlanned) faults.push(`${row.row} has a path that no end-to-end test takes`);
  faults.push(...checkPath(row, naming));
  faults.push(...compareDefaults(row));
  const broken = breaks.filter((it) => it.row === row.row);
  for (const it of broken) faults.push(...(await checkBreak(it)));
  if (options.has('--prove')) {
    const files = [...new Set(naming.map(({ file }) => file))].filter((file) => file.startsWith('test/unit/'));
    faults.push(...(await proveDefaults(row, files)));
    for (const it of broken) faults.push(...(await proveBreak(it, files)));
  }
  const note = isPlanned ? 'planned' : `${naming.length} tests, ${journeys.length} end to end`;
  console.log(`${row.row.padEnd(4)} ${note.padEnd(22)} ${row.text}`);
  if (!options.has('--tests')) continue;
  if (row.user !== undefined) console.log(`       ${row.user}`);
  for (const { file, name } of naming) console.log(`       ${file}: ${name}`);
}

const page = join(ROOT, 'docs/features.md');
const features = writeFeatures(rows, tests);
if (options.has('--write')) await writeFile(page, features);
else if ((await readFile(page, 'utf8')) !== features)
  faults.push('docs/features.md is out of date: npm run rows -- --write');

for (const fault of faults) console.error(`rows: ${fault}`);
process.exitCode = faults.length ? 1 : 0;
