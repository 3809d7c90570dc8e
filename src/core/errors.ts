/**
 * The typed errors of the product's boundaries. An expected outcome is a `kind` union, not an error; a bug is a plain
 * `Error`. Every message names the thing, the reason and what can be done.
 */

import type { ModelErrorKind } from '../api/errors.ts';
import { inEnglish, verbatim, type Words } from './words.ts';

export type { ModelErrorKind };

/** A field that a refusal names, such as `messages.0.content`, with the remark of the provider about it. */
export interface RefusedField {
  readonly path: string;
  readonly says: string;
}

/** A refusal in the provider's own words, as far as it was read, and the fields that it names. It contains no key. */
export interface Refused {
  readonly text: string;
  readonly fields: readonly RefusedField[];
}

export interface ModelErrorFacts {
  readonly status?: number;
  /** Milliseconds the provider asked us to wait. */
  readonly retryAfterMs?: number;
  /** The model's true context window in tokens, where the provider's message names it. */
  readonly learnedWindow?: number;
  /** The provider's own message in a form fit to be shown; absent when there was none. */
  readonly reported?: string;
  /**
   * An overflow inferred from the status code alone: the message does not mention it. A caller that knows the size of
   * the request decides.
   */
  readonly guessed?: boolean;
  /** The provider objects to the form of the calls and results in the history. */
  readonly malformedHistory?: boolean;
  /** Another extension made the request: no key or endpoint of this extension is involved. */
  readonly byExtension?: boolean;
  /** A proxy on the way failed or refused: the server was not asked. */
  readonly byProxy?: boolean;
  /** True for faults worth an automatic retry (408, 409, 429, 5xx, network, empty stream). */
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

/** A failure to report to a person: `words` can be translated, `message` is the English text. */
export class UserFacingError extends Error {
  readonly words: Words;

  constructor(message: string | Words, cause?: unknown) {
    const words = typeof message === 'string' ? verbatim(message) : message;
    super(inEnglish(words), cause === undefined ? undefined : { cause });
    this.words = words;
  }
}

/** A request to a model failed. The words contain no key. */
export class ModelError extends UserFacingError {
  override readonly name = 'ModelError';
  readonly kind: ModelErrorKind;
  readonly facts: ModelErrorFacts;
  /** Its words narrow the next request. Null where nothing was refused. */
  readonly refused: Refused | null;

  constructor(
    kind: ModelErrorKind,
    message: string | Words,
    facts: ModelErrorFacts = {},
    refused: Refused | null = null,
  ) {
    super(message, facts.cause);
    this.kind = kind;
    this.facts = facts;
    this.refused = refused;
  }
}

export type JournalErrorKind =
  | 'empty'
  | 'foreign'
  | 'damaged'
  | 'newer'
  | 'noPermission'
  | 'diskFull'
  | 'io'
  | 'missing'
  | 'locked'
  /** It belongs to another folder. */
  | 'elsewhere'
  | 'closed';

/** A session's journal cannot be read or written. `path` names the file for the person who must act. */
export class JournalError extends UserFacingError {
  override readonly name = 'JournalError';
  readonly kind: JournalErrorKind;
  readonly path: string;

  constructor(kind: JournalErrorKind, path: string, message: string | Words, cause?: unknown) {
    super(message, cause);
    this.kind = kind;
    this.path = path;
  }
}

/**
 * A tool could not do what was asked; the model gets the message as the call's result. `words` are there for a person who
 * can be told the same.
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly words: Words | null;

  constructor(message: string | Words, options?: ErrorOptions) {
    super(typeof message === 'string' ? message : inEnglish(message), options);
    this.words = typeof message === 'string' ? null : message;
  }
}

/** Message of anything thrown, for logs and texts. Never throws itself: foreign code may throw a revoked proxy. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return 'something without a text was thrown';
  }
}

/** Like `messageOf`, in translatable form where the error has one. */
export function wordsOf(thrown: unknown): Words {
  const words = thrown instanceof UserFacingError || thrown instanceof ToolError ? thrown.words : null;
  return words ?? verbatim(messageOf(thrown));
}

/**
 * True for errors of the operating system or its API: they have a code, such as `EACCES` or `ERR_INVALID_ARG_VALUE`.
 */
export function isSystemError(thrown: unknown): thrown is Error {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' && !isAbort(thrown);
}

/** True when `thrown` is a cancellation. */
export function isAbort(thrown: unknown): boolean {
  if (thrown instanceof ModelError) return thrown.kind === 'aborted';
  return thrown instanceof Error && thrown.name === 'AbortError';
}
