/**
 * The phases of a run as events (`emitMetaEvents`): the selective part from the start, the summary from the first
 * question to a model. What the selective part alone saved is known only when no summary followed.
 */

import type { CompactionSignal } from '../events.ts';
import type { Summariser } from './summarise.ts';

export class PhaseEvents {
  readonly #emit: ((event: CompactionSignal) => void) | null;
  readonly #before: number;
  #summarising = false;

  /** With `emit` null nothing is reported. */
  constructor(emit: ((event: CompactionSignal) => void) | null, tokensBefore: number) {
    this.#emit = emit;
    this.#before = tokensBefore;
    this.#tell('selective_start', tokensBefore);
  }

  /** The same summariser, with its first question noticed. */
  watch(llm: Summariser): Summariser {
    if (!this.#emit) return llm;
    return {
      ...llm,
      complete: (request) => {
        if (!this.#summarising) {
          this.#summarising = true;
          this.#tell('selective_done', this.#before);
          this.#tell('summary_start', this.#before);
        }
        return llm.complete(request);
      },
    };
  }

  end(tokensAfter: number): void {
    this.#tell(this.#summarising ? 'summary_done' : 'selective_done', tokensAfter);
  }

  #tell(phase: Extract<CompactionSignal, { type: 'phase' }>['phase'], tokensAfter: number): void {
    this.#emit?.({ type: 'phase', phase, tokensBefore: this.#before, tokensAfter });
  }
}
