/**
 * The results of a run over tasks in a folder: `run.json` says what was run, `runs/TASK/STRATEGY.TRY.json` how each run ended,
 * and `sessions/TASK/STRATEGY.TRY/` holds its session. A result is there whole or not at all, so a run that was killed half-way
 * begins again. Nothing in the folder holds a key.
 */

import { mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../../core/errors.ts';
import { isObject, parseObject } from '../../core/json.ts';
import type { Price } from '../../core/money.ts';
import type { RunPlan } from '../../lab/tasks/planRuns.ts';
import { readTaskRun, type TaskRun } from '../../lab/tasks/taskRun.ts';
import { lockSession, type SessionLock } from '../../node/storage/sessions/sessionLock.ts';

/** The setting of all runs. `fixed` cannot change while results are there; tasks and tries may be added. */
export interface TaskFacts {
  readonly fixed: {
    /** Names of the rows; with the hash of its file where a strategy has one. */
    readonly strategies: readonly string[];
    readonly hashes: readonly string[];
    readonly settings: Readonly<Record<string, unknown>>;
    readonly model: string;
    readonly window: number;
    /** Null where nobody knows it. */
    readonly price: Price | null;
    readonly seed: number;
    readonly steps: number;
    /** Null without a limit. */
    readonly money: number | null;
    readonly minutes: number;
    readonly sandbox: boolean;
  };
  readonly tries: number;
  /** The hash of each by its name. */
  readonly tasks: Readonly<Record<string, string>>;
  /** Folders that are no task, each with the reason. */
  readonly leftOut: readonly string[];
}

/** One run among the others of its folder. */
export interface RunKey {
  readonly task: string;
  readonly strategy: string;
  readonly attempt: number;
}

const FORMAT = 1;
const FACTS = 'run.json';
export const WORK_PREFIX = 'palimpsest-task-';

export const planOf = ({ fixed, tries, tasks }: TaskFacts): RunPlan => ({
  tasks: Object.keys(tasks).sort(),
  strategies: fixed.strategies,
  tries,
  seed: fixed.seed,
});

/** Every run of it, by task. */
export function listRuns(plan: RunPlan): RunKey[] {
  const attempts = Array.from({ length: plan.tries }, (_, at) => at + 1);
  return plan.tasks.flatMap((task) =>
    attempts.flatMap((attempt) => plan.strategies.map((strategy) => ({ task, strategy, attempt }))),
  );
}

export class Results {
  readonly folder: string;
  readonly facts: TaskFacts;

  private constructor(folder: string, facts: TaskFacts) {
    this.folder = folder;
    this.facts = facts;
  }

  /** Begins or goes on. Throws when the folder holds results of something else. */
  static begin(folder: string, facts: TaskFacts): Results {
    const before = readFacts(folder);
    if (before) refuseOther(folder, before, facts);
    makeFolder(join(folder, 'runs'));
    const { fixed, tries, tasks, leftOut } = facts;
    const known = Object.entries({ ...before?.tasks, ...tasks }).sort(([a], [b]) => (a < b ? -1 : 1));
    const all = Object.fromEntries(known);
    writeWhole(join(folder, FACTS), { palimpsestTasks: FORMAT, fixed, tries, tasks: all, leftOut });
    return new Results(folder, facts);
  }

  /** Throws when there are none. */
  static open(folder: string): Results {
    const facts = readFacts(folder);
    if (facts) return new Results(folder, facts);
    throw new Error(`${folder} holds no results of palimpsest-lab tasks: it has no ${FACTS}.`);
  }

  /** Null while the run has none. Throws for a file that cannot be read. */
  read(key: RunKey): TaskRun | null {
    const path = this.#fileOf(key);
    const text = readIfThere(path);
    if (text === null) return null;
    const run = readTaskRun(parseObject(text));
    if (run && run.task === key.task && run.strategy === key.strategy && run.attempt === key.attempt) return run;
    throw new Error(`${path} is not the result of that run. Delete it, and the run begins again.`);
  }

  /** `more`: facts beside the figures. */
  write(run: TaskRun, more: Readonly<Record<string, unknown>>): void {
    writeWhole(this.#fileOf(run), { ...run, ...more });
  }

  /** The folder that holds the run's session. */
  sessionsOf({ task, strategy, attempt }: RunKey): string {
    return join(this.folder, 'sessions', task, this.#nameOf(strategy, attempt));
  }

  /**
   * Takes a run for this process, and removes what an earlier attempt that was killed left of it. Null while another process
   * is at it.
   */
  async take(key: RunKey): Promise<SessionLock | null> {
    const folder = this.sessionsOf(key);
    const outcome = await lockSession({ folder, onWanted: async () => false });
    if (outcome.kind === 'held') return null;
    const left = readIfThere(join(folder, WORK));
    if (left !== null && dirname(left) === realpathSync(tmpdir()) && basename(left).startsWith(WORK_PREFIX))
      rmSync(left, { recursive: true, force: true });
    for (const name of readdirSync(folder))
      if (!name.startsWith('lock')) rmSync(join(folder, name), { recursive: true, force: true });
    return outcome.lock;
  }

  /** Remembers where the run works until it ends, for a process that is killed. */
  note(key: RunKey, work: string): () => void {
    const path = join(this.sessionsOf(key), WORK);
    writeFileSync(path, work);
    return () => rmSync(path, { force: true });
  }

  #fileOf({ task, strategy, attempt }: RunKey): string {
    return join(this.folder, 'runs', task, `${this.#nameOf(strategy, attempt)}.json`);
  }

  /** Strategies may have the same name in two folders, and characters that a file's name may not have. */
  #nameOf(strategy: string, attempt: number): string {
    const at = this.facts.fixed.strategies.indexOf(strategy);
    const name = strategy
      .replace(/[^\w.-]+/g, '_')
      .replace(/^[._]+/, '')
      .slice(0, 80);
    return `${at + 1}-${name}.${attempt}`;
  }
}

const WORK = 'work.txt';

/** Throws when the folders do not make up one run. */
export function joinResults(folders: readonly string[]): readonly Results[] {
  const all = folders.map((folder) => Results.open(folder));
  const [first] = all;
  for (const { folder, facts } of all) {
    if (first && JSON.stringify({ ...facts, leftOut: [] }) !== JSON.stringify({ ...first.facts, leftOut: [] }))
      throw new Error(`${folder} is of another run than ${first.folder}: other tasks, strategies, limits or settings.`);
  }
  return all;
}

function refuseOther(folder: string, before: TaskFacts, now: TaskFacts): void {
  const differ = (Object.keys(now.fixed) as (keyof TaskFacts['fixed'])[]).filter(
    (name) => JSON.stringify(before.fixed[name]) !== JSON.stringify(now.fixed[name]),
  );
  const elsewhere = 'Name another folder by --results, or delete this one.';
  if (differ.length > 0)
    throw new Error(
      `${folder} holds results of another run: ${differ.map(describeFact).join(', ')} differ. ${elsewhere}`,
    );
  const changed = Object.keys(now.tasks).filter((name) => (before.tasks[name] ?? now.tasks[name]) !== now.tasks[name]);
  if (changed.length > 0)
    throw new Error(`${folder} holds results of other versions of these tasks: ${changed.join(', ')}. ${elsewhere}`);
}

const describeFact = (name: keyof TaskFacts['fixed']) => (name === 'hashes' ? "the strategies' files" : name);

/** Null when the folder has none. */
function readFacts(folder: string): TaskFacts | null {
  const path = join(folder, FACTS);
  const text = readIfThere(path);
  if (text === null) return null;
  const { palimpsestTasks, fixed, tries, tasks, leftOut } = parseObject(text) ?? {};
  if (palimpsestTasks !== FORMAT || !isObject(fixed) || !isObject(tasks) || typeof tries !== 'number')
    throw new Error(`${path} is not one that this version of palimpsest-lab tasks wrote.`);
  return { fixed, tries, tasks, leftOut: Array.isArray(leftOut) ? leftOut : [] } as unknown as TaskFacts;
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (isObject(cause) && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')) return null;
    throw new Error(`${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/** Under another name first, so that a killed process leaves no half of it. */
function writeWhole(path: string, value: object): void {
  mkdirSync(dirname(path), { recursive: true });
  const beside = `${path}.${process.pid}`;
  writeFileSync(beside, `${JSON.stringify(value, null, 2)}\n`);
  renameSync(beside, path);
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (cause) {
    throw new Error(`The results cannot be kept in ${path}: ${messageOf(cause)}. Name another folder by --results.`, {
      cause,
    });
  }
}
