/**
 * The figures of strategies over runs of tasks: a row each, and the paired differences to the strategy named first.
 * Invariant: every row is of the same rounds, those in which no strategy ended by an error. Intervals are drawn over
 * tasks, because tries of one task are alike.
 */

import { boundsOf, resample } from '../bootstrap.ts';
import { type RunCounts, sumRuns } from '../runAccount.ts';
import { exactTest, tasksNeeded } from './pairedTest.ts';
import { FAILED_BY, type FailedBy, type TaskRun } from './taskRun.ts';

export interface TaskFigures {
  readonly solvedPercent: number;
  /** Of a run, on average; null where the cost of one is unknown. */
  readonly cost: number | null;
  /** Of a run, on average. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly requests: number;
  readonly compactions: number;
}

type Interval = readonly [low: number, high: number];

export interface TaskRow extends TaskFigures {
  readonly id: string;
  readonly solved: number;
  /** Runs with at least one compaction: in the others strategies cannot differ. */
  readonly compacted: number;
  /** Compactions for which it was to run, and those that something else made. */
  readonly runs: RunCounts;
  readonly failed: Readonly<Record<FailedBy, number>>;
  /** Runs that ended by an error; their rounds are in no figure. */
  readonly errors: number;
  readonly interval: Readonly<Record<keyof TaskFigures, Interval | null>>;
  /** Null for the strategy named first. */
  readonly difference: TaskDifference | null;
}

/** Each figure minus that of the strategy named first, with its interval. */
export interface TaskDifference
  extends Readonly<Record<keyof TaskFigures, readonly [difference: number, ...Interval] | null>> {
  /** Tasks that this strategy solves more often, and less often, than the first. */
  readonly better: number;
  readonly worse: number;
  /** By the exact test. */
  readonly p: number;
  /** Rounds in which only one of the two solved the task. */
  readonly discordantPercent: number;
  /** Tasks that a difference of five points would need with so many; null with fewer than that. */
  readonly neededForFive: number | null;
}

export interface TaskReport {
  readonly model: string;
  readonly window: number;
  readonly seed: number;
  /** Of all costs; null where none is known. */
  readonly currency: string | null;
  /** Tasks and rounds that are counted. */
  readonly tasks: number;
  readonly rounds: number;
  readonly strategies: readonly TaskRow[];
  /** Runs that have no result yet. */
  readonly missing: number;
  /** Runs that ended by an error, each with it. */
  readonly leftOut: readonly string[];
}

interface ReportedRun {
  readonly strategies: readonly string[];
  readonly model: string;
  readonly window: number;
  readonly seed: number;
  readonly missing: number;
}

/** The runs of one task that are counted, one list for each strategy, in the order of its tries. */
interface CountedTask {
  readonly of: ReadonlyMap<string, readonly TaskRun[]>;
}

/** `runs` in any order. */
export function makeTaskReport(
  { strategies, model, window, seed, missing }: ReportedRun,
  runs: readonly TaskRun[],
): TaskReport {
  const sorted = runs.toSorted((a, b) => (a.task === b.task ? a.attempt - b.attempt : a.task < b.task ? -1 : 1));
  const rounds = [...group(sorted, ({ task, attempt }) => `${task}, try ${attempt}`)];
  const whole = rounds.filter(([, all]) => strategies.every((id) => endOf(all, id) !== null));
  const byTask = [
    ...group(
      whole.flatMap(([, all]) => all),
      ({ task }) => task,
    ).values(),
  ];
  const tasks = byTask.map((all): CountedTask => ({ of: group(all, ({ strategy }) => strategy) }));
  const [first = ''] = strategies;
  return {
    model,
    window,
    seed,
    currency: runs.find(({ cost }) => cost)?.cost?.currency ?? null,
    tasks: tasks.length,
    rounds: whole.length,
    strategies: strategies.map((id) => {
      const own = tasks.flatMap((task) => runsOf(task, id));
      const drawn = resample(tasks, (some) => readFigures(some, id));
      return {
        id,
        solved: own.filter(isSolved).length,
        compacted: own.filter(({ compactions }) => compactions > 0).length,
        runs: sumRuns(own.map(({ runs: counts }) => counts)),
        failed: countFailed(own),
        errors: runs.filter(({ strategy, end }) => strategy === id && end.kind === 'error').length,
        ...readFigures(tasks, id),
        interval: eachFigure((key) => boundsOf(drawn.flatMap((figures) => figures[key] ?? []))),
        difference: id === first ? null : compare(tasks, id, first),
      };
    }),
    missing,
    leftOut: rounds.flatMap(([name, all]) =>
      all.flatMap(({ strategy, end }) => (end.kind === 'error' ? [`${name}, ${strategy}: ${end.detail}`] : [])),
    ),
  };
}

const isSolved = ({ end }: TaskRun) => end.kind === 'solved';
const runsOf = ({ of }: CountedTask, id: string): readonly TaskRun[] => of.get(id) ?? [];

/** Null when it is not there, or ended by an error. */
function endOf(round: readonly TaskRun[], id: string): TaskRun['end'] | null {
  const end = round.find(({ strategy }) => strategy === id)?.end;
  return end && end.kind !== 'error' ? end : null;
}

function countFailed(runs: readonly TaskRun[]): Record<FailedBy, number> {
  const count = (by: FailedBy) => runs.filter(({ end }) => end.kind === 'failed' && end.by === by).length;
  return Object.fromEntries(FAILED_BY.map((by) => [by, count(by)])) as Record<FailedBy, number>;
}

const FIGURES = ['solvedPercent', 'cost', 'inputTokens', 'outputTokens', 'requests', 'compactions'] as const;

function eachFigure<Value>(read: (key: keyof TaskFigures) => Value): Record<keyof TaskFigures, Value> {
  return Object.fromEntries(FIGURES.map((key) => [key, read(key)])) as Record<keyof TaskFigures, Value>;
}

function readFigures(tasks: readonly CountedTask[], id: string): TaskFigures {
  const runs = tasks.flatMap((task) => runsOf(task, id));
  const mean = (of: (run: TaskRun) => number) => runs.reduce((sum, run) => sum + of(run), 0) / Math.max(1, runs.length);
  return {
    solvedPercent: 100 * mean((run) => Number(isSolved(run))),
    cost: runs.every(({ cost }) => cost) ? mean(({ cost }) => cost?.amount ?? 0) : null,
    inputTokens: mean(({ input }) => input),
    outputTokens: mean(({ output }) => output),
    requests: mean(({ requests }) => requests),
    compactions: mean(({ compactions }) => compactions),
  };
}

const FIVE_POINTS = 0.05;

function compare(tasks: readonly CountedTask[], id: string, first: string): TaskDifference {
  const drawn = resample(tasks, (some) => subtract(some, id, first));
  const whole = subtract(tasks, id, first);
  const gains = tasks.map((task) => solvedIn(task, id) - solvedIn(task, first));
  const pairs = tasks.flatMap((task) => runsOf(task, id).map((run, at) => [run, runsOf(task, first)[at]] as const));
  const discordant = pairs.filter(([one, other]) => other && isSolved(one) !== isSolved(other)).length;
  const share = discordant / Math.max(1, pairs.length);
  const [better, worse] = [gains.filter((gain) => gain > 0).length, gains.filter((gain) => gain < 0).length];
  return {
    ...eachFigure((key) => {
      const difference = whole[key];
      const bounds = boundsOf(drawn.flatMap((each) => each[key] ?? []));
      return difference === null || bounds === null ? null : ([difference, ...bounds] as const);
    }),
    better,
    worse,
    p: exactTest(better, worse),
    discordantPercent: 100 * share,
    neededForFive: share < FIVE_POINTS ? null : tasksNeeded(FIVE_POINTS, share),
  };
}

const solvedIn = (task: CountedTask, id: string) => runsOf(task, id).filter(isSolved).length;

function subtract(tasks: readonly CountedTask[], id: string, first: string): Record<keyof TaskFigures, number | null> {
  const [mine, theirs] = [readFigures(tasks, id), readFigures(tasks, first)];
  return eachFigure((key) => {
    const [a, b] = [mine[key], theirs[key]];
    return a === null || b === null ? null : a - b;
  });
}

function group<One>(all: readonly One[], keyOf: (one: One) => string): Map<string, One[]> {
  const groups = new Map<string, One[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}
