/** Tells a person about a cut prompt: how much was read, the server's window, and the setting that determines it. */

import { formatCount } from '../core/figures.ts';
import { type Words, words } from '../core/words.ts';
import type { ServerKind } from './modelFacts.ts';

interface CutFacts {
  /** Undefined for an unknown server. */
  readonly server: ServerKind | undefined;
  /** The name for a server of an unknown kind. */
  readonly origin: string;
  readonly read: number;
  readonly sent: number;
  readonly window: number;
}

const number = (tokens: number) => formatCount(tokens);

export function explainCut({ server, origin, read, sent, window }: CutFacts): Words {
  const { name, describeSetting } = server ? SERVERS[server] : { name: origin, describeSetting: describeAnySetting };
  return [
    ...words(
      '{0} read only {1} of about {2} tokens and dropped the rest without saying so.',
      name,
      number(read),
      number(sent),
    ),
    ...describeSetting(number(window)),
  ];
}

/** The known kinds of servers, and how to enlarge their windows. */
const SERVERS: Readonly<
  Record<ServerKind, { readonly name: string; readonly describeSetting: (window: string) => Words }>
> = {
  ollama: {
    name: 'Ollama',
    describeSetting: (window) =>
      words(
        'Its context for this model is {0} tokens (num_ctx). To raise it, change the context length in its settings.',
        window,
      ),
  },
  lmStudio: {
    name: 'LM Studio',
    describeSetting: (window) =>
      words('It has loaded the model with {0} tokens. To raise that, load it with a larger Context Length.', window),
  },
  llamaCpp: {
    name: 'llama.cpp',
    describeSetting: (window) =>
      words('It holds {0} tokens for each request. To raise that, start it with a larger --ctx-size.', window),
  },
  vllm: {
    name: 'vLLM',
    describeSetting: (window) =>
      words('It holds {0} tokens. To raise that, start it with a larger --max-model-len.', window),
  },
  openRouter: {
    name: 'OpenRouter',
    describeSetting: (window) =>
      words('It holds {0} tokens for this model. Choose one with a larger context for more.', window),
  },
};

const describeAnySetting = (window: string) =>
  words(
    'It holds about {0} tokens. To raise that, start it with a larger context (num_ctx, Context Length, --ctx-size or --max-model-len).',
    window,
  );
