/**
 * `npm run bench [-- id | long]`: runs bench/*.bench.ts, prints a table with a row for each goal, and writes
 * bench/results.json. `long` runs what takes minutes, and puts its rows in place of the short ones.
 */

import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Bench, type Line, tableOf } from '../bench/support/line.ts';
import { messageOf } from '../src/core/errors.ts';
import { ROOT } from './paths.ts';

const RESULTS = join(ROOT, 'bench/results.json');
const only = process.argv[2];
const isLong = only === 'long';
const lines: Line[] = [];
for (const path of globSync('bench/*.bench.ts', { cwd: ROOT }).sort()) {
  const bench: Bench = await import(pathToFileURL(join(ROOT, path)).href);
  const run = isLong ? bench.runLong : bench.run;
  if (!run || (only !== undefined && !isLong && bench.id !== only)) continue;
  process.stderr.write(`${path} …\n`);
  lines.push(...(await run().catch((thrown: unknown) => [failed(bench.id, thrown)])));
}
if (lines.length === 0) throw new Error(`no benchmark has the id ${only}`);
lines.sort((a, b) => numberOf(a) - numberOf(b));
console.log(tableOf(lines));

// A run of one id is only for looking; a whole run is worth keeping.
if (only === undefined) write(lines);
else if (isLong && existsSync(RESULTS)) {
  const before: readonly Line[] = JSON.parse(readFileSync(RESULTS, 'utf8')).lines;
  write([...before.filter(({ id }) => !lines.some((line) => line.id === id)), ...lines]);
}
const short = lines.filter(({ ok }) => !ok).length;
console.log(`${lines.length} goals, ${short} short`);

/** One that cannot run does not keep the others from it. */
function failed(id: string, thrown: unknown): Line {
  return { id, name: 'could not be measured', figure: messageOf(thrown), goal: 'a figure', ok: false };
}

function write(all: readonly Line[]): void {
  const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model ?? 'unknown' };
  const told = all.map((line) => ({ ...line, result: line.ok ? 'held' : 'short' }));
  const results = { time: new Date().toISOString(), machine, lines: told };
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
}

function numberOf({ id }: Line): number {
  return Number(id.slice(1));
}
