/**
 * How full the context is: the last usage that a provider reported, plus an estimate of the messages appended since.
 * After a compaction, its undo or its redo it starts from what the compaction counted; where nothing was counted the whole
 * context is estimated with the model's learnt factor.
 */

import { attachmentTokens, type Context, type ContextItem } from '../context/item.ts';
import type { Usage } from '../context/message.ts';
import type { Calibration } from './calibrate.ts';
import { countHalfCharacters, countMixedText, opaqueTokensInLoop } from './estimate.ts';

type PartName =
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
  /** The provider's last count, answer included; excludes `appended`. Null without a report. */
  readonly reported: { readonly input: number; readonly cached: number; readonly output: number } | null;
  /** Calibrated estimate of the messages appended after the report; of all messages without a report. */
  readonly appended: number;
  /** Reported tokens per estimated token of this model. */
  readonly factor: number;
}

interface MeterPart {
  readonly name: PartName;
  readonly tokens: number;
}

export function readMeter(context: Context, model: string, calibration: Calibration): MeterReading {
  const factor = calibration.factor(model);
  const last = context.lastUsage;
  if (!last && context.compacted) return countOn(context, context.compacted, factor);
  if (!last) {
    const tokens = Math.round(factor * estimateContext(context)) + opaqueTokensInLoop(context);
    return { tokens, reported: null, appended: tokens, factor };
  }
  const { input, cached, output, reasoning } = last.usage;
  const items = context.conversation;
  let from = items.length;
  while (from > 0 && (items[from - 1]?.seq ?? -1) > last.seq) from--;
  // The provider counted the answer that the report belongs to, whichever of the two was appended first.
  const answered = items[from - 1]?.message.role === 'assistant' || items[from]?.message.role !== 'assistant';
  let estimated = 0;
  for (let i = answered ? from : from + 1; i < items.length; i++) estimated += items[i]?.tokens ?? 0;
  const appended = Math.round(factor * estimated);
  // Reasoning is charged as output, and is part of the next request only where it led to calls and was kept.
  const message = (answered ? items[from - 1] : items[from])?.message;
  const comesBack = message?.role === 'assistant' && message.reasoning && message.toolCalls?.length;
  const answer = comesBack ? output : Math.max(0, output - reasoning);
  return {
    tokens: input + answer + appended,
    reported: { input, cached, output },
    appended,
    factor,
  };
}

/** Starts from the compaction's own count of its result, so that its row and the meter agree. */
function countOn(context: Context, { tokens, seq }: NonNullable<Context['compacted']>, factor: number): MeterReading {
  const since = context.conversation.filter((item) => item.seq > seq);
  const counted = tokens + Math.round(factor * sumTokens(since));
  return { tokens: counted, reported: null, appended: counted, factor };
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
export function splitIntoParts(context: Context, reading: MeterReading): MeterPart[] {
  const parts = new Map<PartName, number>();
  const add = (name: PartName, tokens: number) => parts.set(name, (parts.get(name) ?? 0) + tokens);
  let header = 0;
  for (const item of context.header?.items ?? []) {
    add(item.kind === 'memory' ? 'memory' : 'system', item.tokens);
    header += item.tokens;
  }
  if (context.header) add('tools', Math.max(0, context.header.tokens - header));
  for (const item of context.conversation) add(partOf(item), item.tokens);
  const estimated = estimateContext(context);
  const scale = estimated > 0 ? reading.tokens / estimated : 0;
  const scaled = [...parts].map(([name, tokens]) => ({ name, tokens: Math.round(tokens * scale) }));
  const rest = reading.tokens - sumTokens(scaled);
  const biggest = scaled.reduce((a, b) => (b.tokens > a.tokens ? b : a), { name: 'other' as PartName, tokens: 0 });
  if (rest !== 0 && !scaled.includes(biggest)) return [{ name: 'other', tokens: reading.tokens }];
  return scaled.map((part) => (part === biggest ? { ...part, tokens: part.tokens + rest } : part));
}

function partOf(item: ContextItem): PartName {
  switch (item.kind) {
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
