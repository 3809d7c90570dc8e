/**
 * How full the context is: the last report of a provider that is believed, plus an estimate of the messages since.
 * After a compaction, its undo or its redo it starts from what the compaction counted; where nothing was counted the whole
 * context is estimated with the model's learnt factor.
 */

import { attachmentTokens, type Context, type ContextItem } from '../context/item.ts';
import type { Usage } from '../context/message.ts';
import { type Calibration, HIGHEST_FACTOR, LOWEST_FACTOR } from './calibrate.ts';
import { judgeContext, messagesUpTo, type PlacedReport, unseenIn } from './contextReports.ts';
import { countHalfCharacters, countMixedText, opaqueTokensInLoop } from './estimate.ts';
import { type JudgedBy, mostOf, type ReportDoubt } from './judgeReports.ts';

export type PartName =
  | 'system'
  | 'memory'
  | 'tools'
  | 'user'
  | 'assistant'
  | 'toolResults'
  | 'summaries'
  | 'skills'
  | 'mentions'
  | 'other';

export interface MeterReading {
  /** Tokens of the next request. */
  readonly tokens: number;
  /** The provider's last count that is believed, answer included; excludes `appended`. Null without one. */
  readonly reported: { readonly input: number; readonly cached: number; readonly output: number } | null;
  /** Calibrated estimate of the messages appended after that report; of all messages without a report. */
  readonly appended: number;
  /** Reported tokens per estimated token of this model. */
  readonly factor: number;
  /** Why the newest report is not believed: an estimate stands in its place. Left out where it is. */
  readonly doubt?: ReportDoubt;
}

export interface MeterPart {
  readonly name: PartName;
  readonly tokens: number;
}

/** `window`: of the model, in tokens; 0 when unknown. */
export function readMeter(context: Context, model: string, calibration: Calibration, window = 0): MeterReading {
  const learnt = calibration.knows(model);
  const by = { window, factor: calibration.factor(model), learnt };
  const { believed, doubt } = judgeContext(context, by);
  if (!believed) {
    const counted = context.compacted && countOn(context, context.compacted, by);
    const tokens = counted ?? Math.round(by.factor * estimateContext(context)) + opaqueTokensInLoop(context);
    return { tokens, reported: null, appended: tokens, factor: by.factor, ...(doubt && { doubt }) };
  }
  const factor = Math.min(by.factor, highestFactor(context, believed));
  const { input, cached, output } = believed.usage;
  let estimated = 0;
  for (const { tokens } of context.conversation.slice(believed.items)) estimated += tokens;
  const appended = Math.round(factor * estimated);
  return {
    tokens: input + answerOf(believed) + appended,
    reported: { input, cached, output },
    appended,
    factor,
    ...(doubt && { doubt }),
  };
}

/** Below it, what a report leaves for the header says nothing of the messages. In uncalibrated tokens. */
const TELLING = 500;

/** Contents differ: a factor learnt from newer messages may be too high for older ones. */
const MIXED = 1.25;

/** With a higher factor, the messages of a report would leave less than the least of its header. */
function highestFactor({ header }: Context, { usage, messages }: PlacedReport): number {
  if (messages < TELLING) return HIGHEST_FACTOR;
  const left = (usage.input - (header?.tokens ?? 0) * LOWEST_FACTOR) / messages;
  return Math.max(LOWEST_FACTOR, left * MIXED);
}

/** For an answer of which little is known. In tokens. */
const LEAST_ANSWER = 256;

/** Tokens of the answer in the next request. */
function answerOf({ usage, answer }: PlacedReport): number {
  const { output, reasoning } = usage;
  // Reasoning is charged as output, and is part of the next request only where it led to calls and was kept.
  const message = answer?.message;
  const comesBack = message?.role === 'assistant' && message.reasoning && message.toolCalls?.length;
  const reported = comesBack ? output : Math.max(0, output - reasoning);
  // More than its text can have is a misreport, or reasoning that the provider does not name.
  const hidden = comesBack ? reasoning : 0;
  const most = answer ? answer.tokens * HIGHEST_FACTOR + hidden + LEAST_ANSWER : Number.POSITIVE_INFINITY;
  return Math.min(reported, most);
}

/**
 * Starts from the compaction's own count of its result, so that its row and the meter agree. Null where that count
 * rests on a report that cannot have been true.
 */
function countOn(context: Context, { tokens, seq }: NonNullable<Context['compacted']>, by: JudgedBy): number | null {
  const { header, conversation } = context;
  const messages = messagesUpTo(conversation, seq);
  const then = { header: header?.tokens ?? null, tools: 0, messages };
  if (tokens > mostOf(then, 0) && tokens > mostOf(then, unseenIn(conversation))) return null;
  return tokens + Math.round(by.factor * (sumTokens(conversation) - messages));
}

/** Uncalibrated tokens of the whole request. */
export function estimateContext(context: Context): number {
  return (context.header?.tokens ?? 0) + sumTokens(context.conversation);
}

/** Uncalibrated tokens of the images in the conversation. */
export function imagesIn({ conversation }: Pick<Context, 'conversation'>): number {
  let tokens = 0;
  for (const { message } of conversation) if (message.role !== 'assistant') tokens += attachmentTokens(message);
  return tokens;
}

export function sumTokens(items: readonly { readonly tokens: number }[]): number {
  let tokens = 0;
  for (const item of items) tokens += item.tokens;
  return tokens;
}

/** The estimators that a strategy may choose: they count messages only, and ignore reports. */
const OWN_COUNTS = { halfCharacters: countHalfCharacters, mixedText: countMixedText } as const;

export type OwnCount = keyof typeof OWN_COUNTS;

export function isOwnCount(basis: string): basis is OwnCount {
  return Object.hasOwn(OWN_COUNTS, basis);
}

export function readOwnCount(items: readonly ContextItem[], by: OwnCount): number {
  let tokens = 0;
  for (const item of items) tokens += OWN_COUNTS[by](item.message);
  return tokens;
}

/** Breaks a reading down by kind of content; the parts add up to `reading.tokens`. */
export function splitIntoParts(context: Context, reading: Pick<MeterReading, 'tokens'>): MeterPart[] {
  const parts = sumParts([
    ...splitHeader(context),
    ...context.conversation.map(({ kind, tokens }) => ({ name: partOf(kind), tokens })),
  ]);
  if (sumTokens(parts) === 0) return reading.tokens === 0 ? [] : [{ name: 'other', tokens: reading.tokens }];
  return scaleTokens(parts, reading.tokens);
}

/** Uncalibrated tokens of what precedes the conversation in each request. */
export function splitHeader({ header }: Pick<Context, 'header'>): MeterPart[] {
  if (!header) return [];
  const items = header.items.map(({ kind, tokens }): MeterPart => {
    return { name: kind === 'memory' ? 'memory' : 'system', tokens };
  });
  return sumParts([...items, { name: 'tools', tokens: Math.max(0, header.tokens - sumTokens(items)) }]);
}

/** One part of each name, in the order of their first. */
export function sumParts(parts: readonly MeterPart[]): MeterPart[] {
  const sums = new Map<PartName, number>();
  for (const { name, tokens } of parts) sums.set(name, (sums.get(name) ?? 0) + tokens);
  return [...sums].map(([name, tokens]) => ({ name, tokens }));
}

/** The same amounts in proportion, adding up to `tokens`: the biggest one takes what rounding leaves. */
export function scaleTokens<T extends { readonly tokens: number }>(amounts: readonly T[], tokens: number): T[] {
  const whole = sumTokens(amounts);
  const scale = whole > 0 ? tokens / whole : 0;
  const scaled = amounts.map((each) => ({ ...each, tokens: Math.round(each.tokens * scale) }));
  const rest = tokens - sumTokens(scaled);
  const [first] = scaled;
  if (rest === 0 || !first) return scaled;
  const biggest = scaled.reduce((a, b) => (b.tokens > a.tokens ? b : a), first);
  return scaled.map((each) => (each === biggest ? { ...each, tokens: each.tokens + rest } : each));
}

export function partOf(kind: ContextItem['kind']): PartName {
  switch (kind) {
    case 'user':
      return 'user';
    case 'assistant':
      return 'assistant';
    case 'toolResult':
      return 'toolResults';
    case 'summary':
      return 'summaries';
    case 'skillMetadata':
    case 'skillPrompt':
      return 'skills';
    case 'mention':
      return 'mentions';
    // A reminder, or a kind from a newer version.
    default:
      return 'other';
  }
}

/** Adds up the usage of several requests. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum = {
    input: a.input + b.input,
    cached: a.cached + b.cached,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
  };
  const optional = (['written', 'writtenLong'] as const).flatMap((name) =>
    a[name] === undefined && b[name] === undefined ? [] : [[name, (a[name] ?? 0) + (b[name] ?? 0)] as const],
  );
  return { ...sum, ...Object.fromEntries(optional) };
}
