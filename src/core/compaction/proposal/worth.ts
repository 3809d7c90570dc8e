/**
 * Whether a compaction is worth it: judged before it, before each request to a model, and by its result. A compaction breaks
 * the provider's cache and loses details, so that it must free something in exchange. Pure.
 */

import type { Trigger } from '../../journal/entry.ts';
import type { MeterReading } from '../../tokens/meter.ts';
import type { History } from '../draft/history.ts';
import { fixedMessages } from '../draft/rules.ts';
import { WRITTEN_TOKENS } from '../draft/summaryLength.ts';

/** Tokens that remain of notes and stubs when they are merged into others. */
const LEAST_NOTE = 100;

/** In calibrated tokens. */
export class Worth {
  /** Tokens that it should free. The context grows by as many before another one. */
  readonly gain: number;
  /** Below this nothing runs and no model is asked. */
  readonly least: number;
  readonly #trigger: Trigger;

  /** A person, or a model that refused the request, needs less of a reason. `mustFit`: the next request does not fit. */
  constructor(trigger: Trigger, gain: number, mustFit: boolean) {
    this.#trigger = trigger;
    this.gain = gain;
    if (mustFit || trigger === 'overflow' || trigger === 'ephemeral') this.least = 0;
    else this.least = trigger === 'manual' ? LEAST_NOTE : gain;
  }

  /** Whether a summary of `tokens` is worth a request to a model. `longest`: maximum length of the summary. */
  allowsSummary(tokens: number, longest: number): boolean {
    const written = this.#trigger === 'manual' ? 0 : Math.min(WRITTEN_TOKENS, longest);
    return tokens - written >= this.least;
  }
}

/** Calibrated tokens that a compaction of this history could free at most. */
export function mostFreed(history: History, reading: MeterReading): number {
  const fixed = new Set(fixedMessages(history));
  let [fresh, compacted] = [0, 0];
  for (const [index, { kind, tokens, hidden }] of history.items.entries()) {
    if (fixed.has(index)) continue;
    if (kind === 'summary' || hidden) compacted += tokens;
    else fresh += tokens;
  }
  return Math.round(reading.factor * (fresh + Math.max(0, compacted - LEAST_NOTE)));
}
