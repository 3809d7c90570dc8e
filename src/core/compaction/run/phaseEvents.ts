/**
 * The phases of a run as events (`emitMetaEvents`): the selective part from the start, the summary from the first
 * question to a model. A strategy says with that question what its history has left (`historyTokens`); without it, nothing
 * had been taken away before.
 */

import type { MeterReading } from '../../tokens/meter.ts';
import type { CompactionSignal } from '../events.ts';
import { requestTokens } from '../when/limits.ts';
import type { Summariser } from './summarise.ts';

export class PhaseEvents {
  readonly #emit: ((event: CompactionSignal) => void) | null;
  readonly #reading: MeterReading;
  readonly #history: number;
  /** Tokens of the whole request when the phase under way began. */
  #before: number;
  #summarising = false;

  /** With `emit` null nothing is reported. `historyTokens` is what the history has at the start, uncalibrated. */
  constructor(emit: ((event: CompactionSignal) => void) | null, reading: MeterReading, historyTokens: number) {
    this.#emit = emit;
    this.#reading = reading;
    this.#history = historyTokens;
    this.#before = reading.tokens;
    this.#tell('selective_start', reading.tokens);
  }

  /** The same summariser, with its first question noticed. */
  watch(llm: Summariser): Summariser {
    if (!this.#emit) return llm;
    return {
      ...llm,
      complete: (request) => {
        if (!this.#summarising) {
          this.#summarising = true;
          const left = this.#left(request.historyTokens);
          this.#tell('selective_done', left);
          this.#before = left;
          this.#tell('summary_start', left);
        }
        return llm.complete(request);
      },
    };
  }

  end(tokensAfter: number): void {
    this.#tell(this.#summarising ? 'summary_done' : 'selective_done', tokensAfter);
  }

  /** Tokens of the whole request. A strategy may report anything: a history that is not smaller counts as the whole. */
  #left(historyTokens: number | undefined): number {
    const given = typeof historyTokens === 'number' && historyTokens >= 0 ? historyTokens : this.#history;
    return requestTokens(this.#reading, Math.max(0, this.#history - given));
  }

  #tell(phase: Extract<CompactionSignal, { type: 'phase' }>['phase'], tokensAfter: number): void {
    this.#emit?.({ type: 'phase', phase, tokensBefore: this.#before, tokensAfter });
  }
}
