/** The reports on a context, each with what its request held by our own estimate, and which of them is believed. */

import { attachmentTokens, type Context, type ContextItem, type UsageReport } from '../context/item.ts';
import { opaqueLength } from '../context/message.ts';
import { type JudgedBy, type JudgedReport, judgeReports, type ReportDoubt } from './judgeReports.ts';

export interface ContextReports {
  /** The newest that is believed. */
  readonly believed: PlacedReport | null;
  /** Why the newest of all is not; null without a report, too. */
  readonly doubt: ReportDoubt | null;
}

export interface PlacedReport extends UsageReport {
  /** The answer that it belongs to, whichever of the two was appended first; null where it was not appended. */
  readonly answer: ContextItem | null;
  /** Number of the conversation's items up to and including that answer. */
  readonly items: number;
  /** Uncalibrated tokens of the messages before the answer. */
  readonly messages: number;
}

/** A server may count no images, or several times the estimate. */
export const MOST_OF_IMAGES = 4;

/** `coming`: a report that is not yet appended. */
export function judgeContext(context: Context, by: JudgedBy, coming?: UsageReport): ContextReports {
  const { reports = context.lastUsage ? [context.lastUsage] : [], header, conversation } = context;
  const newest = coming ?? reports.at(-1);
  if (!newest) return { believed: null, doubt: null };
  const counted = [...reports, ...(coming ? [coming] : [])].filter(({ model }) => model === newest.model);
  const sums = sumUp(conversation);
  const placed = counted.map((report) => place(report, conversation, sums));
  const tools = header ? Math.max(0, header.tokens - header.items.reduce((sum, { tokens }) => sum + tokens, 0)) : 0;
  const judged = placed.map(({ usage, messages, items, answer }): JudgedReport => {
    return {
      input: usage.input,
      output: usage.output - usage.reasoning,
      ...(answer && { answer: answer.tokens }),
      header: header?.tokens ?? null,
      tools,
      messages,
      get unseen() {
        return unseenIn(conversation.slice(0, items));
      },
      get leaves() {
        return leavesIn(conversation.slice(0, items));
      },
    };
  });
  const { believed, doubts } = judgeReports(judged, by);
  return { believed: placed[believed] ?? null, doubt: doubts.at(-1) ?? null };
}

function place(report: UsageReport, items: readonly ContextItem[], sums: readonly number[]): PlacedReport {
  let [from, to] = [0, items.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((items[middle]?.seq ?? 0) > report.seq) to = middle;
    else from = middle + 1;
  }
  const [before, after] = [items[from - 1], items[from]];
  const isAnswer = (item: ContextItem | undefined) => item?.kind === 'assistant';
  const isAfter = !isAnswer(before) && isAnswer(after);
  const answer = isAfter ? after : isAnswer(before) ? before : undefined;
  const end = isAfter ? from + 1 : from;
  const messages = (sums[end] ?? 0) - (answer?.tokens ?? 0);
  return { ...report, answer: answer ?? null, items: end, messages };
}

/** Up to each item of a conversation, to which items are only added at its end. */
const known = new WeakMap<readonly ContextItem[], number[]>();

function sumUp(items: readonly ContextItem[]): readonly number[] {
  const sums = known.get(items) ?? [0];
  for (let at = sums.length - 1; at < items.length; at++) sums.push((sums[at] ?? 0) + (items[at]?.tokens ?? 0));
  known.set(items, sums);
  return sums;
}

/** Uncalibrated tokens of the messages that are not newer than entry `seq`. */
export function messagesUpTo(items: readonly ContextItem[], seq: number): number {
  let tokens = 0;
  for (const item of items) if (item.seq <= seq) tokens += item.tokens;
  return tokens;
}

/** Most tokens of a conversation that its estimate misses: images, and reasoning that only a provider can read. */
export function unseenIn(items: readonly ContextItem[]): number {
  let tokens = 0;
  for (const { message } of items) {
    if (message.role === 'assistant') tokens += message.reasoning ? opaqueLength(message.reasoning) : 0;
    else tokens += attachmentTokens(message) * MOST_OF_IMAGES;
  }
  return tokens;
}

/** Most tokens that a server may leave out of a conversation: images, and the reasoning of earlier steps. */
export function leavesIn(items: readonly ContextItem[]): number {
  let tokens = 0;
  for (const { message } of items) {
    if (message.role !== 'assistant') tokens += attachmentTokens(message) * MOST_OF_IMAGES;
    else tokens += reasoningIn(message);
  }
  return tokens;
}

/** At most one token for each character, even if a model writes its reasoning into its answer. */
export function reasoningIn({ text, reasoning }: Extract<ContextItem['message'], { role: 'assistant' }>): number {
  const inAnswer = text.includes('</think>') ? text.length : 0;
  return inAnswer + (reasoning ? reasoning.text.length + opaqueLength(reasoning) : 0);
}
