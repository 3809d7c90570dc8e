/**
 * How long the person pauses between an answer and their next message, in every session, and how long a prompt is
 * therefore best kept in the cache. What is read back is not trusted.
 */

import type { TreeEntry } from '../journal/entry.ts';
import type { WindowMemory } from '../tokens/learnedWindows.ts';
import { LIVES_MS } from './cacheFacts.ts';

export const CACHE_LIFETIMES = ['5m', '1h'] as const;
export type CacheLifetime = (typeof CACHE_LIFETIMES)[number];

/** How long parts of a prompt live after their last use. The first part never outlives the rest by less. */
export interface CacheLifetimes {
  /** System prompt, tools, and the notes of a compaction: written once. */
  readonly start: CacheLifetime;
  /** The conversation, which each request adds to. */
  readonly rest: CacheLifetime;
}

export const SHORT: CacheLifetimes = { start: '5m', rest: '5m' };
export const LONG: CacheLifetimes = { start: '1h', rest: '1h' };

/** Newer ones replace them: people change how they work. */
const MOST = 20;

/**
 * To be kept for an hour costs each written token three quarters of its input price more, once. A pause that outlasts the
 * five minutes costs each token of the session more than the whole of it. With ten messages in a session that is even at
 * one such pause in fifteen.
 */
const OFTEN = 0.1;

export function lifetimesFor(pauses: readonly number[]): CacheLifetimes {
  const saved = pauses.filter((ms) => ms > LIVES_MS['5m'] && ms <= LIVES_MS['1h']).length;
  if (saved === 0) return SHORT;
  return saved >= OFTEN * pauses.length ? LONG : { start: '1h', rest: '5m' };
}

export class Pauses {
  readonly #memory: WindowMemory;

  constructor(memory: WindowMemory) {
    this.#memory = memory;
  }

  /** Milliseconds, oldest first. */
  get newest(): readonly number[] {
    const stored = this.#memory.read();
    if (!Array.isArray(stored)) return [];
    return stored.filter((ms) => typeof ms === 'number' && Number.isFinite(ms) && ms >= 0).slice(-MOST);
  }

  add(ms: number): void {
    if (ms >= 0) this.#memory.write([...this.newest, ms].slice(-MOST));
  }
}

/** Entries between an answer and the next message: notes, a checkpoint, a compaction. */
const NEAR = 50;

/**
 * Milliseconds between the newest message of a person and the answer before it; null where nothing answered in between.
 * `newestFirst` are the entries of the path up to that message.
 */
export function pauseBefore(newestFirst: Iterable<TreeEntry>): number | null {
  let writtenAt: number | null = null;
  let looked = 0;
  for (const entry of newestFirst) {
    if (entry.type === 'usage') return writtenAt === null ? null : Math.max(0, writtenAt - Date.parse(entry.time));
    if (isFromPerson(entry)) {
      if (writtenAt !== null) return null;
      writtenAt = Date.parse(entry.time);
    }
    if (++looked === NEAR) return null;
  }
  return null;
}

export const isFromPerson = (entry: TreeEntry): boolean =>
  entry.type === 'message' && entry.message.role === 'user' && entry.message.kind === 'user';
