/** What of a history must stay whatever a compaction does. Pure. */

import { type MeterReading, sumTokens } from '../../tokens/meter.ts';
import { type Words, words } from '../../words.ts';
import type { History } from './history.ts';

/** Indices of what no step touches: a result in an open loop of reasoning may go when nothing else helps, a pin not. */
export function fixedMessages({ messages, items, protectedAt }: History): number[] {
  return protectedAt.filter((i) => messages[i]?.role !== 'tool' || items[i]?.pinned);
}

/** Calibrated tokens of the whole request that stay whatever goes. */
export function leastTokens(history: History, reading: MeterReading): number {
  const fixed = fixedMessages(history).reduce((sum, i) => sum + (history.messages[i]?.tokens ?? 0), 0);
  return Math.round(reading.tokens - reading.factor * (history.tokens - fixed));
}

/** What must stay, in words. `header` in uncalibrated tokens. */
export function describeFixed(history: History, header: number, reading: MeterReading): Words {
  const { messages, items } = history;
  const fixed = fixedMessages(history);
  const about = (indices: readonly number[]) =>
    Math.round(sumTokens(indices.flatMap((i) => messages[i] ?? [])) * reading.factor);
  const latest = messages.findLastIndex((message) => message.role === 'user' && message.kind === 'user');
  const pinned = about(fixed.filter((i) => items[i]?.pinned));
  const loop = about(fixed.filter((i) => !items[i]?.pinned && messages[i]?.role === 'assistant'));
  return [
    ...words(
      'The system prompt and tools take {0} tokens, and your latest message {1}.',
      Math.round(header * reading.factor),
      about(latest < 0 ? [] : [latest]),
    ),
    ...(loop > 0 ? words('Answers whose reasoning is still needed take {0}.', loop) : []),
    ...(pinned > 0 ? words('Pinned messages take {0}.', pinned) : []),
  ];
}
