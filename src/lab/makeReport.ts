/** The lab's report: one row a strategy, as JSON and as a Markdown table. Rows are in the requested order. */

import {
  type Differences,
  type Figures,
  type Intervals,
  readDifferences,
  readFigures,
  readIntervals,
} from './readFigures.ts';
import type { SessionScore } from './sessionScore.ts';

interface StrategyRow extends Figures {
  readonly id: string;
  /** A caveat for the reader, such as that no model answered; empty without one. */
  readonly note: string;
  readonly interval: Intervals;
  /** Beside the first row, over the sessions that both replayed; null for the first row itself. */
  readonly difference: Differences | null;
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
  const replayed = setting.strategies.flatMap((id) => {
    const own = scores.filter((score) => score.strategy === id).sort((a, b) => (a.session < b.session ? -1 : 1));
    return own.length ? [{ id, own }] : [];
  });
  const strategies = replayed.map(({ id, own }, at) => {
    const first = at === 0 ? null : (replayed[0]?.own ?? null);
    const difference = first && readDifferences(own, first);
    return { id, note: makeNote(own), ...readFigures(own), interval: readIntervals(own), difference };
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
  { title: 'cost with refetch %', key: 'costWithRefetchPercent' },
  { title: 'edits %', key: 'editPercent' },
  { title: 'refetch/100, repaired', key: 'unrepairedPer100' },
  { title: 'cost with refetch %, repaired', key: 'costWithRepairPercent' },
  { title: 'edits %, repaired', key: 'repairedEditPercent' },
  { title: 'tail cost %', key: 'tailCostPercent' },
  { title: 'tail recall', key: 'tailRecall' },
  { title: 'peak', key: 'peak' },
  { title: 'invalid', key: 'invalid' },
];

/** The figures for which strategies are compared pair by pair. */
const COMPARED: readonly Column[] = COLUMNS.filter(({ key }) =>
  [
    'costPercent',
    'longRangeRecall',
    'wholeLine',
    'refetchPer100',
    'costWithRefetchPercent',
    'editPercent',
    'unrepairedPer100',
    'costWithRepairPercent',
    'repairedEditPercent',
  ].includes(key),
);

/** A Markdown table; under each recall and cost figure its 95 % interval. Then the differences to the first strategy. */
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
  return `${[...lines, ...paired(report), ...(notes.length ? ['', ...notes] : [])].join('\n')}\n`;
}

function paired({ strategies }: LabReport): string[] {
  const [first, ...others] = strategies;
  if (!first || others.length === 0) return [];
  return [
    '',
    `More or less than ${first.id}, with the 95 % interval over sessions drawn in pairs:`,
    '',
    `| strategy | ${COMPARED.map(({ title }) => title).join(' | ')} |`,
    `|---|${COMPARED.map(() => '---:').join('|')}|`,
    ...others.map((row) => `| ${row.id} | ${COMPARED.map(({ key }) => difference(row, key)).join(' | ')} |`),
  ];
}

function difference({ difference: by }: StrategyRow, key: keyof Figures): string {
  const [value, low, high] = (by?.[key] ?? []).map((each) => `${each > 0 ? '+' : ''}${figure(key, each)}`);
  if (value === undefined) return '–';
  return low === high ? value : `${value}<br>${low} to ${high}`;
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
