/** `npm run bench [-- id]`: runs bench/*.bench.ts, prints one line for each goal, and writes bench/results.json. */

import { globSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Bench, Line } from '../bench/support/line.ts';
import { ROOT } from './paths.ts';

const only = process.argv[2];
const lines: Line[] = [];
for (const path of globSync('bench/*.bench.ts', { cwd: ROOT }).sort()) {
  const bench: Bench = await import(pathToFileURL(join(ROOT, path)).href);
  if (only !== undefined && bench.id !== only) continue;
  for (const line of await bench.run()) {
    lines.push(line);
    console.log(`${line.id.padEnd(4)} ${line.name}: ${line.figure} (goal ${line.goal}) ${line.ok ? 'ok' : 'short'}`);
  }
}
if (lines.length === 0) throw new Error(`no benchmark has the id ${only}`);

// A run of one id is only for looking; a whole run is worth keeping.
if (only === undefined) {
  const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model ?? 'unknown' };
  const results = { time: new Date().toISOString(), machine, lines };
  writeFileSync(join(ROOT, 'bench/results.json'), `${JSON.stringify(results, null, 2)}\n`);
}
const short = lines.filter(({ ok }) => !ok).length;
console.log(`${lines.length} goals, ${short} short`);
