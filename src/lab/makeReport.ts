/**
 * The lab's report: one row a strategy, as JSON and as a Markdown table, cheapest first with what has to be read again.
 * Invariant: no figure comes from a session in which a strategy was to compact and never did. Counts per session become
 * figures: ratios of tokens and steps are pooled over all sessions; shares are the mean over sessions with enough data.
 * Percentages run from 0 to 100.
 */

import { boundsOf, resample } from './bootstrap.ts';
import { describeIdle, describeTimes, type IdleStrategy, noteRuns } from './describeRuns.ts';
import type { BrokenReplay, LabScore } from './replay.ts';
import { hasRun, type RunCounts, sumRuns } from './runAccount.ts';
import type { SessionScore, Share } from './sessionScore.ts';

interface StrategyRow extends Figures {
  readonly id: string;
  /** A caveat for the reader, such as that no model answered; empty without one. */
  readonly note: string;
  /** Over all sessions; null for a yardstick. */
  readonly runs: RunCounts | null;
  readonly interval: Intervals;
  /** Beside the strategy named first, over the sessions that both replayed; null for that one itself. */
  readonly difference: Differences | null;
}

export interface LabReport {
  readonly window: number;
  readonly beforeFirstCompaction: boolean;
  /** Names of the sessions replayed. */
  readonly sessions: readonly string[];
  /** Sessions whose recording says when its messages were said, their requests, and of these those with a cold cache. */
  readonly timed: { readonly sessions: number; readonly steps: number; readonly cold: number };
  /** The row that the others are compared with: of those that have figures, the strategy named first. */
  readonly reference: string | null;
  /** Those with figures, by `costWithRereadsPercent`. */
  readonly strategies: readonly StrategyRow[];
  /** Those without. */
  readonly idle: readonly IdleStrategy[];
}

export interface LabSetting {
  readonly window: number;
  readonly beforeFirstCompaction: boolean;
  readonly strategies: readonly string[];
}

/** `scores` in any order; a strategy that nothing is known of is omitted. */
export function makeReport(
  setting: LabSetting,
  scores: readonly LabScore[],
  broken: readonly BrokenReplay[] = [],
): LabReport {
  const sessions = [...new Set(scores.map((score) => score.session))].sort();
  const replayed = setting.strategies.map((id) => {
    const all = scores.filter((score) => score.strategy === id).sort((a, b) => (a.session < b.session ? -1 : 1));
    // Sessions in which it was not needed say nothing of one that never compacted where it was.
    const ran = hasRun(runsOf(all) ?? NO_RUNS);
    const own = ran ? all.filter(({ runs }) => !runs || hasRun(runs)) : [];
    return { id, all, own, broken: broken.filter(({ strategy }) => strategy === id) };
  });
  const shown = replayed.filter(({ own }) => own.length > 0);
  const first = shown[0];
  const rows = shown.map(({ id, all, own, broken: ended }): StrategyRow => {
    const difference = first && first.id !== id ? readDifferences(own, first.own) : null;
    const runs = runsOf(all);
    const note = makeNote(all, own.length, ended);
    return { id, note, runs, ...readFigures(own), interval: readIntervals(own), difference };
  });
  return {
    window: setting.window,
    beforeFirstCompaction: setting.beforeFirstCompaction,
    sessions,
    timed: countTimed(scores),
    reference: first?.id ?? null,
    strategies: rows.sort((a, b) => a[HEADLINE] - b[HEADLINE]),
    idle: replayed.flatMap(({ id, all, own, broken: ended }) => {
      if (own.length > 0 || all.length + ended.length === 0) return [];
      return [{ id, runs: runsOf(all) ?? NO_RUNS, broken: distinct(ended.map(({ reason }) => reason)) }];
    }),
  };
}

/** Each session counts once, as its longest replay has it. */
function countTimed(scores: readonly SessionScore[]): LabReport['timed'] {
  const longest = new Map<string, SessionScore>();
  for (const score of scores)
    if (score.isTimed && score.steps > (longest.get(score.session)?.steps ?? -1)) longest.set(score.session, score);
  const timed = [...longest.values()];
  return {
    sessions: timed.length,
    steps: timed.reduce((total, { steps }) => total + steps, 0),
    cold: timed.reduce((total, { coldSteps }) => total + coldSteps, 0),
  };
}

/** The figure that strategies are ranked by. */
export const HEADLINE = 'costWithRereadsPercent';

const NO_RUNS: RunCounts = { due: 0, own: 0, others: [], warnings: [] };

function runsOf(scores: readonly SessionScore[]): RunCounts | null {
  const counts = scores.flatMap(({ runs }) => runs ?? []);
  return counts.length > 0 ? sumRuns(counts) : null;
}

/** Of one strategy: how many summaries models wrote, and how often none answered. */
export function noteModels(all: readonly SessionScore[]): string[] {
  const sum = (of: (score: SessionScore) => number) => all.reduce((total, score) => total + of(score), 0);
  const answers = sum((score) => score.model.answered);
  const refusals = sum((score) => score.model.refused);
  const models = [...new Set(all.flatMap((score) => (score.model.answered ? [score.model.name] : [])))].join(' and ');
  return [
    ...(answers > 0 ? [`${answers} ${answers === 1 ? 'summary' : 'summaries'}: ${models}`] : []),
    ...(refusals > 0 ? [`no model answered ${refusals === 1 ? 'once' : `${refusals} times`}`] : []),
  ];
}

function makeNote(all: readonly SessionScore[], counted: number, broken: readonly BrokenReplay[]): string {
  const notes = noteModels(all);
  const runs = runsOf(all);
  if (runs) notes.push(...noteRuns(runs));
  const idle = all.length - counted;
  if (idle > 0) notes.push(`in ${idle} of ${all.length} sessions no run was its own, so they are not in its figures`);
  for (const reason of distinct(broken.map((each) => `${each.session}: ${each.reason}`)))
    notes.push(`could not be replayed on ${reason}`);
  return notes.join('; ');
}

const MOST_REASONS = 5;

/** The most frequent first. */
function distinct(reasons: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST_REASONS)
    .map(([reason]) => reason);
}

interface Column {
  readonly title: string;
  readonly key: keyof Figures;
}

const COLUMNS: readonly Column[] = [
  { title: 'cost with rereads %', key: HEADLINE },
  { title: 'cost %', key: 'costPercent' },
  { title: 'input %', key: 'inputPercent' },
  { title: 'hit %', key: 'hitPercent' },
  { title: 'compactions', key: 'compactions' },
  { title: 'paid %', key: 'paidPercent' },
  { title: 'gap', key: 'gap' },
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
  { title: 'missing lines/100', key: 'missingLinesPer100' },
  { title: 'rereads/100', key: 'rereadsPer100' },
  { title: 'first rereads/100', key: 'firstRereadsPer100' },
  { title: 'edits %', key: 'editPercent' },
  { title: 'rereads/100, repaired', key: 'unrepairedPer100' },
  { title: 'cost with rereads %, repaired', key: 'costWithRepairPercent' },
  { title: 'edits %, repaired', key: 'repairedEditPercent' },
  { title: 'tail cost %', key: 'tailCostPercent' },
  { title: 'tail recall', key: 'tailRecall' },
  { title: 'peak', key: 'peak' },
  { title: 'invalid', key: 'invalid' },
];

/** The figures for which strategies are compared pair by pair. */
const COMPARED: readonly Column[] = COLUMNS.filter(({ key }) =>
  [
    HEADLINE,
    'costPercent',
    'longRangeRecall',
    'wholeLine',
    'rereadsPer100',
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
    `Window ${report.window}, ${report.sessions.length} sessions${scope}. Below each figure its 95% interval over sessions. ${describeTimes(report)}`,
    '',
    `| strategy | ${COLUMNS.map((column) => column.title).join(' | ')} |`,
    `|---|${COLUMNS.map(() => '---:').join('|')}|`,
    ...report.strategies.map((row) => `| ${row.id} | ${COLUMNS.map(({ key }) => cell(row, key)).join(' | ')} |`),
  ];
  const notes = report.strategies.flatMap((row) => (row.note ? [`- ${row.id}: ${row.note}`] : []));
  const idle = report.idle.map((each) => `- ${describeIdle(each)}`);
  return `${[...lines, ...paired(report), ...(notes.length ? ['', ...notes] : []), ...(idle.length ? ['', 'Without figures:', '', ...idle] : [])].join('\n')}\n`;
}

function paired({ strategies, reference }: LabReport): string[] {
  const others = strategies.filter(({ id }) => id !== reference);
  if (others.length === 0) return [];
  return [
    '',
    `More or less than ${reference}, with the 95% interval over sessions drawn in pairs:`,
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
  return isCount(key) ? String(value) : value.toFixed(1);
}

/** Shown without decimals. */
export const isCount = (key: keyof Figures): boolean => key === 'peak' || key === 'invalid' || key === 'compactions';

/** A session with fewer anchors of a kind is excluded from their recall. */
const ENOUGH = 5;

export interface Figures {
  /** Cost including reading again what a step lacks, as % of no compaction. */
  readonly costWithRereadsPercent: number;
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
  readonly compactions: number;
  /** Of the compactions, those that saved more than they cost before the next one, or before the session's end. */
  readonly paidPercent: number | null;
  /** Mean number of requests from a compaction to the next one. */
  readonly gap: number | null;
  readonly missingLinesPer100: number;
  /** A message is read again once at each step that lacks lines of it. */
  readonly rereadsPer100: number;
  /** And once between two rewrites, if what was read stays until then. */
  readonly firstRereadsPer100: number;
  /** Edits of text from before the newest rewrite for which all lines are still there. */
  readonly editPercent: number | null;
  /** Rereads, their cost, and edits, where a missing text makes the agent's edit fail, and the refusal says what the hidden message said. */
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
  const compactions = scores.reduce((total, score) => total + score.paid.total, 0);
  const gaps = scores.reduce((total, score) => total + score.gaps.count, 0);
  return {
    costWithRereadsPercent: percent(cost + sum('rereadCost'), fullCost) ?? 0,
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
    compactions,
    paidPercent: percent(
      scores.reduce((total, score) => total + score.paid.kept, 0),
      compactions,
    ),
    gap: gaps === 0 ? null : scores.reduce((total, score) => total + score.gaps.steps, 0) / gaps,
    missingLinesPer100: percent(sum('missingLines'), steps) ?? 0,
    rereadsPer100: percent(sum('rereads'), steps) ?? 0,
    firstRereadsPer100: percent(sum('firstRereads'), steps) ?? 0,
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
  const draws = resample(scores, readFigures);
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
  const drawn = resample(pairs, subtract);
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

function percent(part: number, whole: number): number | null {
  return whole === 0 ? null : (100 * part) / whole;
}

function meanShare(scores: readonly SessionScore[], of: KeysOf<Share>, least: number): number | null {
  const enough = scores.map((score) => score[of]).filter((share) => share.total >= least);
  const sum = enough.reduce((total, share) => total + share.kept / share.total, 0);
  return percent(sum, enough.length);
}
