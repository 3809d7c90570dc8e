/**
 * The summary model of the conformance kit: the product's own summariser over a client that answers as models do, badly
 * included. It counts what it was asked.
 */

import { ModelError } from '../../errors.ts';
import type { ModelClient, ModelEvent, Timers } from '../../ports.ts';
import { createSummariser, type Summariser } from '../run/summarise.ts';
import { roomMemory } from '../summariser/summaryRoom.ts';

/** How the model behaves during one compaction. */
export type ModelMode = 'answers' | 'unreachable' | 'empty' | 'cutOff' | 'tooLong' | 'refuses';

const OUTPUT_TOKENS = 1_000;
const NEVER = new AbortController().signal;

/**
 * The product's own summariser outside the product: nothing is journaled, logged, retried or waited for. Without a client
 * no model can be reached. `window` in tokens, 0 when unknown.
 */
export function summariserOver(
  client: ModelClient | null,
  window: number,
  maxOutputTokens: number,
  timers: Timers,
  onCall: () => void = () => undefined,
): Summariser {
  return createSummariser(client && { client, model: 'test', window, maxOutputTokens }, {
    outputTokenMax: maxOutputTokens,
    retries: 0,
    factor: 1,
    signal: NEVER,
    timers,
    log: () => undefined,
    wait: async () => undefined,
    record: async () => onCall(),
    recordUsage: async () => undefined,
    learn: () => undefined,
    room: roomMemory(),
  });
}

export class KitModel {
  mode: ModelMode = 'answers';
  /** Requests so far, and the tokens of their prompts. */
  calls = 0;
  promptTokens = 0;
  readonly #answer: string;

  constructor(answer = 'Notes of what was done.') {
    this.#answer = answer;
  }

  /** For one compaction. `window` in tokens, 0 when unknown. */
  open(window: number, timers: Timers): Summariser {
    return summariserOver(this.#client(), window, OUTPUT_TOKENS, timers, () => {
      this.calls++;
    });
  }

  /** Takes note of what a compaction cost. */
  settle(summariser: Summariser): void {
    this.promptTokens += summariser.usage()?.input ?? 0;
  }

  #client(): ModelClient {
    const answer = () => this.#respond();
    return {
      endpoint: 'kit:',
      stream: async function* () {
        yield answer();
      },
    };
  }

  #respond(): ModelEvent {
    const done = { type: 'done', toolCalls: [], usage: null } as const;
    switch (this.mode) {
      case 'answers':
        return { ...done, text: this.#answer, finish: 'stop' };
      case 'unreachable':
        throw new ModelError('network', 'The model cannot be reached.');
      case 'empty':
        return { ...done, text: '', finish: 'stop' };
      case 'cutOff':
        return { ...done, text: this.#answer.slice(0, Math.ceil(this.#answer.length / 2)), finish: 'length' };
      case 'tooLong':
        return { ...done, text: 'and more '.repeat(OUTPUT_TOKENS * 2), finish: 'stop' };
      case 'refuses':
        return { ...done, text: 'I cannot help with that.', finish: 'contentFilter' };
    }
  }
}
