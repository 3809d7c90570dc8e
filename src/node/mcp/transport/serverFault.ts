/** Why a server does not run. Faults that a person must fix are not retried automatically. */

import { Allowance } from '../../../core/allowance.ts';
import { messageOf, UserFacingError } from '../../../core/errors.ts';
import { stripControls } from '../../../core/tools/text/stripControls.ts';
import { type Words, words } from '../../../core/words.ts';
import { orProxy } from '../../../providers/errors/proxyFault.ts';

/** `now`: the server has lost the session and did nothing; a new session may repeat the request. */
export type Retry = 'now' | 'soon' | 'byHand';

export class ServerFault extends UserFacingError {
  readonly retry: Retry;

  constructor(notice: Words, retry: Retry, cause?: unknown) {
    super(notice, cause);
    this.retry = retry;
  }
}

/** Characters of what a server says in an error or of itself. */
export const LONGEST_SAID = 2_000;

/** Foreign, like a result. */
export const cleanSaid = (text: string): string => stripControls(text.slice(0, LONGEST_SAID));

/** No connection, or none that lasted. `fetch` reports the actual error in the cause. */
export function unreachable(thrown: unknown, proxy: string | null = null): ServerFault {
  const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
  const notice = words('It cannot be reached: {0}.', cleanSaid(messageOf(cause)));
  return new ServerFault([...notice, ...orProxy(proxy)], 'soon', thrown);
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
