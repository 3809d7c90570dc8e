/** Why a server does not run. Faults that a person must fix are not retried automatically. */

import { Allowance } from '../../../core/allowance.ts';
import { UserFacingError } from '../../../core/errors.ts';
import { type Words, words } from '../../../core/words.ts';

/** `now`: the server has lost the session and did nothing; a new session may repeat the request. */
export type Retry = 'now' | 'soon' | 'byHand';

export class ServerFault extends UserFacingError {
  readonly retry: Retry;

  constructor(notice: Words, retry: Retry, cause?: unknown) {
    super(notice, cause);
    this.retry = retry;
  }
}

/**
 * Limits what a server may send: the length of a message, and the amount in a period. No legitimate server needs more,
 * so the connection ends.
 */
const WHILE_MS = 10_000;
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_LINES = 50_000;

/** Characters or bytes of one message. */
export const LONGEST_MESSAGE = 8 * 1024 * 1024;
const LF = 10;

export class FloodGuard {
  readonly #bytes: Allowance;
  readonly #lines: Allowance;

  constructor(now: () => number) {
    const usedUp = words('It flooded the connection: more than {0} messages or {1} MB in {2} s.', ...LIMITS);
    const period = { ms: WHILE_MS, now };
    this.#bytes = new Allowance({ most: MOST_BYTES, usedUp, period });
    this.#lines = new Allowance({ most: MOST_LINES, usedUp, period });
  }

  /** Why reading stopped; null when all is well. */
  read(bytes: Uint8Array): Words | null {
    let lines = 0;
    for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) lines++;
    return this.#bytes.take(bytes.length) ?? this.#lines.take(lines);
  }
}

const LIMITS = [MOST_LINES, MOST_BYTES / 1024 / 1024, WHILE_MS / 1000] as const;
export const tooLong = (): Words => words('It sent a message of more than {0} MB.', LONGEST_MESSAGE / 1024 / 1024);
