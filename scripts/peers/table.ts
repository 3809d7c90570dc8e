/** The figures of runs as a table in Markdown. Invariant: a run that did not get through has a row of words, never a figure. */

import type { RunResult } from './runSession.ts';
import { SUMMARY_KINDS, type SummaryKind } from './summary.ts';

export interface Run {
  /** The agent, with its version where it was installed. */
  readonly title: string;
  readonly window: number;
  readonly summaries: SummaryKind;
  readonly result: RunResult;
}

/** One row for each agent; where it ran more than once, the smallest and the largest figure. */
export function tableOf(runs: readonly Run[]): string {
  const columns = ['agent', ...FIGURES.map(({ name }) => name)];
  const rows = [...Map.groupBy(runs, ({ title }) => title)].flatMap(([title, its]) => rowsOf(title, its));
  return [
    `| ${columns.join(' | ')} |`,
    `|---|${FIGURES.map(() => '---:').join('|')}|`,
    ...rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`),
  ].join('\n');
}

function rowsOf(title: string, runs: readonly Run[]): string[][] {
  const done = runs.filter(({ result }) => result.fault === null);
  const failed = runs.filter(({ result }) => result.fault !== null);
  const figures = done.length === 0 ? [] : [[title, ...FIGURES.map(({ of }) => of(done))]];
  const reasons = failed.map(({ summaries, result }) => [
    `${title}, summary ${summaries}: ${result.fault?.replaceAll(/\s+/g, ' ')}`,
    ...FIGURES.map(() => NOT_MEASURED),
  ]);
  return [...figures, ...reasons];
}

const NOT_MEASURED = '–';

interface Figure {
  readonly name: string;
  readonly of: (runs: readonly Run[]) => string;
}

/** The range of one number over all runs. */
const ranged = (name: string, measure: (run: Run) => number | null, digits = 0): Figure => ({
  name,
  of: (runs) => rangeOf(runs.map(measure), digits),
});

function rangeOf(values: readonly (number | null)[], digits: number): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return NOT_MEASURED;
  const format = (value: number) =>
    value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return [...new Set([Math.min(...known), Math.max(...known)].map(format))].join('–');
}

/** Share of a cached token's price in that of another one. */
const CACHED_PRICE = 0.1;

/** A compaction takes at least this share of the window out of the request; an agent's own reminders are smaller. */
const LEAST_GONE = 0.02;

const sum = (run: Run, measure: (record: RunResult['records'][number]) => number): number =>
  run.result.records.filter(({ kind }) => kind !== 'refused').reduce((total, record) => total + measure(record), 0);

export const tokensOf = (run: Run): number => sum(run, ({ tokens }) => tokens);
export const costOf = (run: Run): number => sum(run, ({ tokens, cached }) => tokens - (1 - CACHED_PRICE) * cached);
export const compactionsOf = (run: Run): number =>
  run.result.records.filter(({ gone }) => gone >= LEAST_GONE * run.window).length;

/** Of the last request to go on with the work. */
export function factsOf({ result }: Run): number {
  const last = result.records.findLast(({ kind }) => kind === 'step' || kind === 'end of part');
  return last?.facts.length ?? 0;
}

/** The facts after summaries of one kind. */
const facts: Figure = {
  name: `facts ${SUMMARY_KINDS.join(' / ')}`,
  of: (runs) =>
    SUMMARY_KINDS.map((kind) => rangeOf(runs.filter(({ summaries }) => summaries === kind).map(factsOf), 0)).join(
      ' / ',
    ),
};

const FIGURES: readonly Figure[] = [
  ranged('requests', ({ result }) => result.records.length),
  ranged('sent, M', (run) => tokensOf(run) / 1e6, 2),
  ranged('cached, %', (run) => (100 * sum(run, ({ cached }) => cached)) / tokensOf(run)),
  ranged('cost, k', (run) => costOf(run) / 1e3),
  ranged('compactions', compactionsOf),
  facts,
  ranged('CPU, s', ({ result }) => result.usage?.cpuSeconds ?? null),
  ranged('memory, MB', ({ result }) => result.usage && result.usage.memory / 2 ** 20),
];
