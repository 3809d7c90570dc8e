/** The summary model of an author's test: the product's own summariser over what the test says the model answers. */

import { isModelError } from '../../../api/errors.ts';
import type { SummaryModel } from '../../../api/index.ts';
import { ModelError, type ModelErrorKind } from '../../errors.ts';
import type { ModelClient, ModelRequest, Timers } from '../../ports.ts';
import { summariserOver } from './kitModel.ts';

/** A request as it is sent: what does not fit into the window is cut out of the prompt's middle. */
export interface Asked {
  readonly system?: string;
  readonly prompt: string;
  readonly maxOutputTokens?: number;
}

/** A text, or what makes one of each request; it may throw a `ModelError`. Null: no model can be reached. */
export type TestAnswer = string | null | ((asked: Asked) => string | Promise<string>);

const OUTPUT_TOKENS = 4_000;

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
  return summariserOver(answer === null ? null : client, window, OUTPUT_TOKENS, timers);
}

/** A test may throw the `ModelError` of another copy of this package, or an error of that name and kind. */
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
