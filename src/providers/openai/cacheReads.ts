/**
 * What the requests of each session read from the prompt cache, to notice a server whose cache does not hold for a request
 * that forbids tools: some leave the tools out of the prompt then, and all that follows them is read again.
 */

import type { Usage } from '../../core/context/message.ts';
import type { ModelRequest } from '../../core/ports.ts';

/** Tokens. Less may be missed for other reasons. */
const TELLING = 2_048;

export class CacheReads {
  /** Tokens that the newest request read whose tools were not forbidden, by session and model. */
  readonly #read = new Map<string, number>();

  /** Whether this request should have found what the one before it found, and did not, for want of its tools. */
  isLost({ model, cacheKey, tools, toolChoice }: ModelRequest, usage: Usage | null): boolean {
    if (!usage || tools.length === 0) return false;
    const session = `${model} ${cacheKey}`;
    if (toolChoice === undefined) this.#read.set(session, usage.cached);
    const before = this.#read.get(session) ?? 0;
    return toolChoice === 'none' && before >= TELLING && usage.cached < before / 2;
  }
}
