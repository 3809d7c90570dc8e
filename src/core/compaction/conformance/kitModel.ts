/**
 * The summary model of the conformance kit: the product's own summariser over a client that answers as real models do,
 * including badly. It counts its requests.
 */

import { isModelError } from '../../../api/errors.ts';
import type { SummaryModel } from '../../../api/index.ts';
import type { Asked, RunOnceOptions } from '../../../api/testing.ts';
import type { Timers } from '../../clock.ts';
import { ModelError, type ModelErrorKind } from '../../errors.ts';
import type { ModelClient, ModelEvent, ModelRequest } from '../../model/modelClient.ts';
import type { Continuable } from '../summariser/continueRequest.ts';
import { Summariser } from '../summariser/summariser.ts';

/** The model's behaviour during one compaction. */
export type ModelMode = 'answers' | 'unreachable' | 'empty' | 'cutOff' | 'tooLong' | 'refuses';

const OUTPUT_TOKENS = 1_000;

/** Every JavaScript host has these; the core itself receives its timers from outside. */
declare const setTimeout: (callback: () => void, ms: number) => unknown;
declare const clearTimeout: (handle: unknown) => void;

export const TIMERS: Timers = {
  after: (ms, callback) => {
    const handle = setTimeout(callback, ms);
    return () => clearTimeout(handle);
  },
};

/** Journals and retries nothing. Without a client, no model can be reached. `window` in tokens, 0 when unknown. */
function summariserOver(
  client: ModelClient | null,
  window: number,
  maxOutputTokens: number,
  timers: Timers,
  last: Continuable | null = null,
) {
  const choice = client && { client, model: 'test', window, maxOutputTokens };
  return new Summariser(choice, { outputTokenMax: maxOutputTokens, timers, last });
}

export class KitModel {
  mode: ModelMode = 'answers';
  /** Number of requests so far, and the tokens of their prompts. */
  calls = 0;
  promptTokens = 0;
  readonly #answer: string;

  constructor(answer = 'Notes of what was done.') {
    this.#answer = answer;
  }

  /** For one compaction. `window` in tokens, 0 when unknown. `last`: the request that may be continued, if one may. */
  open(window: number, timers: Timers, last: Continuable | null): Summariser {
    return summariserOver(this.#client(), window, OUTPUT_TOKENS, timers, last);
  }

  /** Records what a compaction cost. */
  settle(summariser: Summariser): void {
    this.promptTokens += summariser.usage?.input ?? 0;
  }

  #client(): ModelClient {
    const answer = () => {
      this.calls++;
      return this.#respond();
    };
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

export type TestAnswer = NonNullable<RunOnceOptions['model']> | null;

const ANSWER_TOKENS = 4_000;

/** `window` in tokens, 0 when unknown. */
export function testModel(
  answer: TestAnswer = 'Notes of what was done.',
  window: number,
  timers: Timers,
  onAsked: (asked: Asked) => void,
): SummaryModel {
  const client: ModelClient = {
    endpoint: 'test:',
    stream: async function* (request) {
      const asked = toAsked(request);
      onAsked(asked);
      const text = typeof answer === 'function' ? await ask(answer, asked) : (answer ?? '');
      yield { type: 'done', text, toolCalls: [], finish: 'stop', usage: null };
    },
  };
  return summariserOver(answer === null ? null : client, window, ANSWER_TOKENS, timers);
}

/** A test may throw the `ModelError` of another copy of this package, or an error with that name and kind. */
async function ask(answer: (asked: Asked) => string | Promise<string>, asked: Asked): Promise<string> {
  try {
    return await answer(asked);
  } catch (thrown) {
    if (isModelError(thrown)) throw new ModelError(thrown.kind as ModelErrorKind, thrown.message, { cause: thrown });
    throw thrown;
  }
}

function toAsked({ messages, maxOutputTokens }: ModelRequest): Asked {
  const textOf = (role: 'system' | 'user') => messages.find((message) => message.role === role)?.text;
  const system = textOf('system');
  return {
    ...(system === undefined ? {} : { system }),
    prompt: textOf('user') ?? '',
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}
