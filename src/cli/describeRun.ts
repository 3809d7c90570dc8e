/** The figures of a run as a page: to print, and to write as HTML. Pure. */

import { describeIdle, describeTimes } from '../lab/describeRuns.ts';
import {
  type Differences,
  type Figures,
  HEADLINE,
  type Intervals,
  isCount,
  type LabReport,
  makeReport,
} from '../lab/makeReport.ts';
import type { BrokenReplay, LabScore } from '../lab/replay.ts';
import { column, list, right, section, table, text } from '../node/pages/blocks.ts';
import type { Page, PageBlock } from '../protocol/pages.ts';

export interface Run {
  readonly strategies: readonly string[];
  readonly window: number;
  readonly beforeFirstCompaction: boolean;
  readonly scores: readonly LabScore[];
  /** Sessions that could not be replayed under a strategy. */
  readonly broken: readonly BrokenReplay[];
  /** Sessions that could not be read, each with the reason. */
  readonly leftOut: readonly string[];
}

interface Shown {
  readonly title: string;
  readonly key: keyof Figures;
  readonly meaning: string;
}

const SHOWN: readonly Shown[] = [
  {
    title: 'with rereads %',
    key: HEADLINE,
    meaning:
      'the cost, with reading again what a step needed and its request lacked: less is better, and rows are in its order',
  },
  {
    title: 'cost %',
    key: 'costPercent',
    meaning: 'what all requests would have cost, cached tokens at a tenth, as a share of the cost without compaction',
  },
  {
    title: 'recall %',
    key: 'longRangeRecall',
    meaning:
      'how many of the paths, names and lines that the agent used, last seen at least 8,000 tokens before, were still in the request',
  },
  {
    title: 'whole line %',
    key: 'wholeLine',
    meaning: 'the same, but only where at least the whole original line was there, and not a name in a list',
  },
  {
    title: 'rereads/100',
    key: 'rereadsPer100',
    meaning: 'messages that had to be read again in 100 steps, because lines of them to be edited were missing',
  },
  { title: 'compactions', key: 'compactions', meaning: 'requests that were rewritten and became smaller' },
  {
    title: 'paid %',
    key: 'paidPercent',
    meaning: 'of these, those that saved more than they cost before the next one, or before the session’s end',
  },
  { title: 'gap', key: 'gap', meaning: 'requests from a compaction to the next one, on average' },
  { title: 'yours %', key: 'userPercent', meaning: 'how much of what the person wrote was still there word for word' },
  {
    title: 'invalid',
    key: 'invalid',
    meaning: 'requests that a provider would refuse, because calls and results did not match: must be 0',
  },
];

/** With fewer sessions an interval says nothing. */
const ENOUGH_SESSIONS = 8;

const SHOWS_INTERVAL: ReadonlySet<keyof Figures> = new Set([HEADLINE, 'costPercent', 'longRangeRecall', 'wholeLine']);

export function describeRun(run: Run): Page {
  const { scores, window, leftOut } = run;
  const report = makeReport(run, scores, run.broken);
  const sessions = report.sessions.length;
  const scope = run.beforeFirstCompaction ? ', steps before the first recorded compaction' : '';
  return {
    title: 'Compaction strategies compared',
    subtitle: `${count(sessions, 'session')}, window ${window.toLocaleString('en')} tokens${scope}`,
    blocks: [
      ...(sessions < ENOUGH_SESSIONS
        ? [
            text(
              `With only ${count(sessions, 'session')} the figures say little about other work. Compare on ${ENOUGH_SESSIONS} or more.`,
              'warning' as const,
            ),
          ]
        : []),
      table(
        'Figures of each strategy',
        [column('strategy'), ...SHOWN.map(({ title }) => right(title))],
        report.strategies.map((row) => [row.id, ...SHOWN.map(({ key }) => cellOf(row, row.interval, key))]),
      ),
      text(describeTimes(report), 'quiet' as const),
      list(compareAll(report)),
      ...notes(report.strategies),
      ...(report.idle.length > 0 ? [section('Without figures', [list(report.idle.map(describeIdle))])] : []),
      section('How to read it', [
        list([
          ...SHOWN.map(({ title, meaning }) => `${title}: ${meaning}.`),
          'In brackets: the range that 95 of 100 other samples of sessions would give.',
          'Something in the context need not be used: whether a task is solved cannot be measured this way.',
        ]),
      ]),
      ...(leftOut.length > 0 ? [section(`Left out: ${leftOut.length}`, [list(leftOut)])] : []),
    ],
  };
}

/** One line for each strategy but the one named first. */
function compareAll({ strategies, reference, sessions }: LabReport): string[] {
  const others = strategies.filter(({ id }) => id !== reference);
  return others.map(({ id, difference }) => {
    const [cost, recall] = [difference?.[HEADLINE] ?? null, difference?.longRangeRecall ?? null];
    const summary = `${id} against ${reference}: ${describe('cost with rereads', cost)}, ${describe('recall', recall)}.`;
    return `${summary} ${judge(sessions.length, { cost: isClear(cost), recall: isClear(recall) })}`;
  });
}

function judge(sessions: number, clear: Readonly<Record<'cost' | 'recall', boolean>>): string {
  if (sessions < ENOUGH_SESSIONS) return `${count(sessions, 'session')} cannot show whether that means anything.`;
  if (clear.cost && clear.recall) return 'Both differences mean something.';
  if (!clear.cost && !clear.recall) return 'No difference means anything: it can all be chance.';
  return `Only the difference in ${clear.cost ? 'cost' : 'recall'} means something; the other can be chance.`;
}

type Difference = Differences[keyof Figures];

/** True when chance alone would hardly give it. */
const isClear = (difference: Difference) => difference !== null && (difference[1] > 0 || difference[2] < 0);

function describe(what: string, difference: Difference): string {
  if (!difference) return `${what} unknown`;
  const [points, low, high] = difference;
  return `${what} ${signed(points)} points (${signed(low)} to ${signed(high)})`;
}

const signed = (points: number) => `${points < 0 ? '−' : '+'}${Math.abs(points).toFixed(1)}`;

function notes(rows: readonly { readonly id: string; readonly note: string }[]): PageBlock[] {
  const lines = rows.flatMap(({ id, note }) => (note ? [`${id}: ${note}`] : []));
  return lines.length > 0 ? [list(lines)] : [];
}

function cellOf(figures: Figures, intervals: Intervals, key: keyof Figures): string {
  const value = figures[key];
  if (value === null) return '–';
  if (isCount(key)) return String(value);
  const interval = SHOWS_INTERVAL.has(key) ? intervals[key] : null;
  return interval && interval[0] !== interval[1]
    ? `${value.toFixed(1)} (${interval.map((bound) => bound.toFixed(1)).join('–')})`
    : value.toFixed(1);
}

const count = (number: number, noun: string) => `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
