/** A person's options for runs over tasks, parsed from the command line and validated. Every error says what would be right. */

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Price } from '../../core/money.ts';
import { PLAIN_STRATEGIES } from '../../lab/baselines/baselines.ts';
import type { Variant } from '../../lab/replay.ts';
import { priceSchema, readPrice } from '../../node/models/price.ts';
import { parseEndpoint } from '../../providers/endpoint.ts';
import { OUTPUTS, type Outputs, readCount, readShard, readStrategies } from '../arguments.ts';
import type { Shard } from '../shards.ts';
import { readSets } from '../strategies.ts';
import { KEY_VARIABLE } from '../summaries.ts';

export interface TaskArguments {
  readonly folder: string;
  /** Absolute. */
  readonly results: string;
  readonly variants: readonly (string | Variant)[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly baseUrl: string;
  readonly model: string;
  /** Null where the person says none. */
  readonly price: Price | null;
  readonly window: number;
  readonly tries: number;
  readonly seed: number;
  readonly steps: number;
  /** Null without a limit. */
  readonly money: number | null;
  readonly minutes: number;
  readonly sandbox: boolean;
  readonly shard: Shard | null;
  readonly outputs: Outputs;
}

export const TASKS_USAGE = `palimpsest-lab tasks lets an agent work on tasks under each strategy, and compares how many it solves at what cost.

  palimpsest-lab tasks FOLDER --base-url URL --model NAME [--strategies layered,llm-summary,./mine.js] [--html FILE]
  palimpsest-lab merge RESULTS… [--html FILE]

Each task is a folder in FOLDER: prompt.md for the agent; task.json with { "check": "COMMAND" }, which exits with 0 when the
task is solved; files/ to work in, and check/, files that the agent never sees and that are laid over its own before the check.
Each run works in a copy. The key of the endpoint is read from ${KEY_VARIABLE}. Each answer of the model costs money.

  --strategies a,./b.js     to compare with the one named first (layered,llm-summary)
  --results DIR             one file for each run, and its session (task-results). The same command goes on where it was
                            stopped: what has a result does not run again, what was stopped half-way or ended by an error does
  --tries N                 of each task under each strategy (1)
  --seed N                  of the order: random, the strategies of a task one after the other (1)
  --window N                in tokens (64000)
  --set key=value           as for sessions
  --steps N                 requests that a run may make (100)
  --minutes N               that the agent may work in a run (30)
  --money N                 that a run may cost, in the currency of the price; needs a price (no limit)
  --price IN/OUT[/CACHED]   in dollars for a million tokens, where neither the endpoint nor Palimpsest's table has one
  --shard 3/16              runs only this part. Shards may share a folder of results; merge joins several
  --without-sandbox         commands of the agent and of checks run on this machine with your rights. Without it they run in
                            the sandbox of the system, without a network, and where there is none, nothing runs
  --plain-http              the endpoint is in your own network, and gets files and key unencrypted
  --html, --json, --markdown FILE   writes the figures there, too

palimpsest-lab RESULTS/sessions replays the sessions; palimpsest-lab autopsy RESULTS/sessions/…/journal.jsonl examines one.`;

const STEPS_MOST = 1_000;
/** In minutes. */
const WEEK = 10_080;

/** Throws an `Error` whose message can be shown. */
export function readTaskArguments(args: readonly string[]): TaskArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...OUTPUTS,
      strategies: { type: 'string', default: 'layered,llm-summary' },
      results: { type: 'string', default: 'task-results' },
      'base-url': { type: 'string' },
      model: { type: 'string' },
      price: { type: 'string' },
      window: { type: 'string', default: '64000' },
      tries: { type: 'string', default: '1' },
      seed: { type: 'string', default: '1' },
      steps: { type: 'string', default: '100' },
      money: { type: 'string' },
      minutes: { type: 'string', default: '30' },
      set: { type: 'string', multiple: true, default: [] },
      shard: { type: 'string' },
      'without-sandbox': { type: 'boolean', default: false },
      'plain-http': { type: 'boolean', default: false },
    },
  });
  const [folder] = positionals;
  if (folder === undefined || positionals.length > 1) throw new Error('tasks takes one folder, which holds the tasks.');
  const { 'base-url': baseUrl, model, html, json, markdown } = values;
  if (!baseUrl || !model) throw new Error('tasks needs --base-url and --model: the model that works on them.');
  if (parseEndpoint(baseUrl).plainHttp && !values['plain-http']) {
    const warning = `Plain http to ${new URL(baseUrl).host} sends files, and a key if there is one, unencrypted.`;
    throw new Error(`--base-url ${baseUrl}: ${warning} With --plain-http it is used all the same.`);
  }
  const steps = readCount('--steps', values.steps, 1, 'requests');
  if (steps > STEPS_MOST) throw new Error(`--steps ${steps}: ${STEPS_MOST} are the most.`);
  const { settings, variants } = readSets(values.set, readLiveStrategies(values.strategies));
  return {
    folder,
    results: resolve(values.results),
    variants,
    settings,
    baseUrl,
    model,
    price: values.price === undefined ? null : readGivenPrice(values.price),
    window: readCount('--window', values.window, 1000, 'tokens'),
    tries: readCount('--tries', values.tries, 1, 'tries'),
    seed: readCount('--seed', values.seed, 0, 'a seed'),
    steps,
    money: values.money === undefined ? null : readAmount('--money', values.money, 'an amount', 1_000_000),
    minutes: readAmount('--minutes', values.minutes, 'a number of minutes', WEEK),
    sandbox: !values['without-sandbox'],
    shard: readShard(values.shard),
    outputs: { html, json, markdown },
  };
}

/** Yardsticks work on recordings only. */
function readLiveStrategies(text: string): readonly string[] {
  const asked = readStrategies(text).filter((id) => text !== 'all' || !PLAIN_STRATEGIES.includes(id));
  const plain = asked.filter((id) => PLAIN_STRATEGIES.includes(id));
  if (plain.length === 0) return asked;
  throw new Error(
    `--strategies ${plain.join(', ')}: yardsticks replay recorded sessions only; they cannot work on tasks.`,
  );
}

function readAmount(option: string, text: string, what: string, most: number): number {
  const amount = Number(text);
  if (text.trim() !== '' && amount > 0 && amount <= most) return amount;
  throw new Error(`${option} ${text}: expected ${what} above 0, such as 0.5, and ${most} at most.`);
}

function readGivenPrice(text: string): Price {
  const [input, output, cacheRead, ...more] = text
    .split('/')
    .map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const parsed = priceSchema.safeParse({ input, output, ...(cacheRead === undefined ? {} : { cacheRead }) });
  if (parsed.success && more.length === 0) return readPrice(parsed.data);
  throw new Error(
    `--price ${text}: expected dollars for a million tokens as INPUT/OUTPUT or INPUT/OUTPUT/CACHED, such as 3/15/0.3.`,
  );
}
