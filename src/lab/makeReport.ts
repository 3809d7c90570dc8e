/** The lab's report: one row a strategy, as JSON and as a readable table. Rows are in the requested order. */

import { type Figures, type Intervals, readFigures, readIntervals } from './readFigures.ts';
import type { SessionScore } from './sessionScore.ts';

interface StrategyRow extends Figures {
  readonly id: string;
  /** A caveat for the reader, such as that no model answered; empty without one. */
  readonly note: string;
  readonly interval: Intervals;
}

export interface LabReport {
  readonly window: number;
  readonly beforeFirstCompaction: boolean;
  /** Names of the sessions replayed. */
  readonly sessions: readonly string[];
  readonly strategies: readonly StrategyRow[];
}

export interface LabSetting {
  readonly window: number;
  readonly beforeFirstCompaction: boolean;
  readonly strategies: readonly string[];
}

/** `scores` in any order; a strategy without a score is omitted. */
export function makeReport(
  setting: LabSetting,
  scores: readonly (SessionScore & { readonly strategy: string })[],
): LabReport {
  const sessions = [...new Set(scores.map((score) => score.session))].sort();
  const strategies = setting.strategies.flatMap((id) => {
    const own = scores.filter((score) => score.strategy === id).sort((a, b) => (a.session < b.session ? -1 : 1));
    return own.length ? [{ id, note: makeNote(own), ...readFigures(own), interval: readIntervals(own) }] : [];
  });
  return { window: setting.window, beforeFirstCompaction: setting.beforeFirstCompaction, sessions, strategies };
}

function makeNote(scores: readonly SessionScore[]): string {
  const sum = (of: (score: SessionScore) => number) => scores.reduce((total, score) => total + of(score), 0);
  const answers = sum((score) => score.model.answered);
  const refusals = sum((score) => score.model.refused);
  const failures = sum((score) => score.failures);
  const models = [...new Set(scores.flatMap((score) => (score.model.answered ? [score.model.name] : [])))].join(
    ' and ',
  );
  const notes: string[] = [];
  if (answers > 0) notes.push(`${answers} summaries: ${models}`);
  if (refusals > 0) notes.push(`deterministic part only where no model answered (${refusals} times asked)`);
  if (failures > 0) notes.push(`${failures} compactions failed`);
  return notes.join('; ');
}

interface Column {
  readonly title: string;
  readonly key: keyof Figures;
}

const COLUMNS: readonly Column[] = [
  { title: 'input %', key: 'inputPercent' },
  { title: 'hit %', key: 'hitPercent' },
  { title: 'cost %', key: 'costPercent' },
  { title: 'rewrites/100', key: 'rewritesPer100' },
  { title: 'LR recall', key: 'longRangeRecall' },
  { title: 'LR verbatim', key: 'longRangeVerbatim' },
  { title: 'whole line', key: 'wholeLine' },
  { title: 'pair', key: 'pair' },
  { title: 'tool-only', key: 'toolOnly' },
  { title: 'all', key: 'allRecall' },
  { title: 'user %', key: 'userPercent' },
  { title: 'files %', key: 'filesPercent' },
  { title: 'reachable %', key: 'reachablePercent' },
  { title: 'refetch/100', key: 'refetchPer100' },
  { title: 'peak', key: 'peak' },
  { title: 'invalid', key: 'invalid' },
];

/** A Markdown table; under each recall and cost figure its 95 % interval. */
export function renderMarkdown(report: LabReport): string {
  const scope = report.beforeFirstCompaction ? ', steps before the first recorded compaction' : '';
  const lines = [
    `Window ${report.window}, ${report.sessions.length} sessions${scope}. Below each figure its 95 % interval over sessions.`,
    '',
    `| strategy | ${COLUMNS.map((column) => column.title).join(' | ')} |`,
    `|---|${COLUMNS.map(() => '---:').join('|')}|`,
    ...report.strategies.map((row) => `| ${row.id} | ${COLUMNS.map(({ key }) => cell(row, key)).join(' | ')} |`),
  ];
  const notes = report.strategies.flatMap((row) => (row.note ? [`- ${row.id}: ${row.note}`] : []));
  return `${[...lines, ...(notes.length ? ['', ...notes] : [])].join('\n')}\n`;
}

/** The same figures without intervals, in columns for a terminal. */
export function renderText(report: LabReport): string {
  const rows = [
    ['strategy', ...COLUMNS.map((column) => column.title)],
    ...report.strategies.map((row) => [row.id, ...COLUMNS.map(({ key }) => figure(key, row[key]))]),
  ];
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0))) ?? [];
  const lines = rows.map((row) =>
    row.map((text, i) => (i === 0 ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0))).join('  '),
  );
  const notes = report.strategies.flatMap((row) => (row.note ? [`${row.id}: ${row.note}`] : []));
  return `${[...lines, ...notes].join('\n')}\n`;
}

function cell(row: StrategyRow, key: keyof Figures): string {
  const text = figure(key, row[key]);
  const [low, high] = (row.interval[key] ?? []).map((bound) => figure(key, bound));
  return low === high ? text : `${text}<br>${low}–${high}`;
}

function figure(key: keyof Figures, value: number | null): string {
  if (value === null) return '–';
  return key === 'peak' || key === 'invalid' ? String(value) : value.toFixed(1);
}
