/** One run of a task by the agent under a strategy: how it ended, and what it took. Plain data, kept in a file of its own. */

import { isObject } from '../../core/json.ts';
import { type Money, readMoney } from '../../core/money.ts';
import type { RunCounts } from '../runAccount.ts';

/** Reasons for which a run is lost: its check, which may also hang, one of its limits, or a context that no longer fitted. */
export const FAILED_BY = ['check', 'hungCheck', 'steps', 'money', 'time', 'context'] as const;
export type FailedBy = (typeof FAILED_BY)[number];

export type TaskEnd =
  | { readonly kind: 'solved' }
  | { readonly kind: 'failed'; readonly by: FailedBy; readonly detail: string }
  /** The model could not be asked, or the check could not be run: it says nothing of the strategy. */
  | { readonly kind: 'error'; readonly detail: string };

export interface TaskRun {
  readonly task: string;
  /** Name of its row. */
  readonly strategy: string;
  /** From 1. */
  readonly attempt: number;
  readonly end: TaskEnd;
  /** Answered ones, those for summaries too. */
  readonly requests: number;
  /** Tokens sent in all requests, and of these those from the provider's cache; tokens answered. */
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  /** Null where the cost of a request is unknown. */
  readonly cost: Money | null;
  readonly compactions: number;
  /** Compactions for which the strategy was to run. */
  readonly runs: RunCounts;
}

/** Null for something else. */
export function readTaskRun(value: unknown): TaskRun | null {
  if (!isObject(value)) return null;
  const { task, strategy, attempt, end } = value;
  const ended = readEnd(end);
  const counts = ['requests', 'input', 'cached', 'output', 'compactions'].map((name) => value[name]);
  if (typeof task !== 'string' || typeof strategy !== 'string' || !Number.isInteger(attempt) || !ended) return null;
  if (!counts.every((count) => typeof count === 'number' && count >= 0)) return null;
  const [requests = 0, input = 0, cached = 0, output = 0, compactions = 0] = counts as number[];
  const [cost, runs] = [readMoney(value.cost), readRuns(value.runs)];
  if (!runs) return null;
  return {
    task,
    strategy,
    attempt: Number(attempt),
    end: ended,
    requests,
    input,
    cached,
    output,
    cost,
    compactions,
    runs,
  };
}

function readEnd(value: unknown): TaskEnd | null {
  const { kind, by, detail } = isObject(value) ? value : {};
  if (kind === 'solved') return { kind };
  if (typeof detail !== 'string') return null;
  if (kind === 'error') return { kind, detail };
  const cause = FAILED_BY.find((each) => each === by);
  return kind === 'failed' && cause ? { kind, by: cause, detail } : null;
}

/** Its reasons are only shown. */
function readRuns(value: unknown): RunCounts | null {
  if (!isObject(value)) return null;
  const { due, own, others, warnings } = value;
  const isWhole =
    typeof due === 'number' && typeof own === 'number' && Array.isArray(others) && Array.isArray(warnings);
  return isWhole ? (value as unknown as RunCounts) : null;
}
