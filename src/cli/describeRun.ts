/** The figures of a run as a page: to print, and to write as HTML. It has the blocks of the lab's page in the editor. Pure. */

import { formatCount } from '../core/figures.ts';
import { inEnglish, type Translate, words } from '../core/words.ts';
import { PLAIN_STRATEGIES } from '../lab/baselines/baselines.ts';
import { type Differences, HEADLINE, type LabReport, makeReport, noteModels } from '../lab/makeReport.ts';
import type { BrokenReplay, LabScore } from '../lab/replay.ts';
import { describeFigures, describeRuns, type ReportFacts, readings } from '../node/lab/describeReport.ts';
import { describeVerdict, isTelling } from '../node/lab/verdict.ts';
import { list, section, text } from '../node/pages/blocks.ts';
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

/** With fewer sessions an interval says nothing. */
const ENOUGH_SESSIONS = 8;

/** The program speaks English. */
const t: Translate = (text, ...values) => inEnglish(words(text, ...values));

export function describeRun(run: Run): Page {
  const { scores, broken, window, leftOut } = run;
  const report = makeReport(run, scores, broken);
  const sessions = report.sessions.length;
  const scope = run.beforeFirstCompaction ? ', steps before the first recorded compaction' : '';
  const isYardstick = (id: string) => PLAIN_STRATEGIES.includes(id);
  // A person names strategies by their ids here.
  const facts = { report, scores, broken, labelOf: (id: string) => id, isYardstick };
  return {
    title: 'Compaction strategies compared',
    subtitle: `${count(sessions, 'session')}, window ${formatCount(window)} tokens${scope}`,
    blocks: [
      text(describeVerdict(facts, t)),
      ...(isTelling(facts) ? describeResults(facts) : describeRuns(facts, t)),
      ...(leftOut.length > 0 ? [section(`Left out: ${leftOut.length}`, [list(leftOut)])] : []),
    ],
  };
}

function describeResults(facts: ReportFacts): PageBlock[] {
  const { report, scores } = facts;
  const sessions = report.sessions.length;
  const few = `With only ${count(sessions, 'session')} the figures say little about other work. Compare on ${ENOUGH_SESSIONS} or more.`;
  return [
    ...(sessions < ENOUGH_SESSIONS ? [text(few, 'warning')] : []),
    describeFigures(facts, t),
    list(compareAll(report)),
    ...describeModels(report, scores),
    section('How to read the figures', [list(readings(t))]),
  ];
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

type Difference = Differences[keyof Differences];

/** True when chance alone would hardly give it. */
const isClear = (difference: Difference) => difference !== null && (difference[1] > 0 || difference[2] < 0);

function describe(what: string, difference: Difference): string {
  if (!difference) return `${what} unknown`;
  const [points, low, high] = difference;
  return `${what} ${signed(points)} points (${signed(low)} to ${signed(high)})`;
}

const signed = (points: number) => `${points < 0 ? '−' : '+'}${Math.abs(points).toFixed(1)}`;

/** The models that wrote summaries. How the runs ended is among the figures. */
function describeModels({ strategies }: LabReport, scores: readonly LabScore[]): PageBlock[] {
  const lines = strategies.flatMap(({ id }) => {
    const notes = noteModels(scores.filter(({ strategy }) => strategy === id));
    return notes.length > 0 ? [`${id}: ${notes.join('; ')}`] : [];
  });
  return lines.length > 0 ? [list(lines)] : [];
}

const count = (number: number, noun: string) => `${formatCount(number)} ${noun}${number === 1 ? '' : 's'}`;
