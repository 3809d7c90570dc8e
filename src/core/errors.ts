/**
 * The typed errors of the product's boundaries. An expected outcome is a `kind` union, not an error; a bug is a plain
 * `Error`. Every message names the thing, the reason and what can be done.
 */

import type { ModelErrorKind } from '../api/errors.ts';
import { inEnglish, verbatim, type Words } from './words.ts';

export type { ModelErrorKind };

export interface ModelErrorFacts {
  readonly status?: number;
  /** Milliseconds the provider asked us to wait. */
  readonly retryAfterMs?: number;
  /** The model's true context window in tokens, where the provider's text names it. */
  readonly learnedWindow?: number;
  /** The provider's own words as they may be shown; absent when there were none. */
  readonly said?: string;
  /** An overflow by its status alone: nothing in its text says so. What knows the size of the request decides. */
  readonly guessed?: boolean;
  /** The provider objects to the form of the calls and results in the history. */
  readonly malformedHistory?: boolean;
  /** Another extension made the request: no key and no address of ours is involved. */
  readonly byExtension?: boolean;
  /** True for faults worth an automatic retry (408, 409, 429, 5xx, network, empty stream). */
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

/** Something went wrong that a person is told about: `words` say it in any language, `message` is their English. */
export class ToldError extends Error {
  readonly words: Words;

  constructor(said: string | Words, cause?: unknown) {
    const words = typeof said === 'string' ? verbatim(said) : said;
    super(inEnglish(words), cause === undefined ? undefined : { cause });
    this.words = words;
  }
}

/** A request to a model failed. Its words hold no key. */
export class ModelError extends ToldError {
  override readonly name = 'ModelError';
  readonly kind: ModelErrorKind;
  readonly facts: ModelErrorFacts;

  constructor(kind: ModelErrorKind, said: string | Words, facts: ModelErrorFacts = {}) {
    super(said, facts.cause);
    this.kind = kind;
    this.facts = facts;
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
export class JournalError extends ToldError {
  override readonly name = 'JournalError';
  readonly kind: JournalErrorKind;
  readonly path: string;

  constructor(kind: JournalErrorKind, path: string, said: string | Words, cause?: unknown) {
    super(said, cause);
    this.kind = kind;
    this.path = path;
  }
}

/** A tool could not do what was asked; the text goes to the model as the call's result. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/** Text of anything thrown, for logs and messages. Never throws itself: strangers' code may throw a revoked proxy. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return 'something without a text was thrown';
  }
}

/** As `messageOf`, in a form that can be translated where its author made that possible. */
export function wordsOf(thrown: unknown): Words {
  return thrown instanceof ToldError ? thrown.words : verbatim(messageOf(thrown));
}

/** True for what the operating system or its interface refused: it has a code, as `EACCES` or `ERR_INVALID_ARG_VALUE`. */
export function isSystemError(thrown: unknown): thrown is Error {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' && !isAbort(thrown);
}

/** True when `thrown` says that somebody asked us to stop. */
export function isAbort(thrown: unknown): boolean {
  if (thrown instanceof ModelError) return thrown.kind === 'aborted';
  return thrown instanceof Error && thrown.name === 'AbortError';
}
