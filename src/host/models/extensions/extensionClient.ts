/**
 * A `ModelClient` for the models of other extensions. Invariant: a request ends at once when its signal is aborted, also
 * when the extension does not listen; and the extension is told whenever nobody listens to its answer any more.
 */

import type * as vscode from 'vscode';
import { ModelError } from '../../../core/errors.ts';
import type { ModelClient, ModelEvent, ModelRequest } from '../../../core/ports.ts';
import { words } from '../../../core/words.ts';
import { encodeForExtension, encodeTools } from './encodeForExtension.ts';
import { ExtensionAnswer } from './extensionAnswer.ts';
import { classifyExtensionError, emptyAnswer, notOffered, saysAnswerCut } from './extensionErrors.ts';
import { readName } from './extensionModel.ts';
import { capabilitiesOf, type LanguageModels } from './languageModels.ts';
import { RequestCounts } from './requestCount.ts';

/** Characters of one answer, several times what any model writes today. */
const MOST_CHARACTERS = 2_000_000;

export interface ExtensionClientOptions {
  readonly api: LanguageModels;
  /** Shown where VS Code asks the person for consent. */
  readonly justification: () => string;
  /** The model that a request goes to, as it is now. */
  readonly onFound: (model: vscode.LanguageModelChat) => void;
  /** Makes ids for calls that came without one, never the same twice. */
  readonly mintId?: () => string;
}

export function createExtensionClient(options: ExtensionClientOptions): ModelClient {
  const counts = new RequestCounts();
  return {
    endpoint: 'vscode.lm:',
    async *stream(request, signal) {
      if (signal.aborted) throw stopped();
      const cancellation = new options.api.CancellationTokenSource();
      const { promise: aborted, reject } = Promise.withResolvers<never>();
      // It is raced below; without this a request that ended in another way would leave it unhandled.
      aborted.catch(() => undefined);
      const abort = () => {
        cancellation.cancel();
        reject(stopped());
      };
      signal.addEventListener('abort', abort, { once: true });
      try {
        const until = <T>(step: PromiseLike<T>): Promise<T> => Promise.race([step, aborted]);
        yield* ask(request, { ...options, counts, token: cancellation.token, until });
      } finally {
        signal.removeEventListener('abort', abort);
        // After the end of an answer this reaches only the counting.
        cancellation.cancel();
        cancellation.dispose();
      }
    },
  };
}

interface Asked extends ExtensionClientOptions {
  readonly counts: RequestCounts;
  readonly token: vscode.CancellationToken;
  /** The step's result, or at once an `aborted` error when the signal is aborted. */
  readonly until: <T>(step: PromiseLike<T>) => Promise<T>;
}

async function* ask(request: ModelRequest, asked: Asked): AsyncGenerator<ModelEvent> {
  const { api, token, until, mintId = mintCallId } = asked;
  const answer = new ExtensionAnswer(request, api, mintId);
  let counting = null;
  try {
    const model = await until(find(request.model, api));
    asked.onFound(model);
    const { supportsImageToText, supportsToolCalling } = capabilitiesOf(model);
    const messages = encodeForExtension(request.messages, api, supportsImageToText === true);
    const tools = supportsToolCalling === false ? [] : encodeTools(request.tools);
    const sent = { justification: asked.justification(), ...(tools.length > 0 ? { tools } : {}) };
    const response = await until(model.sendRequest(messages, sent, token));
    counting = asked.counts.begin(model, messages, tools, token);
    const parts = response.stream[Symbol.asyncIterator]();
    for (let next = await until(parts.next()); !next.done; next = await until(parts.next())) {
      yield* answer.add(next.value);
      if (answer.characters > MOST_CHARACTERS) throw tooLong(request.model);
    }
  } catch (thrown) {
    if (thrown instanceof ModelError) throw thrown;
    if (answer.empty || !saysAnswerCut(thrown)) throw classifyExtensionError(thrown, request.model);
    yield answer.finish(true);
    return;
  }
  if (answer.empty) throw emptyAnswer(request.model);
  const counted = counting.tokens;
  yield { ...answer.finish(false), ...(counted === null ? {} : { counted }) };
}

/** The list changes while the window is open, so it is asked each time; VS Code keeps it. */
async function find(name: string, api: LanguageModels): Promise<vscode.LanguageModelChat> {
  const key = readName(name);
  const [model] = key ? await api.selectChatModels(key) : [];
  if (!model) throw notOffered(name);
  return model;
}

function mintCallId(): string {
  return `call_${crypto.randomUUID().replaceAll('-', '')}`;
}

function tooLong(model: string): ModelError {
  return new ModelError(
    'interrupted',
    words(
      'The answer from {0} was stopped here: it is longer than {1} characters. What arrived is kept; ask for a shorter answer.',
      model,
      MOST_CHARACTERS.toLocaleString('en-US'),
    ),
    { retryable: false, byExtension: true },
  );
}

function stopped(): ModelError {
  return new ModelError('aborted', words('Stopped.'), { retryable: false });
}
