/**
 * A request to a model, the events of its answer, and the client that connects them. Invariant: `stream` ends with exactly one
 * `done` or throws `ModelError`. `src/providers` implements it.
 */

import type { Reasoning, ToolCall, Usage } from '../context/message.ts';
import type { ToolDeclaration } from '../journal/entry.ts';
import type { Money } from '../money.ts';
import type { Words } from '../words.ts';

export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mime: string; readonly base64: string }
  /** An image, by the name of its blob, until the request goes out. */
  | { readonly type: 'imageBlob'; readonly mime: string; readonly blob: string; readonly tokens: number };

/** A lowered message: what a model client encodes for its provider. */
export type ChatMessage =
  | { readonly role: 'system'; readonly text: string; readonly cache?: boolean }
  | { readonly role: 'user'; readonly text: string; readonly parts?: readonly ContentPart[]; readonly cache?: boolean }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly toolCalls?: readonly ToolCall[];
      readonly reasoning?: Reasoning;
      readonly cache?: boolean;
    }
  | {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly text: string;
      /** Sent only where the form has a field for it; the text says it anyway. */
      readonly isError?: true;
      readonly parts?: readonly ContentPart[];
      readonly cache?: boolean;
    };

/** The prompt tokens that a provider may report for a request that it reads whole. */
export interface ExpectedPrompt {
  readonly tokens: number;
  readonly least: number;
  readonly most: number;
  /** The least for a server that counts as it did for the previous request; 0 when unknown. */
  readonly grown: number;
  /** The part that no compaction can remove: instructions and tools. Left out when unknown. */
  readonly fixed?: number;
  /** Without what was reported before. Left out where `tokens` is that. */
  readonly estimated?: number;
}

export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDeclaration[];
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  /** The tools are declared, so that the prompt cache stays valid, but may not be called. */
  readonly toolChoice?: 'none';
  /** How much the model should think; omitted: the provider's default. */
  readonly effort?: Effort;
  /** Random, the same for all requests of a session, and free of private data: helps a provider find its cache. */
  readonly cacheKey?: string;
  /** The meter's count. It is not sent; it reveals when a server has cut the prompt. */
  readonly expected?: ExpectedPrompt;
}

export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;

export type Effort = (typeof EFFORTS)[number];

export type FinishReason = 'stop' | 'toolCalls' | 'length' | 'contentFilter' | 'overflow' | 'other';

export type ModelEvent =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'reasoning'; readonly delta: string; readonly field: string }
  /** All text so far was thinking, whose beginning the model left out. */
  | { readonly type: 'wasThinking'; readonly field: string }
  /** Progress of a call being written, for display only; `done` has the whole call. */
  | { readonly type: 'toolCall'; readonly index: number; readonly name: string; readonly argumentsLength: number }
  | {
      readonly type: 'done';
      readonly text: string;
      readonly reasoning?: Reasoning;
      /** Ids are unique within the answer; minted when the provider sent none. */
      readonly toolCalls: readonly ToolCall[];
      /**
       * Names of calls that the end of the answer cut off (`length`): not in `toolCalls`, never run, reported to the
       * model.
       */
      readonly discarded?: readonly string[];
      readonly finish: FinishReason;
      /** A remark about this answer for a person, e.g. that the server cut the request. */
      readonly notice?: Words;
      /** The server silently read only a part of the request. The window that it really has, in tokens. */
      readonly cutTo?: number;
      /** Null when the provider reported none: the caller estimates. */
      readonly usage: Usage | null;
      /** The cost of the request, as reported by the provider. */
      readonly cost?: Money;
      /** Where nothing is reported: tokens of the request by the model's own tokenizer. A close estimate. */
      readonly counted?: number;
    };

/** Client for one kind of endpoint. `stream` ends with exactly one `done` or throws `ModelError`. */
export interface ModelClient {
  /** Origin of the endpoint, or `demo:`. */
  readonly endpoint: string;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** Exact prompt tokens of `request`, without an answer; null where the endpoint does not tell. Never throws. */
  readonly count?: (request: ModelRequest, signal: AbortSignal) => Promise<number | null>;
}
