/**
 * A dialect defines how a request is written, sent and answered, and the meaning of a refusal. Each is a value of
 * `Dialect` in its own folder; everything else about a client is shared.
 */

import type OpenAI from 'openai';
import type { ToolCall } from '../core/context/message.ts';
import type { ModelError, Refused } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import type { Effort, FinishReason, ModelEvent, ModelRequest } from '../core/model/modelClient.ts';
import { type Words, words } from '../core/words.ts';
import type { Endpoint } from './endpoint.ts';
import { nearestEffort } from './narrowing.ts';
import { MOST_CALLS } from './toolCallAssembler.ts';

export type DoneEvent = Extract<ModelEvent, { type: 'done' }>;

type AnswerEnd =
  | { readonly kind: 'done'; readonly event: DoneEvent }
  /** No finish reason: the stream was cut. */
  | { readonly kind: 'cut' }
  /** The provider reported that it failed. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The provider sent an error instead of an end, in its own form. */
  | { readonly kind: 'refused'; readonly error: unknown };

export interface AnswerAssembler {
  /** Takes one parsed event; returns its displayable part. */
  add(event: unknown): readonly ModelEvent[];
  /** Number of events with content. */
  readonly chunks: number;
  /** Length of everything so far: text, reasoning and arguments. */
  readonly characters: number;
  /** The part of the answer that is still to come: after the finish reason, at most the token count. */
  readonly awaits: 'answer' | 'usage' | 'nothing';
  /** `isOver`: the server marked the end, so a missing finish reason is only that. */
  finish(isOver: boolean): AnswerEnd;
}

/** The target of a body, and the watched `fetch` that sends it. */
export interface Sending {
  readonly endpoint: Endpoint;
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal;
}

/** Options that the providers' own clients share. None is left to an environment variable, and the key to our `fetch`. */
export const sdkOptions = (fetch: Sending['fetch']) => ({
  apiKey: 'set-by-fetch',
  // Silence is detected by bytes; this only has to be longer than any answer.
  timeout: 2_147_483_647,
  maxRetries: 0,
  fetch,
  fetchOptions: {},
  defaultHeaders: {},
  defaultQuery: {},
  dangerouslyAllowBrowser: true,
  logLevel: 'off' as const,
});

/** `Narrowing` describes what one model at one endpoint accepts; a refusal can only narrow it. */
export interface Dialect<Narrowing> {
  /** Below the base URL, without a leading slash. */
  readonly path: string;
  begin(endpoint: Endpoint, model: string): Narrowing;
  /** The narrowing for a refusal, or null when the refusal has another cause. `request`: the one refused. */
  narrow(narrowing: Narrowing, refused: Refused, request: ModelRequest): Narrowing | null;
  /** Without the parameter that forbids tools, because it invalidated a server's cache; null when it is not sent. */
  withoutToolChoice(narrowing: Narrowing): Narrowing | null;
  encode(request: ModelRequest, narrowing: Narrowing): Json;
  /**
   * Through the dialect's own client, which is loaded on first use. The answer's body is read here, because the clients
   * throw away what they do not expect.
   */
  send(body: Json, sending: Sending): Promise<Response>;
  /** The exact tokens of the prompt in `body`, where the dialect can count without answering. */
  readonly count?: (body: Json, sending: Sending) => Promise<number>;
  /** `takenIds` are ids of earlier calls; `mintId` never repeats itself. */
  assemble(takenIds: Iterable<string>, mintId: () => string): AnswerAssembler;
  /** Describes to a person what a request had to omit; null when it was complete. */
  explainOmissions(request: ModelRequest, narrowing: Narrowing): Words | null;
  /** Advice about a refusal that requires another dialect; null for any other. */
  advise(error: ModelError): Words | null;
}

/**
 * Steps that narrow a request otherwise than by leaving out a field, in order: the refusal that requires a step (its whole
 * text), and the change.
 */
export type NarrowingSteps<Narrowing> = readonly (readonly [
  asksFor: (narrowing: Narrowing, refusal: string) => boolean,
  change: Partial<Narrowing>,
])[];

export function takeStep<Narrowing>(steps: NarrowingSteps<Narrowing>, narrowing: Narrowing, refusal: string) {
  const step = steps.find(([asksFor]) => asksFor(narrowing, refusal));
  return step ? { ...narrowing, ...step[1] } : null;
}

/** Reports that a model does not accept the chosen reasoning effort, or its endpoint not the earlier reasoning. */
export function explainOmitted(
  { effort, model, messages }: ModelRequest,
  omitted: { readonly effort: boolean; readonly efforts?: readonly Effort[] | null; readonly reasoning: boolean },
): Words | null {
  const sent = effort && nearestEffort(effort, omitted.efforts ?? null);
  const remark: Words = [
    ...(effort && sent && sent !== effort && !omitted.effort
      ? words(
          '{0} does not take the reasoning effort “{1}”: requests go out with “{2}”. Choose another in the setting palimpsest.effort.',
          model,
          effort,
          sent,
        )
      : []),
    ...(effort && omitted.effort
      ? words(
          '{0} does not take the reasoning effort “{1}”: requests go out without it. Choose another in the setting palimpsest.effort.',
          model,
          effort,
        )
      : []),
    ...(omitted.reasoning &&
    messages.some((message) => message.role === 'assistant' && message.reasoning?.items?.length)
      ? words('The endpoint refused the earlier reasoning of {0}, which is no longer sent back.', model)
      : []),
  ];
  return remark.length > 0 ? remark : null;
}

/** A finish reason in any of the words that servers use, whatever their dialect. */
export function readFinish(reason: string): FinishReason | 'failed' {
  switch (reason.toLowerCase()) {
    case 'stop':
    case 'end_turn':
    case 'stop_sequence':
    case 'eos':
    case 'eos_token':
    case 'complete':
    case 'completed':
      return 'stop';
    case 'tool_calls':
    case 'tool_call':
    case 'tool_use':
    case 'function_call':
      return 'toolCalls';
    case 'length':
    case 'max_tokens':
    case 'max_output_tokens':
    case 'model_length':
      return 'length';
    case 'content_filter':
    case 'content_filtered':
    case 'guardrail_intervened':
    case 'sensitive':
    case 'refusal':
    case 'safety':
    case 'recitation':
    case 'prohibited_content':
    case 'error_toxic':
      return 'contentFilter';
    case 'model_context_window_exceeded':
    case 'context_length_exceeded':
      return 'overflow';
    case 'error':
    case 'abort':
    case 'cancelled':
    case 'network_error':
    case 'insufficient_system_resource':
      return 'failed';
    // Includes `pause_turn`: it only follows tools that run at the provider, which are never sent.
    default:
      return 'other';
  }
}

/** `leftOut`: number of calls after the last one allowed. */
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
  // Calls cut off by the output limit, a filter or the window must not run.
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
    ...(leftOut > 0 ? { notice: describeTooMany(leftOut) } : {}),
  };
}

function describeTooMany(leftOut: number): Words {
  return words(
    'The answer had {0} tool calls. Only the first {1} are run; the others were left out.',
    MOST_CALLS + leftOut,
    MOST_CALLS,
  );
}

/**
 * OpenAI's own client, which two dialects use, loaded with the first request. Every option is set, because the client
 * fills gaps from environment variables. It does not get the key.
 */
export async function openaiSdk({ endpoint, fetch }: Sending): Promise<OpenAI> {
  const { default: Client } = await import('openai');
  return new Client({
    ...sdkOptions(fetch),
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: endpoint.baseUrl,
    dataResidency: null,
  });
}
