/** For tests of one's own: one call of a strategy by Palimpsest's own host, reader and rules, and histories for it. */

import type { ModelErrorKind, ModelError as ThrownModelError } from './errors.ts';
import type { ContextMessage, JsonValue, StrategyFactory, StrategyPorts } from './index.ts';

/** A message of a history as a test writes it, and as `readRecorded` and `generateHistory` return it. */
export type RecordedMessage =
  | {
      readonly role: 'user';
      readonly kind: 'user' | 'summary' | 'reminder' | 'skillMetadata' | 'skillPrompt' | 'mention';
      readonly text: string;
      /** `blob` is the SHA-256 name of what holds the bytes. */
      readonly attachments?: readonly {
        readonly mime: string;
        readonly blob: string;
        readonly tokens: number;
        readonly name?: string;
      }[];
    }
  | {
      readonly role: 'assistant';
      readonly text: string;
      /** `field` is the provider's own name for it. */
      readonly reasoning?: { readonly field: string; readonly text: string };
      /** `arguments` is JSON text as the model wrote it. */
      readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
      /** Its calls were never run. */
      readonly interrupted?: boolean;
    }
  | {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly text: string;
      readonly isError?: boolean;
      /** How the call ended. Read from the text, as far as that says it, when left out. */
      readonly outcome?: {
        readonly kind: 'made' | 'refused' | 'declined' | 'failed' | 'interrupted' | 'running';
        readonly exitCode?: number;
      };
      readonly ephemeral?: { readonly keepNewest: number };
      readonly truncation?: {
        readonly by: 'formatter' | 'offload' | 'compaction';
        readonly direction: 'head' | 'tail' | 'middle';
        readonly originalLines: number;
        readonly originalBytes: number;
      };
    };
/**
 * A recorded conversation: chat-completions messages, one a line or in one list, what *Export Session* writes as chat
 * messages or JSON, or a file of another program that can be imported. What is no message is left out. Throws `SyntaxError` naming the line that is not JSON, or when nothing is
 * a message.
 */
export declare function readRecorded(text: string): RecordedMessage[];
/** A history of so many turns (4) for a test; the same for the same seed (1). Some of its messages are thousands of tokens. */
export declare function generateHistory(seed?: number, turns?: number): RecordedMessage[];

/** For a test's model to throw. Where errors are caught, use `isModelError`. */
export declare class ModelError extends Error implements ThrownModelError {
  readonly name: 'ModelError';
  readonly kind: ModelErrorKind;
  constructor(kind: ModelErrorKind, message: string);
}
/** A request as it is sent: what does not fit into the window is cut out of the prompt's middle. */
export interface Asked {
  readonly system?: string;
  readonly prompt: string;
  readonly maxOutputTokens?: number;
}
/** The input of one call. The names are those of its context. */
export interface RunOnceOptions {
  /** `manual` when left out. */
  readonly trigger?: string;
  readonly instructions?: string;
  /** 1 or 2; 1 when left out. */
  readonly attempt?: number;
  /** Places in the history, from 0, of the messages that the person pinned. */
  readonly pins?: readonly number[];
  /** Kept by an earlier compaction of this strategy. */
  readonly details?: JsonValue;
  /** Tools whose results the person keeps. */
  readonly protectedTools?: readonly string[];
  /** The answers of the `settings` port. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The answers of the `llm` port; a short text when left out. It may throw a `ModelError`. Null: no model can be reached. */
  readonly model?: string | null | ((asked: Asked) => string | Promise<string>);
  /** Tokens; half of the history's when left out. */
  readonly targetTokens?: number;
  /** Tokens; `targetTokens` when left out. */
  readonly thresholdTokens?: number;
  /** Tokens of the whole request; the history's and 400 when left out. */
  readonly tokenCount?: number;
  /** Tokens of the window; 0 (unknown) when left out. */
  readonly maxContextSize?: number;
  /** Tokens; 0 when left out. */
  readonly reservedContextSize?: number;
  /** Milliseconds that the call may take. 10,000 when left out. */
  readonly deadlineMs?: number;
  /** The person's stop. */
  readonly signal?: AbortSignal;
}
/** Everything that a strategy did besides its result. */
interface Observed {
  readonly log: readonly { readonly level: string; readonly text: string }[];
  readonly reports: readonly { readonly text: string; readonly fraction?: number }[];
  readonly requests: readonly Asked[];
}
interface Result extends Observed {
  /** The history after it, as the strategy would get it the next time. Ids are `m0`, `m1` … by place in the history given. */
  readonly history: readonly ContextMessage[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** More is left than `targetTokens`: it would be called once more, with half of that. */
  readonly overTarget: boolean;
  /** Repairs that were made before the result was accepted. */
  readonly repairs: readonly string[];
  /** Kept for its next compaction. */
  readonly details?: JsonValue;
  /** It failed after it had called `soFar`: the result is what it had done by then. */
  readonly failure?: { readonly by: 'strategy' | 'model'; readonly reason: string; readonly thrown?: unknown };
}
export type RunOnceResult =
  | ({ readonly kind: 'compacted' } & Result)
  /** Palimpsest would reject it: it has no fewer tokens. */
  | ({ readonly kind: 'notSmaller' } & Result)
  | ({ readonly kind: 'unchanged' } & Observed)
  /** The model failed, and the strategy let that through. It is no fault of its own. */
  | ({ readonly kind: 'modelFailed'; readonly reason: string } & Observed)
  /** `thrown` is what the strategy threw, if it did. */
  | ({ readonly kind: 'broken'; readonly rule: string; readonly thrown?: unknown } & Observed)
  | ({ readonly kind: 'stopped' } & Observed);
/**
 * One call of the strategy, created for it, on this history: what would be committed, or which rule is broken. Rejects with
 * `TypeError` for wrong options, never for what the strategy does.
 */
export declare function runOnce<N extends keyof StrategyPorts>(
  factory: StrategyFactory<N>,
  history: readonly RecordedMessage[],
  options?: RunOnceOptions,
): Promise<RunOnceResult>;
