/** How a turn ended. */

import type { ModelError } from '../errors.ts';
import type { ModelProblem } from '../model/modelChoice.ts';
import type { StopCause } from '../stop.ts';
import type { Words } from '../words.ts';

export type TurnOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'stopped'; readonly by: StopCause }
  | { readonly kind: 'newSession' }
  /**
   * Waits for the person: because of a limit, a compaction without `autoContinue`, or a context that cannot fit. `limit`:
   * the limit that was reached, of requests or of cost.
   */
  | { readonly kind: 'paused'; readonly reason: Words; readonly limit?: 'steps' | 'cost' }
  | { readonly kind: 'failed'; readonly error: ModelError };

/** Nothing was sent, because the session's model cannot be used. */
export type NoModel = { readonly kind: 'noModel' } & ModelProblem;
