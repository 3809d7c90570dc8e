/** Asks an endpoint that counts without answering for the exact size of a context that no report describes yet. */

import { lowerContext, mendedUpTo, toSend } from '../../context/lower.ts';
import type { Crypto } from '../../crypto.ts';
import type { Journal } from '../../journal/journal.ts';
import type { ModelChoice } from '../../model/modelChoice.ts';
import type { Calibration } from '../../tokens/calibrate.ts';
import { opaqueTokensInLoop } from '../../tokens/estimate.ts';
import { estimateContext, imagesIn } from '../../tokens/meter.ts';

/** Share of the limit: contents with more tokens than estimated may be over it already. */
const NEAR = 0.6;

/** A request must not end with an answer. Its few tokens do not matter. */
const GOING_ON = { role: 'user', text: '.' } as const;

/**
 * Asks an endpoint that counts without answering for the exact size of a context that no report describes yet: after an
 * import, a restore, a change of model, or with large mentions. The answer calibrates the estimate. Asked once per model
 * and session, and only where the estimate comes near a limit, so that ordinary turns cost no round trip.
 */
export class ExactCount {
  readonly #session: { readonly journal: Journal; readonly crypto: Crypto };
  readonly #calibration: Calibration;
  /** Models that were asked. */
  readonly #asked = new Set<string>();

  constructor(session: { readonly journal: Journal; readonly crypto: Crypto }, calibration: Calibration) {
    this.#session = session;
    this.#calibration = calibration;
  }

  /** `tokens`: the estimate of the next request. `limit`: the nearest one, infinite without any. */
  async ask(choice: ModelChoice, tokens: number, limit: number, signal: AbortSignal): Promise<void> {
    const { client, model } = choice;
    if (!client.count || tokens < limit * NEAR || this.#asked.has(model) || this.#isReported(model)) return;
    this.#asked.add(model);
    const { journal } = this.#session;
    const { context } = journal;
    const estimated = estimateContext(context) - imagesIn(context);
    const other = opaqueTokensInLoop(context) + imagesIn(context);
    const messages = lowerContext(context, mendedUpTo(journal));
    const ended = messages.at(-1)?.role === 'assistant' ? [...messages, GOING_ON] : messages;
    const request = { model, messages: ended, tools: context.header?.tools ?? [] };
    const counted = await client.count(await toSend(request, choice, this.#session), signal);
    if (counted !== null) this.#calibration.observe(model, estimated, counted - other);
    else if (signal.aborted) this.#asked.delete(model);
  }

  /** True where the reading rests on a report or on a compaction's own count, or where there is nothing to count. */
  #isReported(model: string): boolean {
    const { lastUsage, compacted, conversation } = this.#session.journal.context;
    return !!lastUsage || !!compacted || conversation.length === 0 || this.#calibration.knows(model);
  }
}
