/** `palimpsest-lab tasks`: runs what has no result yet, and makes the figures of one folder of results or of several. */

import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { formatMoney } from '../../core/cost/formatMoney.ts';
import type { ModelChoice } from '../../core/model/modelChoice.ts';
import type { Price } from '../../core/money.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import { inEnglish } from '../../core/words.ts';
import type { Variant } from '../../lab/replay.ts';
import { planRuns } from '../../lab/tasks/planRuns.ts';
import { makeTaskReport } from '../../lab/tasks/taskReport.ts';
import type { TaskRun } from '../../lab/tasks/taskRun.ts';
import { isInside } from '../../node/files/inside.ts';
import { pageHtml } from '../../node/pages/pageHtml.ts';
import { pageText } from '../../node/pages/pageText.ts';
import { JOURNAL } from '../../node/storage/sessions/sessionStore.ts';
import { parseEndpoint } from '../../providers/endpoint.ts';
import { createEndpointClient } from '../../providers/endpointClient.ts';
import { tablePrice } from '../../providers/knownModels.ts';
import { askFacts } from '../../providers/modelFacts.ts';
import { withRetries } from '../../providers/retry.ts';
import { checkPlace, type Outputs, readMergeArguments } from '../arguments.ts';
import { takeShard } from '../shards.ts';
import { checkSets, idOf, isStrategyPath, openStrategies, titleOf } from '../strategies.ts';
import { KEY_VARIABLE } from '../summaries.ts';
import { describeTasks } from './describeTasks.ts';
import { readTasks, type Task } from './readTasks.ts';
import { joinResults, listRuns, planOf, Results, type RunKey, type TaskFacts, WORK_PREFIX } from './results.ts';
import { openTaskSandbox, type RunSetting, runTask } from './runTask.ts';
import { readTaskArguments, TASKS_USAGE, type TaskArguments } from './taskArguments.ts';

/** The program gives up after so many errors in a row. */
const MOST_ERRORS = 3;

/** Throws an `Error` whose message can be shown. */
export async function runTasks(args: readonly string[], signal: AbortSignal): Promise<void> {
  if (args.includes('--help')) return void process.stdout.write(`${TASKS_USAGE}\n`);
  const given = readTaskArguments(args);
  const { variants, shard, outputs } = given;
  const registry = await openStrategies(variants.map(idOf));
  checkSets(variants, registry);
  checkOutputs(outputs);
  refuseAmongTasks(given);
  const { tasks, leftOut } = readTasks(given.folder);
  for (const each of leftOut) tell(`Left out: ${each}`);
  const denied = await Promise.all(
    [resolve(given.folder), given.results].map((path) => realpath(path).catch(() => path)),
  );
  refuseTemporary(denied);
  if (given.sandbox) await requireTaskSandbox(denied);
  const model = await openModel(given, signal);
  const results = Results.begin(given.results, factsOf(given, model.price ?? null, tasks, leftOut));
  const byName = new Map(tasks.map((task) => [task.name, task]));
  const rounds = takeShard(planRuns(planOf(results.facts)), shard);
  const keys = rounds.flatMap(({ strategies, ...round }) => strategies.map((strategy) => ({ ...round, strategy })));
  const settings = (name: string): Omit<RunSetting, 'sessions'> => {
    const variant = variants.find((each) => titleOf(each) === name) ?? name;
    // A built-in one is named in the settings, so that its own count.
    const strategy = isStrategyPath(idOf(variant)) ? registry.get(idOf(variant))?.factory : undefined;
    return { ...settingOf(variant, given), strategy, model, denied };
  };
  await runAll(keys, { results, byName, settings, signal });
  if (shard) tell(`Shard ${shard.nth}/${shard.of} is in ${given.results}: merge makes the figures of all shards.`);
  else report([results], outputs);
}

/** Of folders of results. */
export function mergeTasks(args: readonly string[]): void {
  const { files, ...outputs } = readMergeArguments(args);
  checkOutputs(outputs);
  report(joinResults(files), outputs);
}

interface AllRuns {
  readonly results: Results;
  readonly byName: ReadonlyMap<string, Task>;
  readonly settings: (strategy: string) => Omit<RunSetting, 'sessions'>;
  readonly signal: AbortSignal;
}

/** One after the other, so that a run has the machine and the provider's limits to itself. */
async function runAll(keys: readonly RunKey[], all: AllRuns): Promise<void> {
  const { results, signal } = all;
  let inRow = 0;
  let answered = false;
  for (const [at, key] of keys.entries()) {
    signal.throwIfAborted();
    if (isDone(results.read(key))) continue;
    const lock = await results.take(key);
    const name = `${at + 1}/${keys.length} ${key.task}, ${key.strategy}, try ${key.attempt}`;
    try {
      if (!lock) tell(`${name}: another process is at it`);
      // It may have ended while the lock was waited for.
      if (!lock || isDone(results.read(key))) continue;
      const run = await runOne(key, all, name);
      answered ||= run.requests > 0;
      inRow = run.end.kind === 'error' ? inRow + 1 : 0;
      // A server that never answered will not answer the next run either.
      if (run.end.kind === 'error' && (inRow >= MOST_ERRORS || !answered))
        throw new Error(
          `${run.end.detail}\nThe runs so far are in ${results.folder}: the same command goes on with the others.`,
        );
    } finally {
      await lock?.release();
    }
  }
}

const isDone = (run: TaskRun | null) => run !== null && run.end.kind !== 'error';

async function runOne(key: RunKey, { results, byName, settings, signal }: AllRuns, name: string): Promise<TaskRun> {
  const task = byName.get(key.task);
  if (!task) throw new Error(`There is no task ${key.task}.`);
  const sessions = results.sessionsOf(key);
  const started = performance.now();
  const setting = { ...settings(key.strategy), sessions };
  const { session, ...outcome } = await runTask(task, setting, signal, (work) => results.note(key, work));
  const run: TaskRun = { ...key, ...outcome };
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  const journal = relative(results.folder, join(sessions, session, JOURNAL)).replaceAll('\\', '/');
  results.write(run, { seconds, session: journal });
  const { end, cost, requests, compactions } = run;
  const how = end.kind === 'failed' ? `failed by ${end.by}` : end.kind === 'error' ? `error: ${end.detail}` : end.kind;
  const spent = cost ? `, ${formatMoney(cost)}` : '';
  tell(`${name}: ${how}; ${requests} requests, ${compactions} compactions${spent}, ${seconds} s`);
  return run;
}

/** A task's hash and the list of tasks must not change by what a run writes. */
function refuseAmongTasks({ folder, results }: TaskArguments): void {
  if (isInside(realOf(results), realOf(resolve(folder))))
    throw new Error(`--results ${results} lies in the folder of the tasks, ${folder}. Name a folder beside it.`);
}

/** With the links that are there resolved; the path itself need not be there. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realOf(parent), basename(path));
  }
}

/** Runs work there, and an agent must see its own files. */
function refuseTemporary(denied: readonly string[]): void {
  const temporary = realpathSync(tmpdir());
  const around = denied.find((folder) => isInside(temporary, folder));
  if (around !== undefined)
    throw new Error(
      `${around} contains the system’s folder for temporary files, in which runs work. Keep tasks and results in folders of their own.`,
    );
}

async function requireTaskSandbox(denied: readonly string[]): Promise<void> {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), WORK_PREFIX)));
  try {
    const state = await openTaskSandbox(join(scratch, 'files'), join(scratch, 'sandbox'), denied).open();
    if (state.kind === 'ready') return;
    throw new Error(
      `The agent's commands run in a sandbox, and there is none here. ${inEnglish(state.reason)} With --without-sandbox they run with your rights on this machine, and can read and change all that you can: only in a container or a machine of their own.`,
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function openModel(given: TaskArguments, signal: AbortSignal): Promise<ModelChoice> {
  const { baseUrl, model, window, money } = given;
  // Without the person's word, the arguments are refused.
  const access = { baseUrl, key: async () => process.env[KEY_VARIABLE], plainHttp: true };
  const facts = await askFacts(access, model, signal);
  const price = given.price ?? facts?.price ?? tablePrice(parseEndpoint(baseUrl), model);
  if (money !== null && !price)
    throw new Error(`--money ${money} cannot be checked: nobody knows the price of ${model}. Give --price.`);
  if (facts?.window !== undefined && facts.window < window)
    throw new Error(`--window ${window}: the server says that ${model} holds ${facts.window} tokens. Give no more.`);
  return {
    client: withRetries(createEndpointClient(access)),
    model,
    window,
    ...(facts?.maxOutputTokens === undefined ? {} : { maxOutputTokens: facts.maxOutputTokens }),
    ...(price ? { price } : {}),
  };
}

function settingOf(
  variant: string | Variant,
  { settings, steps, money, minutes, sandbox }: TaskArguments,
): Pick<RunSetting, 'settings' | 'section' | 'steps' | 'money' | 'milliseconds' | 'sandbox'> {
  const own = typeof variant === 'string' ? { settings } : variant;
  const named = isStrategyPath(idOf(variant)) ? {} : { strategy: idOf(variant) };
  return {
    settings: { ...own.settings, ...named },
    section: 'section' in own ? (own.section ?? {}) : {},
    steps,
    money: money ?? 0,
    milliseconds: minutes * 60_000,
    sandbox,
  };
}

function factsOf(
  given: TaskArguments,
  price: Price | null,
  tasks: readonly Task[],
  leftOut: readonly string[],
): TaskFacts {
  const { variants, settings, model, window, seed, steps, money, minutes, sandbox, tries } = given;
  const hashOf = (id: string) =>
    createHash('sha256')
      .update(readFileSync(resolve(id)))
      .digest('hex');
  return {
    fixed: {
      strategies: variants.map(titleOf),
      hashes: variants.map((variant) => (isStrategyPath(idOf(variant)) ? hashOf(idOf(variant)) : '')),
      settings,
      model,
      window,
      price,
      seed,
      steps,
      money,
      minutes,
      sandbox,
    },
    tries,
    tasks: Object.fromEntries(tasks.map(({ name, hash }) => [name, hash])),
    leftOut,
  };
}

function checkOutputs(outputs: Outputs): void {
  for (const path of Object.values(outputs)) if (path !== undefined) checkPlace(path);
}

function report(all: readonly Results[], { html, json, markdown }: Outputs): void {
  const [first] = all;
  if (!first) return;
  const { facts } = first;
  const keys = listRuns(planOf(facts));
  const runs = keys.flatMap((key) => readOnce(key, all) ?? []);
  if (runs.length === 0) throw new Error(`${first.folder} has no result yet.`);
  const figures = makeTaskReport({ ...facts.fixed, missing: keys.length - runs.length }, runs);
  const page = describeTasks(figures, [...new Set(all.flatMap(({ facts: { leftOut } }) => leftOut))].sort());
  process.stdout.write(pageText(page));
  if (html !== undefined) writeFileSync(html, pageHtml(page, 'en'));
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(figures, null, 2)}\n`);
  if (markdown !== undefined) writeFileSync(markdown, pageText(page));
}

/** A result that is none counts only where nobody has another. Throws when two folders have one. */
function readOnce(key: RunKey, all: readonly Results[]): TaskRun | null {
  const found = all.flatMap((results) => {
    const run = results.read(key);
    return run ? [{ run, folder: results.folder }] : [];
  });
  const [one, other] = found.filter(({ run }) => isDone(run));
  if (one && other)
    throw new Error(`${one.folder} and ${other.folder} both have ${key.task}, ${key.strategy}, try ${key.attempt}.`);
  return one?.run ?? found[0]?.run ?? null;
}

/** Progress goes to the other stream, so that the figures alone can be piped. */
function tell(line: string): void {
  process.stderr.write(`${showInOneLine(line)}\n`);
}
