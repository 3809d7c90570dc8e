/** VS Code's language models in memory: the same classes in small, and models that answer as a test says. */

import type * as vscode from 'vscode';
import type { LanguageModels } from '../../../src/host/models/extensions/extensionModel.ts';

class TextPart {
  readonly value: string;
  constructor(value: string) {
    this.value = value;
  }
}

class ToolCallPart {
  readonly callId: string;
  readonly name: string;
  readonly input: object;
  constructor(callId: string, name: string, input: object) {
    this.callId = callId;
    this.name = name;
    this.input = input;
  }
}

class ToolResultPart {
  readonly callId: string;
  readonly content: unknown[];
  constructor(callId: string, content: unknown[]) {
    this.callId = callId;
    this.content = content;
  }
}

class DataPart {
  readonly data: Uint8Array;
  readonly mimeType: string;
  constructor(data: Uint8Array, mimeType: string) {
    this.data = data;
    this.mimeType = mimeType;
  }
  static image(data: Uint8Array, mime: string): DataPart {
    return new DataPart(data, mime);
  }
}

class ChatMessage {
  readonly role: number;
  readonly content: unknown[];
  constructor(role: number, content: unknown[]) {
    this.role = role;
    this.content = content;
  }
  static User = (content: string | unknown[]) =>
    new ChatMessage(1, typeof content === 'string' ? [new TextPart(content)] : content);
  static Assistant = (content: unknown[]) => new ChatMessage(2, content);
}

class CancellationTokenSource {
  #cancelled = false;
  readonly #listeners: (() => void)[] = [];
  readonly token;

  constructor() {
    const isCancelled = () => this.#cancelled;
    this.token = {
      get isCancellationRequested() {
        return isCancelled();
      },
      onCancellationRequested: (listener: () => void) => {
        this.#listeners.push(listener);
        return { dispose: () => undefined };
      },
    };
  }

  cancel(): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    for (const listener of this.#listeners) listener();
  }

  dispose(): void {
    // Nothing is held.
  }
}

/** As VS Code throws it. */
export class LanguageModelError extends Error {
  override readonly name = 'LanguageModelError';
  readonly code: string;
  constructor(message: string, code = '', cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** The kinds of parts, for a test to answer with. */
export const parts = {
  text: (value: string) => new TextPart(value),
  call: (id: string, name: string, input: object) => new ToolCallPart(id, name, input),
  data: (text: string, mime: string) => new DataPart(new TextEncoder().encode(text), mime),
  /** As the proposed API has it. */
  thinking: (value: string | string[]) => ({ value, id: undefined, metadata: { signature: 'opaque' } }),
};

export interface FakeModel {
  readonly vendor?: string;
  readonly id?: string;
  readonly window?: number;
  readonly capabilities?: { readonly supportsToolCalling?: boolean; readonly supportsImageToText?: boolean };
  readonly answer?: (sent: Sent) => AsyncIterable<unknown>;
  readonly send?: (sent: Sent) => Promise<vscode.LanguageModelChatResponse>;
  readonly countTokens?: (text: string) => Promise<number>;
}

export interface Sent {
  readonly messages: readonly ChatMessage[];
  readonly options: vscode.LanguageModelChatRequestOptions;
  readonly token: vscode.CancellationToken;
}

export interface FakeLanguageModels {
  readonly api: LanguageModels;
  readonly sent: Sent[];
  /** The selectors used, in order; null: everything. */
  readonly selected: (vscode.LanguageModelChatSelector | null)[];
  offer(...models: FakeModel[]): void;
  /** Tells that the list has changed. */
  announce(): void;
}

export function fakeLanguageModels(...offered: FakeModel[]): FakeLanguageModels {
  const sent: Sent[] = [];
  const selected: (vscode.LanguageModelChatSelector | null)[] = [];
  const listeners = new Set<() => void>();
  let models = offered;
  const api = {
    CancellationTokenSource,
    LanguageModelChatMessage: ChatMessage,
    LanguageModelDataPart: DataPart,
    LanguageModelTextPart: TextPart,
    LanguageModelToolCallPart: ToolCallPart,
    LanguageModelToolResultPart: ToolResultPart,
    selectChatModels: async (selector?: vscode.LanguageModelChatSelector) => {
      selected.push(selector ?? null);
      const all = models.map((model) => describe(model, sent));
      return all.filter(({ vendor, id }) => !selector || (vendor === selector.vendor && id === selector.id));
    },
    onDidChangeChatModels: (listener: () => void) => {
      listeners.add(listener);
      return { dispose: () => listeners.delete(listener) };
    },
  } as unknown as LanguageModels;
  return {
    api,
    sent,
    selected,
    offer: (...others) => {
      models = others;
    },
    announce: () => {
      for (const listener of listeners) listener();
    },
  };
}

function describe(model: FakeModel, sent: Sent[]) {
  const { vendor = 'acme', id = 'm', window = 10_000, capabilities, answer, send, countTokens } = model;
  return {
    vendor,
    id,
    name: `Model ${id}`,
    family: 'f',
    version: '1',
    maxInputTokens: window,
    ...(capabilities ? { capabilities } : {}),
    sendRequest: (messages: ChatMessage[], options: Sent['options'], token: vscode.CancellationToken) => {
      const request = { messages, options, token };
      sent.push(request);
      return send ? send(request) : Promise.resolve({ stream: answer?.(request) ?? of() });
    },
    countTokens: (text: unknown) => countTokens?.(JSON.stringify(text)) ?? Promise.reject(new Error('no tokenizer')),
  };
}

/** A stream of these parts. */
export async function* of(...given: unknown[]): AsyncGenerator<unknown> {
  yield* given;
}
