/**
 * Reports the phases of a run as signals: the selective part from the start, the summary from the first request to a
 * model. The figures are those of the draft if the run ended there.
 */

import type { MeterReading } from '../../tokens/meter.ts';
import { requestTokens } from '../draft/budget.ts';
import type { CompactionSignal } from '../signals/compactionSignal.ts';

type PhaseSignal = Extract<CompactionSignal, { type: 'phase' }>;

/** The run that is reported. */
interface Measured {
  readonly order: Pick<PhaseSignal, 'strategy' | 'trigger'>;
  readonly history: { readonly tokens: number };
  readonly budget: { readonly reading: MeterReading };
}

export class PhaseEvents {
  readonly #emit: (event: CompactionSignal) => void;
  readonly #run: Pick<PhaseSignal, 'strategy' | 'trigger'>;
  readonly #reading: MeterReading;
  readonly #history: number;
  /** Uncalibrated tokens of the history at this point of the run. */
  #left: number;
  /** Tokens of the whole request when the current phase began. */
  #before: number;
  #summarising = false;

  constructor(emit: (event: CompactionSignal) => void, { order, history, budget: { reading } }: Measured) {
    this.#emit = emit;
    this.#run = { strategy: order.strategy, trigger: order.trigger };
    this.#reading = reading;
    this.#history = history.tokens;
    this.#left = history.tokens;
    this.#before = reading.tokens;
    this.#report('selective_start', reading.tokens);
  }

  /** Call when the run has reduced the history to this many uncalibrated tokens. */
  readonly onReached = (historyTokens: number): void => {
    this.#left = Math.min(this.#left, historyTokens);
  };

  /** Call when a model is asked. */
  readonly onQuestion = (): void => {
    if (this.#summarising) return;
    this.#summarising = true;
    const left = requestTokens(this.#reading, this.#history - this.#left);
    this.#report('selective_done', left);
    this.#before = left;
    this.#report('summary_start', left);
  };

  end(tokensAfter: number): void {
    this.#report(this.#summarising ? 'summary_done' : 'selective_done', tokensAfter);
  }

  #report(phase: PhaseSignal['phase'], tokensAfter: number): void {
    this.#emit({ type: 'phase', ...this.#run, phase, tokensBefore: this.#before, tokensAfter });
  }
}
