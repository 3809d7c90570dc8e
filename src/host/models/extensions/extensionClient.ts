/**
 * A `ModelClient` for the models of other extensions. Invariant: a request ends at once when its signal is aborted,
 * even if the extension ignores it; and the extension is told as soon as its answer is no longer needed.
 */

import type * as vscode from 'vscode';
import { Allowance } from '../../../core/allowance.ts';
import { ModelError } from '../../../core/errors.ts';
import { formatCount } from '../../../core/figures.ts';
import type { ModelClient, ModelEvent, ModelRequest } from '../../../core/model/modelClient.ts';
import { thinkingApart } from '../../../core/model/thinkingStream.ts';
import { words } from '../../../core/words.ts';
import {
  classifyExtensionError,
  emptyAnswer,
  notOffered,
  saysAnswerCut,
} from '../../../node/models/extensionErrors.ts';
import { hashText } from '../../../providers/hashText.ts';
import { tidyRequest } from '../../../providers/tidyRequest.ts';
import { encodeForExtension, encodeTools } from './encodeForExtension.ts';
import { ExtensionAnswer } from './extensionAnswer.ts';
import { capabilitiesOf, type LanguageModels, readName } from './extensionModel.ts';

/** Characters of one answer, several times the longest of today's models. */
const MOST_CHARACTERS = 2_000_000;
/** Parts of one answer that add nothing to it. */
const MOST_EMPTY = 50_000;

/** The extension knows its provider's limits. */
const ANY_IMAGES = { name: 'vscode.lm' };

interface ExtensionClientOptions {
  readonly api: LanguageModels;
  /** Shown where VS Code asks the person for consent. */
  readonly justification: () => string;
  /** Called with the model that a request goes to. */
  readonly onFound: (model: vscode.LanguageModelChat) => void;
  /** Makes unique ids for calls without one. */
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
      // It is raced below; without this handler, a request that ended otherwise would leave it unhandled.
      aborted.catch(() => undefined);
      const abort = () => {
        cancellation.cancel();
        reject(stopped());
      };
      signal.addEventListener('abort', abort, { once: true });
      try {
        const until = <T>(step: PromiseLike<T>): Promise<T> => Promise.race([step, aborted]);
        yield* thinkingApart(ask(request, { ...options, counts, token: cancellation.token, until }));
      } finally {
        signal.removeEventListener('abort', abort);
        // After the end of an answer this only stops the counting.
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

async function* ask(given: ModelRequest, asked: Asked): AsyncGenerator<ModelEvent> {
  const { api, token, until, mintId = mintCallId } = asked;
  const { request, restore } = tidyRequest(given, ANY_IMAGES);
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
    const usedUp = words(
      'The answer from {0} was stopped here: its extension sent more than {1} parts with nothing in them. Choose another model.',
      request.model,
      MOST_EMPTY,
    );
    const empty = new Allowance({ most: MOST_EMPTY, usedUp });
    const parts = response.stream[Symbol.asyncIterator]();
    for (let next = await until(parts.next()); !next.done; next = await until(parts.next())) {
      const before = answer.characters;
      yield* answer.add(next.value);
      const endless = answer.characters === before ? empty.take() : null;
      if (endless) throw new ModelError('interrupted', endless, { retryable: false, byExtension: true });
      if (answer.characters > MOST_CHARACTERS) throw tooLong(request.model);
    }
  } catch (thrown) {
    if (thrown instanceof ModelError) throw thrown;
    if (answer.empty || !saysAnswerCut(thrown)) throw classifyExtensionError(thrown, request.model);
    yield restore(answer.finish(true));
    return;
  }
  if (answer.empty) throw emptyAnswer(request.model);
  const counted = counting.tokens;
  yield { ...restore(answer.finish(false)), ...(counted === null ? {} : { counted }) };
}

/** The list changes while the window is open, so it is queried each time; VS Code caches it. */
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
      formatCount(MOST_CHARACTERS),
    ),
    { retryable: false, byExtension: true },
  );
}

function stopped(): ModelError {
  return new ModelError('aborted', words('Stopped.'), { retryable: false });
}

/** Cached counts; a long session has some hundred messages. */
const MOST_KEPT = 5_000;

interface Counting {
  /** Tokens of the whole request; null while unknown. */
  readonly tokens: number | null;
}

/**
 * Counts a request with the model's own tokenizer while its answer streams, and caches each message's count, so that a
 * later request counts only new messages. Nobody waits for it: a count that is not ready when the answer ends is
 * discarded.
 */
class RequestCounts {
  readonly #kept = new Map<string, number>();

  begin(
    model: vscode.LanguageModelChat,
    messages: readonly vscode.LanguageModelChatMessage[],
    tools: readonly vscode.LanguageModelChatTool[],
    token: vscode.CancellationToken,
  ): Counting {
    const counting: { tokens: number | null } = { tokens: null };
    const texts = tools.length > 0 ? [JSON.stringify(tools)] : [];
    this.#count(model, [...texts, ...messages], token).then(
      (tokens) => {
        counting.tokens = tokens;
      },
      // If a tokenizer fails, the product's own estimate is used.
      () => undefined,
    );
    return counting;
  }

  /** One after another, so that the answering extension is not delayed. Null when the answer ended first. */
  async #count(
    model: vscode.LanguageModelChat,
    parts: readonly (string | vscode.LanguageModelChatMessage)[],
    token: vscode.CancellationToken,
  ): Promise<number | null> {
    let sum = 0;
    for (const part of parts) {
      const key = `${model.vendor}/${model.id} ${hashText(typeof part === 'string' ? part : JSON.stringify(part))}`;
      let tokens = this.#kept.get(key);
      if (tokens === undefined) {
        if (token.isCancellationRequested) return null;
        tokens = await model.countTokens(part, token);
        if (!Number.isFinite(tokens) || tokens < 0) return null;
        if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
        this.#kept.set(key, tokens);
      }
      sum += tokens;
    }
    return sum > 0 ? sum : null;
  }
}
