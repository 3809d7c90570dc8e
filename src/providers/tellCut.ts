/** What a person is told of a cut prompt: what the server read, what it holds, and which of its settings decides that. */

import { type Words, words } from '../core/words.ts';
import type { ServerKind } from './facts/modelFacts.ts';

export interface ToldCut {
  /** Undefined for a server that is not known. */
  readonly server: ServerKind | undefined;
  /** What to call a server that is not known. */
  readonly origin: string;
  readonly read: number;
  readonly sent: number;
  readonly held: number;
}

const number = (tokens: number) => tokens.toLocaleString('en-US');

export function tellCut({ server, origin, read, sent, held }: ToldCut): Words {
  const name = server ? NAMES[server] : origin;
  return [
    ...words(
      '{0} read only {1} of about {2} tokens and dropped the rest without saying so.',
      name,
      number(read),
      number(sent),
    ),
    ...settingOf(server, number(held)),
  ];
}

/** Of a server that cannot be asked: its count may also leave out what was in its cache. */
export function tellDoubt({ origin, read, sent }: Pick<ToldCut, 'origin' | 'read' | 'sent'>): Words {
  return words(
    '{0} counted only {1} of about {2} tokens. Perhaps it dropped the rest without saying so: if its answers forget what was said before, set the context window of this model to {1} in the settings.',
    origin,
    number(read),
    number(sent),
  );
}

const NAMES: Readonly<Record<ServerKind, string>> = {
  ollama: 'Ollama',
  lmStudio: 'LM Studio',
  llamaCpp: 'llama.cpp',
  vllm: 'vLLM',
  openRouter: 'OpenRouter',
};

function settingOf(server: ServerKind | undefined, held: string): Words {
  switch (server) {
    case 'ollama':
      return words(
        'Its context for this model is {0} tokens (num_ctx). To raise it, change the context length in its settings.',
        held,
      );
    case 'lmStudio':
      return words(
        'It has loaded the model with {0} tokens. To raise that, load it with a larger Context Length.',
        held,
      );
    case 'llamaCpp':
      return words('It holds {0} tokens for each request. To raise that, start it with a larger --ctx-size.', held);
    case 'vllm':
      return words('It holds {0} tokens. To raise that, start it with a larger --max-model-len.', held);
    case 'openRouter':
      return words('It holds {0} tokens for this model. Choose one with a larger context for more.', held);
    case undefined:
      return words(
        'It holds about {0} tokens. To raise that, start it with a larger context (num_ctx, Context Length, --ctx-size or --max-model-len).',
        held,
      );
  }
}
