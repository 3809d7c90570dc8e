/**
 * Decides which of a provider's counts can be true, from what was sent in their requests. Pure. Invariant: whatever is
 * reported, a believed count lies between the least and the most that its request can have had.
 */

import { HIGHEST_FACTOR, LOWEST_FACTOR } from './calibrate.ts';

/** One report, with what its request held by our own estimate; in tokens, uncalibrated. */
export interface JudgedReport {
  /** As reported, for the whole request. */
  readonly input: number;
  /** As reported, for the answer without its reasoning. */
  readonly output?: number;
  /** The answer, by our own estimate; left out where it is unknown. */
  readonly answer?: number;
  /** Instructions and tools; null where they are unknown, as in an import. */
  readonly header: number | null;
  /** The part of `header` that not every server counts. */
  readonly tools: number;
  /** All messages, without the answer. */
  readonly messages: number;
  /** Most tokens that may have been counted beyond the estimate: images, reasoning that only a provider can read. */
  readonly unseen?: number;
  /** Most tokens of the estimate that a server may leave out: images, reasoning of earlier steps. */
  readonly leaves?: number;
}

export interface JudgedBy {
  /** 0 when unknown. */
  readonly window: number;
  /** Reported tokens per estimated token. */
  readonly factor: number;
  /** The factor was learnt from reports. */
  readonly learnt: boolean;
}

export type ReportDoubt =
  /** More than the window of a request that was answered, and more than the estimate accounts for. */
  | { readonly why: 'aboveWindow'; readonly window: number }
  | { readonly why: 'tooMuch' }
  | { readonly why: 'tooLittle' }
  /** More, less or no more than before, although about `added` tokens (calibrated) were added. */
  | { readonly why: 'grew' | 'shrank' | 'standsStill'; readonly by: number; readonly added: number };

/** True where more was reported than was sent: what it would cost is not believed, either. */
export function isExcess({ why }: ReportDoubt): boolean {
  return why === 'aboveWindow' || why === 'tooMuch' || why === 'grew';
}

export interface JudgedReports {
  /** Index of the newest report that is believed; -1 without one. */
  readonly believed: number;
  /** One for each report; null for one that was believed when it came. */
  readonly doubts: readonly (ReportDoubt | null)[];
}

/** Instructions that a server adds: its own system prompt, the declaration of its own tools. In tokens. */
const PREAMBLE = 10_000;

/** Instructions and declarations are estimated more closely than results. */
const HEADER_MOST = 2;

/** Tolerance around a learnt factor. */
const LEARNT = { least: 0.6, most: 1.6 };

/** The share of a count by which the next one may differ: a router may send it to another server. */
const ROUTED = { least: 0.2, most: 0.35 };

/** The same for counts that contradict earlier ones, or the window. */
const STEADY = { least: 0.15, most: 0.15 };

/** The difference within which two reports are one count. */
const SAME = 2;

/** Servers frame messages differently. */
const FRAMING = 64;

/** Added tokens by which a true count must have grown. */
const TELLING = 200;

/** Number of reports that agree with each other and not with an earlier one, before they are believed instead. */
const AGREEING = { inWindow: 2, aboveWindow: 3 };

/** The difference in the logarithm by which one count is nearer to its estimate than another. */
const NEARER = 0.2;

/** Oldest first, all of one model, with nothing removed between them. */
export function judgeReports(reports: readonly JudgedReport[], by: JudgedBy): JudgedReports {
  const doubts: (ReportDoubt | null)[] = [];
  const tooLong: ReportDoubt = { why: 'aboveWindow', window: by.window };
  let believed = -1;
  /** Number of reports in a row that agree with the believed one. */
  let agreed = 0;
  /** The newest of those that agree with each other alone, and their number. */
  let other: { readonly at: number; readonly agreed: number } | null = null;
  /** A report that came again unchanged, although nothing had confirmed it before. */
  let still: JudgedReport | null = null;
  const believe = (at: number, count: number) => {
    [believed, agreed, other] = [at, count, null];
    return null;
  };
  const judge = (report: JudgedReport, at: number): ReportDoubt | null => {
    if (isTooLittle(report, by)) return { why: 'tooLittle' };
    if (isAnswerTooLong(report, by)) return tooLong;
    const above = by.window > 0 && report.input > by.window;
    if (isTooMuch(report)) return above ? tooLong : { why: 'tooMuch' };
    if (still && isSame(still, report)) return compare(still, report, by, STEADY);
    const before = reports[believed];
    if (!before && (!above || isNearEstimate(report, by))) return believe(at, 1);
    const doubt = before ? compare(before, report, by, above ? STEADY : ROUTED) : tooLong;
    // A count that stays the same is the older one: what was added since then is not in it.
    if (before && !doubt) return isSame(before, report) ? null : believe(at, agreed + 1);
    if (before && agreed === 1 && doubt?.why === 'standsStill') [still, believed] = [before, -1];
    if (before && agreed === 1 && isNearer(report, before, by)) return believe(at, 1);
    const last = other && reports[other.at];
    const agrees = last && !isSame(last, report) && !compare(last, report, by, STEADY);
    // That fewer tokens were counted than before is only shown by a count that grows with what is added.
    const isTelling = !before || report.input > before.input || !last || addedBetween(last, report) >= TELLING;
    other = { at, agreed: agrees ? (other?.agreed ?? 0) + (isTelling ? 1 : 0) : 1 };
    return other.agreed >= (above ? AGREEING.aboveWindow : AGREEING.inWindow) ? believe(at, other.agreed) : doubt;
  };
  for (const [at, report] of reports.entries()) doubts.push(judge(report, at));
  return { believed, doubts };
}

/** The most that a request can have had, by its estimate alone. */
export function mostOf({ header, messages }: Omit<JudgedReport, 'input'>, unseen: number): number {
  if (header === null) return Number.MAX_SAFE_INTEGER;
  return header * HEADER_MOST + messages * HIGHEST_FACTOR + PREAMBLE + unseen;
}

/** The least that a request must have had, by its estimate alone. */
export function leastOf(
  { header, tools, messages }: Omit<JudgedReport, 'input'>,
  { factor, learnt }: Omit<JudgedBy, 'window'>,
  leaves: number,
): number {
  const share = learnt ? Math.min(LOWEST_FACTOR, factor * LEARNT.least) : LOWEST_FACTOR;
  return Math.max(1, ((header ?? tools) - tools + messages - leaves) * share - FRAMING);
}

/** Tokens that no estimate shows are summed up only where they decide: that reads the messages. No comparison holds for NaN. */
const isTooLittle = (report: JudgedReport, by: JudgedBy) =>
  !(report.input >= leastOf(report, by, 0)) && !(report.input >= leastOf(report, by, report.leaves ?? 0));

const isTooMuch = (report: JudgedReport) =>
  !(report.input <= mostOf(report, 0)) && !(report.input <= mostOf(report, report.unseen ?? 0));

/** Reasoning that is not named may be longer than the answer, but not than the window. */
const isAnswerTooLong = ({ output = 0, answer }: JudgedReport, { window }: JudgedBy) =>
  window > 0 && answer !== undefined && output > Math.max(window, answer * HIGHEST_FACTOR + FRAMING);

const estimateOf = ({ header, messages }: JudgedReport, { factor }: JudgedBy) => ((header ?? 0) + messages) * factor;

const isNearEstimate = (report: JudgedReport, by: JudgedBy) =>
  report.input <= estimateOf(report, by) * LEARNT.most + FRAMING;

const addedBetween = (before: JudgedReport, report: JudgedReport) => report.messages - before.messages;

const isSame = (before: JudgedReport, report: JudgedReport) => Math.abs(report.input - before.input) <= SAME;

/** Null where the later report may follow from the earlier one. */
function compare(
  before: JudgedReport,
  report: JudgedReport,
  { factor }: JudgedBy,
  room: { readonly least: number; readonly most: number },
): ReportDoubt | null {
  const by = report.input - before.input;
  const estimated = addedBetween(before, report);
  const added = Math.round(estimated * factor);
  if (isSame(before, report)) return estimated >= TELLING ? { why: 'standsStill', by, added } : null;
  const most = estimated * HIGHEST_FACTOR + before.input * room.most + FRAMING;
  if (by > most && by > most + (report.unseen ?? 0)) return { why: 'grew', by, added };
  const least = estimated * LOWEST_FACTOR - before.input * room.least - FRAMING;
  return by < least && by < least - (before.leaves ?? 0) ? { why: 'shrank', by: -by, added } : null;
}

/** True when the estimates speak for a report that contradicts the only one before it. */
function isNearer(report: JudgedReport, before: JudgedReport, by: JudgedBy): boolean {
  if (report.header === null || isSame(before, report)) return false;
  const distance = (each: JudgedReport) => Math.abs(Math.log(each.input / estimateOf(each, by)));
  return distance(report) < distance(before) - NEARER && isNearEstimate(report, by);
}
