/**
 * What a compaction cost in cache: read off the last request before it and the first one after it, as the provider counted
 * them. Bodies are read only when somebody looks.
 */

import type { RowOf } from '../../protocol/rows.ts';
import { tokensReadAgain } from '../cost/cacheTimeline.ts';
import { costOfReadingAgain, readPrice } from '../cost/money.ts';
import type { UsageEntry } from '../journal/entry.ts';

export type CacheEffect = NonNullable<RowOf<'compaction'>['cache']>;

/** Null where the provider counted nothing, or never said that it reads from a cache. */
export function cacheEffect(before: UsageEntry | null, after: UsageEntry | null): CacheEffect | null {
  if (!before || !after || before.estimated || after.estimated) return null;
  const { input, cached } = after.usage;
  const says = [before, after].some(({ usage }) => usage.cached > 0 || (usage.written ?? 0) > 0);
  if (!says) return null;
  const again = tokensReadAgain(before.usage, after.usage);
  const price = readPrice(after.price);
  return { read: cached, input, again, cost: price && costOfReadingAgain(again, price) };
}
