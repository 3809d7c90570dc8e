/**
 * When the requests of a recorded session were sent. A session whose recording does not say follows an even clock, under
 * which no cache goes cold.
 */

import { LIVES_MS } from '../core/cost/cacheFacts.ts';
import type { RecordedMessage } from './session.ts';

/** How long the lab's provider keeps what was read or written last: the shorter of the lifetimes that providers name. */
export const CACHE_LIVES_MS = LIVES_MS['5m'];

const START = Date.UTC(2026, 0, 1);

/** Typical of the time between two messages, so that cool-downs end. */
const EVEN_MS = 500;

export class RecordedTimes {
  /** The recording says when its messages were said. */
  readonly isRecorded: boolean;
  readonly #times: Float64Array;
  readonly #cold = new Set<number>();

  constructor(messages: readonly RecordedMessage[]) {
    const answers = messages.filter(({ role }) => role === 'assistant');
    this.isRecorded = answers.length > 0 && answers.every(({ time }) => time !== undefined);
    let now = this.isRecorded ? (messages.find(({ time }) => time !== undefined)?.time ?? START) : START;
    this.#times = Float64Array.from(messages, ({ time = now }) => {
      // A clock that was set back would send a request before the last one.
      now = this.isRecorded ? Math.max(now, time) : now + EVEN_MS;
      return now;
    });
    let sent: number | null = null;
    for (const [step, { role }] of messages.entries()) {
      if (role !== 'assistant') continue;
      if (sent !== null && this.sentAt(step) - sent > CACHE_LIVES_MS) this.#cold.add(step);
      sent = this.sentAt(step);
    }
  }

  /** Milliseconds since the epoch; never falls. */
  saidAt(index: number): number {
    return this.#times[index] ?? START;
  }

  /** The request for the answer at `step` is sent when the message before it is there. */
  sentAt(step: number): number {
    return this.saidAt(Math.max(0, step - 1));
  }

  /** The cache holds nothing of the request for `step` any more. */
  isCold(step: number): boolean {
    return this.#cold.has(step);
  }
}
