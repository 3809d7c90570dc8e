/**
 * The lab's report: one row a strategy, in the requested order, as JSON and as a Markdown table. Counts per session become
 * figures: ratios of tokens and steps are pooled over all sessions; shares are the mean over sessions with enough data.
 * Percentages run from 0 to 100.
 */

import { seededRandom } from '../core/seededRandom.ts';
import type { SessionScore, Share } from './sessionScore.ts';

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

/** A session with fewer anchors of a kind is excluded from their recall. */
const ENOUGH = 5;
const RESAMPLES = 1000;
const SEED = 20_260_101;

export interface Figures {
  readonly inputPercent: number;
  readonly hitPercent: number;
  readonly costPercent: number;
  /** Tokens of the largest request. */
  readonly peak: number;
  readonly rewritesPer100: number;
  /** Null where no session has enough anchors of the kind. */
  readonly longRangeRecall: number | null;
  readonly longRangeVerbatim: number | null;
  readonly wholeLine: number | null;
  readonly pair: number | null;
  readonly toolOnly: number | null;
  readonly allRecall: number | null;
  readonly pathRecall: number | null;
  readonly identifierRecall: number | null;
  readonly lineRecall: number | null;
  readonly userPercent: number | null;
  readonly filesPercent: number | null;
  readonly reachablePercent: number | null;
  readonly refetchPer100: number;
  /** Cost including reading every missing line again, as % of no compaction. */
  readonly costWithRefetchPercent: number;
  /** Edits of text from before the newest rewrite for which all lines are still there. */
  readonly editPercent: number | null;
  /** The same three where a missing text makes the agent's edit fail, and the refusal says what the hidden message said. */
  readonly unrepairedPer100: number;
  readonly costWithRepairPercent: number;
  readonly repairedEditPercent: number | null;
  /** Cost of the first steps after each rewrite, as % of those steps without compaction, and their recall. */
  readonly tailCostPercent: number | null;
  readonly tailRecall: number | null;
  readonly invalid: number;
}

/** Lower and upper bound, 95 %, from resampled sessions. */
export type Intervals = { readonly [K in keyof Figures]: readonly [number, number] | null };

/** Difference with its lower and upper bound, 95 %, from sessions resampled in pairs. */
export type Differences = { readonly [K in keyof Figures]: readonly [number, number, number] | null };

/** The counts of this type, by name. */
type KeysOf<T> = { [K in keyof SessionScore]: SessionScore[K] extends T ? K : never }[keyof SessionScore];

export function readFigures(scores: readonly SessionScore[]): Figures {
  const sum = (of: KeysOf<number>) => scores.reduce((total, score) => total + score[of], 0);
  const steps = sum('steps');
  const fullCost = sum('fullCost');
  const cost = sum('cost');
  const mean = (of: KeysOf<Share>, least = ENOUGH) => meanShare(scores, of, least);
  return {
    inputPercent: percent(sum('input'), sum('fullInput')) ?? 0,
    hitPercent: percent(sum('cached'), sum('input')) ?? 0,
    costPercent: percent(cost, fullCost) ?? 0,
    peak: Math.max(0, ...scores.map((score) => score.peak)),
    rewritesPer100: percent(sum('rewrites'), steps) ?? 0,
    longRangeRecall: mean('longRange'),
    longRangeVerbatim: mean('verbatim'),
    wholeLine: mean('wholeLine'),
    pair: mean('pair'),
    toolOnly: mean('toolOnly'),
    allRecall: mean('all'),
    pathRecall: mean('path'),
    identifierRecall: mean('identifier'),
    lineRecall: mean('line'),
    userPercent: mean('user', 1),
    filesPercent: mean('files', 1),
    reachablePercent: mean('reachable'),
    refetchPer100: percent(sum('refetches'), steps) ?? 0,
    costWithRefetchPercent: percent(cost + sum('refetchCost'), fullCost) ?? 0,
    editPercent: mean('edits'),
    unrepairedPer100: percent(sum('unrepaired'), steps) ?? 0,
    costWithRepairPercent: percent(cost + sum('repairCost'), fullCost) ?? 0,
    repairedEditPercent: mean('repairedEdits'),
    tailCostPercent: percent(sum('tailCost'), sum('tailFullCost')),
    tailRecall: mean('tail'),
    invalid: sum('invalid'),
  };
}

/** Bootstrap over sessions with a fixed seed: the same scores give the same bounds. */
export function readIntervals(scores: readonly SessionScore[]): Intervals {
  const random = seededRandom(SEED);
  const draws = Array.from({ length: RESAMPLES }, () =>
    readFigures(scores.flatMap(() => scores[Math.floor(random() * scores.length)] ?? [])),
  );
  const entries = figureKeys(readFigures(scores)).map((key) => [
    key,
    boundsOf(draws.flatMap((draw) => draw[key] ?? [])),
  ]);
  return Object.fromEntries(entries) as Intervals;
}

/**
 * The differences of one strategy to another, figure by figure, over the sessions that both replayed. Both are drawn
 * with the same sessions, so that hard and easy ones cancel out. Null where one has no figure.
 */
export function readDifferences(one: readonly SessionScore[], other: readonly SessionScore[]): Differences {
  const others = new Map(other.map((score) => [score.session, score]));
  const pairs = one.flatMap((score) => {
    const twin = others.get(score.session);
    return twin ? [{ score, twin }] : [];
  });
  const random = seededRandom(SEED);
  const drawn = Array.from({ length: RESAMPLES }, () =>
    subtract(pairs.flatMap(() => pairs[Math.floor(random() * pairs.length)] ?? [])),
  );
  const differences = subtract(pairs);
  const entries = figureKeys(differences).map((key) => {
    const difference = differences[key];
    const bounds = boundsOf(drawn.flatMap((draw) => draw[key] ?? []));
    return [key, difference === null || bounds === null ? null : [difference, ...bounds]];
  });
  return Object.fromEntries(entries) as Differences;
}

function subtract(
  pairs: readonly { readonly score: SessionScore; readonly twin: SessionScore }[],
): Record<keyof Figures, number | null> {
  const mine = readFigures(pairs.map(({ score }) => score));
  const theirs = readFigures(pairs.map(({ twin }) => twin));
  const entries = figureKeys(mine).map((key) => {
    const [a, b] = [mine[key], theirs[key]];
    return [key, a === null || b === null ? null : a - b];
  });
  return Object.fromEntries(entries) as Record<keyof Figures, number | null>;
}

const figureKeys = (figures: Record<keyof Figures, number | null>) => Object.keys(figures) as (keyof Figures)[];

/** The bounds between which 95 % of the values lie; null without values. */
function boundsOf(given: readonly number[]): readonly [number, number] | null {
  const values = given.toSorted((a, b) => a - b);
  const low = values[Math.floor(0.025 * values.length)];
  const high = values[Math.ceil(0.975 * values.length) - 1];
  return low === undefined || high === undefined ? null : [low, high];
}

function percent(part: number, whole: number): number | null {
  return whole === 0 ? null : (100 * part) / whole;
}

function meanShare(scores: readonly SessionScore[], of: KeysOf<Share>, least: number): number | null {
  const enough = scores.map((score) => score[of]).filter((share) => share.total >= least);
  const sum = enough.reduce((total, share) => total + share.kept / share.total, 0);
  return percent(sum, enough.length);
}
