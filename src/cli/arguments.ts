/** A person's options for the lab, parsed from the command line and validated. Every error says what would be right. */

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { DEFAULT_STRATEGY } from '../core/compaction/strategies/builtIn.ts';
import { messageOf } from '../core/errors.ts';
import { PLAIN_STRATEGIES } from '../lab/baselines/baselines.ts';
import { knownStrategies } from '../lab/replay.ts';
import type { Shard } from './shards.ts';
import { isStrategyPath, readSets, titleOf } from './strategies.ts';
import { KEY_VARIABLE, type SummaryChoice } from './summaries.ts';
import type { WorkerSetting } from './worker.ts';

/** Where the figures go, besides the terminal. */
export interface Outputs {
  readonly html: string | undefined;
  readonly json: string | undefined;
  readonly markdown: string | undefined;
}

export interface LabArguments extends WorkerSetting, Outputs {
  /** Files and folders; empty for a person's own sessions. */
  readonly places: readonly string[];
  /** With a person's own sessions: only so many, the newest. */
  readonly newest: number;
  readonly scores: string | undefined;
  readonly shard: Shard | null;
}

export interface MergeArguments extends Outputs {
  readonly files: readonly string[];
}

/** The product's own, the default first, and what no compaction costs. */
const OWN = knownStrategies().filter((id) => !PLAIN_STRATEGIES.includes(id));
const BY_DEFAULT = [...OWN.toSorted((a, b) => Number(b === DEFAULT_STRATEGY) - Number(a === DEFAULT_STRATEGY)), 'none'];
const NEWEST = 50;

export const USAGE = `palimpsest-lab compares compaction strategies on recorded sessions of coding agents, without a model.

  palimpsest-lab [FOLDER|FILE…] [--strategies layered,./mine.js] [--window 64000] [--html FILE]
  palimpsest-lab merge SCORES… [--html FILE]
  palimpsest-lab autopsy FILE [--session ID] [--strategies layered,./mine.js] [--html FILE] [--scrub]
  palimpsest-lab check FILE [--cases 20] [--seed 1] [--only 'generated 7'] [--set mine.longest=4000] [--json FILE]
  palimpsest-lab tasks FOLDER --base-url URL --model NAME   lets an agent work; palimpsest-lab tasks --help says how

Without a folder or file it reads your own newest sessions of Claude Code, Codex and Palimpsest. Nothing leaves the machine.

  --strategies a,./b.js     to compare: ids, or paths of files that hold one; all: yardsticks too
  --window N                in tokens (64000)
  --set key=value           a setting below palimpsest.compaction., such as trigger.ratio=0.7, or mine.longest=4000, which
                            ./mine.js declares; with several values (mine.longest=1000,4000) each makes a row
  --newest N                how many of your own sessions, the newest first (${NEWEST})
  --html, --json, --markdown FILE   writes the figures there, too
  --scores FILE             writes the counts of each session, which merge reads
  --shard 3/16              replays only this part; needs --scores
  --before-first-compaction only steps before the first compaction in a recording
  --dump DIR                writes every request
  --summaries scripted|none|recorded|live [--base-url URL --model NAME]
                            what answers a strategy that asks for one (scripted: a text made by rules, as long as it
                            may be); live reads a key from ${KEY_VARIABLE} and charges what the model reports

autopsy shows what each compaction in one recorded session lost that the agent then needed, what it read or ran again,
what that cost, and what other strategies would have kept at the same cost. --session names one of several sessions in
a file. --scrub leaves out secrets, names and folders.

check runs the strategy of a file, a module or a program in any language, through the conformance kit: generated
conversations, each compacted five times. It names each broken rule, and then ends with 1.

Strategies: ${knownStrategies().join(', ')}.`;

export const OUTPUTS = { html: { type: 'string' }, json: { type: 'string' }, markdown: { type: 'string' } } as const;

/** Throws an `Error` whose message can be shown. */
export function readArguments(args: readonly string[]): LabArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...OUTPUTS,
      strategies: { type: 'string' },
      window: { type: 'string', default: '64000' },
      newest: { type: 'string', default: String(NEWEST) },
      'before-first-compaction': { type: 'boolean', default: false },
      scores: { type: 'string' },
      shard: { type: 'string' },
      dump: { type: 'string' },
      set: { type: 'string', multiple: true, default: [] },
      summaries: { type: 'string', default: 'scripted' },
      'base-url': { type: 'string' },
      model: { type: 'string' },
    },
  });
  const window = readCount('--window', values.window, 1000, 'tokens');
  const { html, json, markdown, scores } = values;
  const shard = readShard(values.shard);
  if (shard && scores === undefined)
    throw new Error('--shard needs --scores FILE: merge makes the figures of the files of all shards.');
  const { settings, variants } = readSets(values.set, readStrategies(values.strategies));
  return {
    html,
    json,
    markdown,
    scores,
    shard,
    window,
    places: positionals,
    newest: readCount('--newest', values.newest, 1, 'sessions'),
    strategies: variants.map(titleOf),
    variants,
    beforeFirstCompaction: values['before-first-compaction'],
    settings,
    summaries: readSummaries(values.summaries, values['base-url'], values.model, window),
    dump: values.dump ?? null,
  };
}

export function readMergeArguments(args: readonly string[]): MergeArguments {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: OUTPUTS });
  if (positionals.length === 0) throw new Error('merge needs the files that --scores wrote, one of each shard.');
  const { html, json, markdown } = values;
  return { html, json, markdown, files: positionals };
}

export function readCount(option: string, text: string, least: number, what: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= least) return count;
  throw new Error(`${option} ${text}: expected a number of ${what}, ${least} or more.`);
}

export function readShard(text: string | undefined): Shard | null {
  if (text === undefined) return null;
  const [, nth, of] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? [];
  const shard = { nth: Number(nth), of: Number(of) };
  if (shard.nth >= 1 && shard.nth <= shard.of) return shard;
  throw new Error(`--shard ${text}: expected a part and how many there are, such as 3/16.`);
}

export function readStrategies(text: string | undefined): readonly string[] {
  const known = knownStrategies();
  if (text === undefined) return BY_DEFAULT;
  if (text === 'all') return known;
  const asked = [...new Set(text.split(',').map((id) => id.trim()))].filter((id) => id !== '');
  const unknown = asked.filter((id) => !known.includes(id) && !isStrategyPath(id));
  if (unknown.length > 0) throw new Error(`There is no strategy ${unknown.join(', ')}; known are ${known.join(', ')}.`);
  if (asked.length === 0) throw new Error(`--strategies names none; known are ${known.join(', ')}.`);
  return asked;
}

function readSummaries(
  kind: string,
  baseUrl: string | undefined,
  model: string | undefined,
  window: number,
): SummaryChoice {
  switch (kind) {
    case 'none':
    case 'recorded':
    case 'scripted':
      return { kind };
    case 'live':
      if (baseUrl && model) return { kind, baseUrl, model, window };
      throw new Error('--summaries live needs --base-url and --model.');
    default:
      throw new Error(`--summaries ${kind}: expected scripted, none, recorded or live.`);
  }
}

/** Throws when no file can be written there: before a run, so that no minutes are spent on figures that are lost then. */
export function checkPlace(path: string): void {
  try {
    accessSync(dirname(path), constants.W_OK);
    if (existsSync(path) && statSync(path).isDirectory()) throw new Error('it is a folder');
  } catch (cause) {
    throw new Error(`${path} cannot be written: ${messageOf(cause)}`, { cause });
  }
}
