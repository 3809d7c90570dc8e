/** What of a context must stay whatever a compaction does: the header, and what is protected for good. Pure. */

import type { ContextMessage } from '../../../api/index.ts';
import type { ContextItem } from '../../context/item.ts';
import { type MeterReading, sumTokens } from '../../tokens/meter.ts';
import { type Words, words } from '../../words.ts';

export interface FixedFacts {
  readonly history: readonly ContextMessage[];
  /** Indices of its protected messages, in order. */
  readonly guarded: readonly number[];
  readonly items: readonly ContextItem[];
  /** Uncalibrated tokens of the whole history. */
  readonly total: number;
  readonly reading: MeterReading;
}

/** Indices of what nothing touches: a result in an open loop of reasoning may go when nothing else helps, a pin not. */
export function fixedMessages({ guarded, history, items }: Omit<FixedFacts, 'total' | 'reading'>): number[] {
  return guarded.filter((i) => history[i]?.role !== 'tool' || items[i]?.pinned);
}

/** Calibrated tokens that stay whatever goes. */
export function leastTokens(facts: FixedFacts): number {
  const { reading, total, history } = facts;
  const fixed = fixedMessages(facts).reduce((sum, i) => sum + (history[i]?.tokens ?? 0), 0);
  return Math.round(reading.tokens - reading.factor * (total - fixed));
}

/** What must stay, in words. `header` in uncalibrated tokens. */
export function describeFixed(facts: FixedFacts & { readonly header: number }): Words {
  const { header, history, items, reading } = facts;
  const fixed = fixedMessages(facts);
  const about = (indices: readonly number[]) =>
    Math.round(sumTokens(indices.flatMap((i) => history[i] ?? [])) * reading.factor);
  const latest = history.findLastIndex((message) => message.role === 'user' && message.kind === 'user');
  const pinned = about(fixed.filter((i) => items[i]?.pinned));
  const loop = about(fixed.filter((i) => !items[i]?.pinned && history[i]?.role === 'assistant'));
  return [
    ...words(
      'Of what must stay, the system prompt and tools have {0} and your latest message {1}.',
      Math.round(header * reading.factor),
      about(latest < 0 ? [] : [latest]),
    ),
    ...(loop > 0 ? words('Answers whose reasoning is still in use have {0}.', loop) : []),
    ...(pinned > 0 ? words('Pinned messages have {0}.', pinned) : []),
  ];
}
