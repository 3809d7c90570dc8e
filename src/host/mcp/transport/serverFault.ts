/** Why a server does not run. What a person must mend is not tried again by itself. */

import { ToldError } from '../../../core/errors.ts';
import type { Words } from '../../../core/words.ts';

/** `now`: the server has forgotten the session and did nothing; a new one may be asked the same. */
export type Retry = 'now' | 'soon' | 'byHand';

export class ServerFault extends ToldError {
  readonly retry: Retry;

  constructor(said: Words, retry: Retry, cause?: unknown) {
    super(said, cause);
    this.retry = retry;
  }
}
