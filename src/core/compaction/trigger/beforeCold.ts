/**
 * Before the provider's cache goes cold, while nobody works, a summary still reads from the cache, and the next
 * message need not read the whole session anew: when that is due, and whether it pays.
 */

import type { CacheClock } from '../../cost/cacheFacts.ts';
import { type PriceShares, priceOfCompacting } from '../../cost/priceShares.ts';
import { WRITTEN_TOKENS } from '../draft/summaryLength.ts';
import type { Leaves } from '../strategies/strategyEntry.ts';
import { FILLED } from './rent.ts';

/** Milliseconds before the cache's end. A summary's request must arrive in time, and may be repeated once. */
const LEAD_MS = 90_000;

/** Of a lifetime, so that a short one is not cut by most of its length. */
const MOST_LEAD = 0.3;

/** A request that is sent later may find nothing. */
const LATEST_MS = 10_000;

/**
 * The milliseconds until compacting is due, 0 for now. Null if there is no cache to use, if nobody documents how long it lives,
 * or if it is too late: a machine may have slept meanwhile.
 */
export function millisUntilDue(
  { says, usedAt, livesMs, held }: Pick<CacheClock, 'says' | 'usedAt' | 'livesMs' | 'held'>,
  now: number,
): number | null {
  if (says !== 'reported' || held === 0 || usedAt === null || livesMs === null) return null;
  const end = usedAt + livesMs;
  // A clock that was set back says nothing.
  if (now < usedAt || now > end - Math.min(LATEST_MS, livesMs * 0.1)) return null;
  return Math.max(0, end - Math.min(LEAD_MS, livesMs * MOST_LEAD) - now);
}

/** Information is lost too: carrying on must cost this many times as much. */
const FACTOR = 2;

/**
 * Whether reading `tokens` anew costs so much more than compacting now and reading anew what is left. `header`: tokens that
 * no compaction removes.
 */
export function paysBeforeCold(
  { tokens, header }: { readonly tokens: number; readonly header: number },
  { recent, notes }: Leaves,
  shares: PriceShares,
): boolean {
  const rewritten = header + recent + FILLED * notes + WRITTEN_TOKENS;
  const price = priceOfCompacting({ read: tokens, written: WRITTEN_TOKENS, rewritten }, shares);
  return shares.uncached * tokens > FACTOR * price;
}
