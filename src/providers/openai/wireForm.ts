/** What two dialects of the same client differ in: how a request is written and how its answer is read. */

import type OpenAI from 'openai';
import type { ModelError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { ModelEvent, ModelRequest } from '../../core/ports.ts';
import type { Words } from '../../core/words.ts';
import type { Endpoint } from '../endpoint.ts';

export type DoneEvent = Extract<ModelEvent, { type: 'done' }>;

type AnswerEnd =
  | { readonly kind: 'done'; readonly event: DoneEvent }
  /** No finish reason: the stream was cut. */
  | { readonly kind: 'cut' }
  /** The provider's own reason says that it failed. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The provider sent an error instead of an end, in its own form. */
  | { readonly kind: 'refused'; readonly error: unknown };

export interface AnswerAssembler {
  /** Takes one parsed event; returns what can be shown of it. */
  add(event: unknown): readonly ModelEvent[];
  /** How many events held anything of an answer. */
  readonly chunks: number;
  /** Length of everything that came so far: text, reasoning and arguments. */
  readonly characters: number;
  /** What the server has still to send: once it has said how the answer ended, at most what it counted. */
  readonly awaits: 'answer' | 'usage' | 'nothing';
  finish(): AnswerEnd;
}

/** `Narrowing` is what one model at one endpoint accepts; a refusal can only make it narrower. */
export interface WireForm<Narrowing> {
  /** Below the base URL, without a slash before it. */
  readonly path: string;
  begin(endpoint: Endpoint, model: string): Narrowing;
  /** The narrowing that answers a refusal (its whole text), or null when the refusal is about something else. */
  narrow(narrowing: Narrowing, refusal: string): Narrowing | null;
  /** Without the parameter that forbids tools, because a server's cache did not hold for it; null when it is not sent. */
  withoutToolChoice(narrowing: Narrowing): Narrowing | null;
  encode(request: ModelRequest, narrowing: Narrowing): Json;
  send(
    client: OpenAI,
    body: Json,
    options: { signal: AbortSignal; maxRetries: 0 },
  ): PromiseLike<AsyncIterable<unknown>>;
  /** `takenIds` are ids of earlier calls; `mintId` never returns the same twice. */
  assemble(takenIds: Iterable<string>, mintId: () => string): AnswerAssembler;
  /** What a person should know of a request that was sent with less than was asked for; null when it was sent whole. */
  tellLeftOut(request: ModelRequest, narrowing: Narrowing): Words | null;
  /** What to do about a refusal that asks for another form; null for any other. */
  advise(error: ModelError): Words | null;
}
