/**
 * A dialect says how a request is written, sent and answered, and what a refusal of it means. Each is a value of
 * `Dialect` in a folder of its own; everything else about a client is the same for all of them.
 */

import type { ToolCall } from '../core/context/message.ts';
import type { ModelError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import type { Effort, FinishReason, ModelEvent, ModelRequest } from '../core/ports.ts';
import { type Words, words } from '../core/words.ts';
import type { Endpoint } from './endpoint.ts';
import { MOST_CALLS } from './toolCallAssembler.ts';

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
  /** What the server still has to send: once it has said how the answer ended, at most its count of tokens. */
  readonly awaits: 'answer' | 'usage' | 'nothing';
  finish(): AnswerEnd;
}

/** The target of a body, and the watched `fetch` that it goes through. */
export interface Sending {
  readonly endpoint: Endpoint;
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal;
}

/** `Narrowing` is what one model at one endpoint accepts; a refusal can only make it narrower. */
export interface Dialect<Narrowing> {
  /** Below the base URL, without a slash before it. */
  readonly path: string;
  begin(endpoint: Endpoint, model: string): Narrowing;
  /** The narrowing that answers a refusal (its whole text), or null when the refusal is about something else. */
  narrow(narrowing: Narrowing, refusal: string): Narrowing | null;
  /** Without the parameter that forbids tools, because a server's cache did not hold for it; null when it is not sent. */
  withoutToolChoice(narrowing: Narrowing): Narrowing | null;
  encode(request: ModelRequest, narrowing: Narrowing): Json;
  /** Through the dialect's own client, which is loaded when it is first needed. */
  send(body: Json, sending: Sending): Promise<AsyncIterable<unknown>>;
  /** `takenIds` are ids of earlier calls; `mintId` never returns the same twice. */
  assemble(takenIds: Iterable<string>, mintId: () => string): AnswerAssembler;
  /** Tells a person about a request that was sent with less than was asked for; null when it was sent whole. */
  tellLeftOut(request: ModelRequest, narrowing: Narrowing): Words | null;
  /** Advice about a refusal that asks for another dialect; null for any other. */
  advise(error: ModelError): Words | null;
}

/** Steps by which a narrowing gets narrower, in their order: the refusal that asks for a step, and what then changes. */
export type NarrowingSteps<Narrowing> = readonly (readonly [
  asksFor: (narrowing: Narrowing, refusal: string) => boolean,
  change: Partial<Narrowing>,
])[];

export function takeStep<Narrowing>(steps: NarrowingSteps<Narrowing>, narrowing: Narrowing, refusal: string) {
  const step = steps.find(([asksFor]) => asksFor(narrowing, refusal));
  return step ? { ...narrowing, ...step[1] } : null;
}

export function isUnknownParameter(refusal: string, name: string): boolean {
  const words =
    'unsupported|not supported|does not support|unknown|unrecognized|unexpected|not permitted|extra inputs|not allowed|deprecated';
  return (
    new RegExp(`\\b(?:${name})\\b[^.]{0,80}(${words})`, 'i').test(refusal) ||
    new RegExp(`(${words})[^.]{0,80}\\b(?:${name})\\b`, 'i').test(refusal)
  );
}

/** Servers refuse the parameter, or the one value of it that is ever sent. */
export function isRefusedChoice(refusal: string): boolean {
  return isUnknownParameter(refusal, 'tool_choice') || REFUSED_CHOICE.test(refusal);
}

const REFUSED_CHOICE =
  /\btool_choice\b[^.]{0,80}(must be|should be|invalid|one of)|no endpoints found[^.]{0,80}\btool_choice\b/i;

export function refusesEffort(refusal: string): boolean {
  const names = 'reasoning_effort|reasoning\\.effort|reasoning\\[effort\\]';
  return isUnknownParameter(refusal, names) || /does not support (thinking|reasoning)\b/i.test(refusal);
}

/** Says that a model does not take the reasoning effort that was chosen for it. */
export function tellEffort(model: string, effort: Effort): Words {
  return words(
    '{0} does not take the reasoning effort “{1}”: requests go out without it. Choose another in the setting palimpsest.effort.',
    model,
    effort,
  );
}

/** `leftOut`: calls that came after the last one allowed. */
export function doneEvent(
  {
    text,
    reasoning,
    usage,
    cost,
  }: Pick<DoneEvent, 'text' | 'usage' | 'cost'> & { readonly reasoning: DoneEvent['reasoning'] | null },
  calls: readonly ToolCall[],
  leftOut: number,
  finish: FinishReason,
): DoneEvent {
  // Calls that the output limit, a filter or the window cut off were never meant to run.
  const cutOff = finish === 'length' || finish === 'contentFilter' || finish === 'overflow';
  const kept = cutOff ? [] : calls;
  return {
    type: 'done',
    text,
    ...(reasoning ? { reasoning } : {}),
    toolCalls: kept,
    ...(cutOff && calls.length > 0 ? { discarded: calls.map((call) => call.name) } : {}),
    finish: kept.length > 0 ? 'toolCalls' : finish === 'toolCalls' ? 'other' : finish,
    usage,
    ...(cost && { cost }),
    ...(leftOut > 0 ? { notice: tellTooMany(leftOut) } : {}),
  };
}

function tellTooMany(leftOut: number): Words {
  return words(
    'The answer had {0} tool calls. Only the first {1} are run; the others were left out.',
    MOST_CALLS + leftOut,
    MOST_CALLS,
  );
}
