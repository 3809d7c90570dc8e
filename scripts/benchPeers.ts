/**
 * `npm run bench:peers [-- --agents layered,peers --windows 64000 --summaries full,empty --seed 1 --repeats 1]`: the same
 * scripted session through the packaged core and through other agents, which are installed from npm into a temporary folder,
 * against a scripted model on loopback. Prints a table for each window.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { DEFAULT_AGENTS, findAgents } from './peers/agents/agents.ts';
import { compareAgents } from './peers/compareAgents.ts';
import { endOnSignals, isContained } from './peers/contain.ts';
import { SUMMARY_KINDS, type SummaryKind } from './peers/summary.ts';
import { tableOf } from './peers/table.ts';

const { values } = parseArgs({
  options: {
    /** Built-in strategies and peers by name; `strategies` and `peers` mean all of them. */
    agents: { type: 'string', default: DEFAULT_AGENTS },
    /** In tokens. */
    windows: { type: 'string', default: '64000' },
    summaries: { type: 'string', default: 'full,empty' },
    seed: { type: 'string', default: '1' },
    repeats: { type: 'string', default: '1' },
    /** Of the core's strategies: `layered.keptShare=0.1`. */
    set: { type: 'string', multiple: true, default: [] },
    /** A folder that stays, with the agents, their output and each request. */
    keep: { type: 'string' },
  },
});

const settings = Object.fromEntries(
  values.set.map((each) => {
    const at = each.indexOf('=');
    return [each.slice(0, at), JSON.parse(each.slice(at + 1))];
  }),
);
const windows = values.windows.split(',').map(Number);
const folder = values.keep === undefined ? mkdtempSync(join(tmpdir(), 'palimpsest-peers-')) : resolve(values.keep);
endOnSignals();
process.once('exit', () => {
  if (values.keep === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
const runs = await compareAgents({
  agents: findAgents(values.agents, settings),
  settings,
  windows,
  summaries: values.summaries.split(',').map(asSummaryKind),
  seed: Number(values.seed),
  repeats: Number(values.repeats),
  folder,
  onProgress: (what) => process.stderr.write(`${new Date().toTimeString().slice(0, 8)} ${what} …\n`),
});
for (const window of windows) {
  const its = runs.filter((run) => run.window === window);
  console.log(`\nWindow ${window.toLocaleString('en')}, seed ${values.seed}:\n\n${tableOf(its)}`);
}
const network = isContained()
  ? 'Each run had a network of its own with nothing but loopback'
  : 'This system does not let a program run without its network: the runs could reach others';
console.log(`\n${network}. Node ${process.version}.`);

function asSummaryKind(name: string): SummaryKind {
  const kind = SUMMARY_KINDS.find((each) => each === name);
  if (kind === undefined) throw new Error(`A summary is ${SUMMARY_KINDS.join(', ')}, not ${name}`);
  return kind;
}
