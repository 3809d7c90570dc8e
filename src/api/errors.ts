/**
 * Errors that Palimpsest throws at an extension, and the guards that tell them apart. An extension and Palimpsest each
 * have their own copy of this file, so `instanceof` cannot: the guards look at the error itself.
 */

export type ModelErrorKind =
  /** The request does not fit into the model's window. */
  | 'overflow'
  | 'rateLimit'
  /** The key is missing or refused. */
  | 'auth'
  | 'billing'
  /** There is no such model, or none can be reached. */
  | 'notFound'
  | 'badRequest'
  | 'network'
  /** The answer broke off, or was empty. */
  | 'interrupted'
  /** The compaction was stopped or is over. */
  | 'aborted';

/** Rejection of `llm.complete` when a model cannot be asked, or answers badly. Its message contains no key. */
export interface ModelError extends Error {
  readonly name: 'ModelError';
  readonly kind: ModelErrorKind | (string & {});
}

/** Thrown by `getAPI` for a version that the installed release does not offer. */
export interface UnsupportedApiVersion extends Error {
  readonly name: 'UnsupportedApiVersion';
}

export function isModelError(thrown: unknown): thrown is ModelError {
  return isNamed(thrown, 'ModelError') && 'kind' in thrown && typeof thrown.kind === 'string';
}

export function isUnsupportedApiVersion(thrown: unknown): thrown is UnsupportedApiVersion {
  return isNamed(thrown, 'UnsupportedApiVersion');
}

function isNamed(thrown: unknown, name: string): thrown is Error {
  return thrown instanceof Error && thrown.name === name;
}
