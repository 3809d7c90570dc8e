/**
 * The phases of a run as events (`emitMetaEvents`): the selective part from the start, the summary from the first
 * question to a model. The figures are those of what would stand if the run ended there.
 */

import type { MeterReading } from '../../tokens/meter.ts';
import { continuationOf, offerContinuation } from '../continued/continuation.ts';
import type { CompactionSignal } from '../events.ts';
import type { PreparedRun } from '../prepareRun.ts';
import { requestTokens } from '../when/limits.ts';
import type { Summariser } from './summarise.ts';

type PhaseSignal = Extract<CompactionSignal, { type: 'phase' }>;

export class PhaseEvents {
  readonly #emit: ((event: CompactionSignal) => void) | null;
  readonly #run: Pick<PhaseSignal, 'strategy' | 'trigger'>;
  readonly #reading: MeterReading;
  readonly #history: number;
  /** Uncalibrated tokens of the history as far as the run has got. */
  #left: number;
  /** Tokens of the whole request when the phase under way began. */
  #before: number;
  #summarising = false;

  /** With `emit` null nothing is reported. */
  constructor(emit: ((event: CompactionSignal) => void) | null, { order, history, budget: { reading } }: PreparedRun) {
    this.#emit = emit;
    this.#run = { strategy: order.strategy, trigger: order.trigger };
    this.#reading = reading;
    this.#history = history.tokens;
    this.#left = history.tokens;
    this.#before = reading.tokens;
    this.#tell('selective_start', reading.tokens);
  }

  /** The run has got the history down to this many uncalibrated tokens. */
  readonly reached = (historyTokens: number): void => {
    this.#left = Math.min(this.#left, historyTokens);
  };

  /** The same summariser, with its first question noticed. */
  watch(llm: Summariser): Summariser {
    if (!this.#emit) return llm;
    const watched: Summariser = {
      ...llm,
      get maxInputTokens() {
        return llm.maxInputTokens;
      },
      complete: (request) => {
        this.#beginSummary();
        return llm.complete(request);
      },
    };
    const ask = continuationOf(llm);
    if (!ask) return watched;
    return offerContinuation(watched, (question) => {
      this.#beginSummary();
      return ask(question);
    });
  }

  #beginSummary(): void {
    if (this.#summarising) return;
    this.#summarising = true;
    const left = requestTokens(this.#reading, this.#history - this.#left);
    this.#tell('selective_done', left);
    this.#before = left;
    this.#tell('summary_start', left);
  }

  end(tokensAfter: number): void {
    this.#tell(this.#summarising ? 'summary_done' : 'selective_done', tokensAfter);
  }

  #tell(phase: PhaseSignal['phase'], tokensAfter: number): void {
    this.#emit?.({ type: 'phase', ...this.#run, phase, tokensBefore: this.#before, tokensAfter });
  }
}
