/**
 * A request of an MCP server to the model during a call (sampling, as MCP 2025-11-25 describes it). All of it is foreign
 * text: bounded, shown whole to the person, and sent only as far as they allow. The answer goes to the server alone.
 */

import { Allowance } from '../allowance.ts';
import { asRecord, asText, listOf, objectOf } from '../json.ts';
import type { QuestionAnswer } from '../tools/question.ts';
import { showHidden, showInOneLine } from '../tools/text/showHidden.ts';
import { inEnglish, verbatim, words } from '../words.ts';
import type { AskForServer } from './serverQuestions.ts';

export interface SampleRequest {
  readonly system: string;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly text: string }[];
  readonly maxTokens: number;
}

export type Sampled =
  | {
      readonly kind: 'answer';
      readonly text: string;
      readonly model: string;
      readonly stopReason: 'endTurn' | 'maxTokens';
    }
  /** `message` is for the server, so it is English. The codes are those of the specification. */
  | { readonly kind: 'error'; readonly code: number; readonly message: string };

/** The model that answers servers. */
export interface ServerModel {
  /** As shown to the person. */
  readonly name: () => string;
  /** Text as it may be shown, stored and sent. */
  readonly hide: (text: string) => string;
  ask(server: string, request: SampleRequest, signal: AbortSignal): Promise<Sampled>;
}

interface SamplingPorts {
  /** As the person named it. */
  readonly server: string;
  readonly model: ServerModel;
  /** Default: nobody can be asked. */
  readonly askPerson?: AskForServer | undefined;
  /** The person allowed this server to ask without a question. */
  readonly isAllowed: () => boolean;
  readonly allowAlways: () => Promise<void>;
}

const REFUSED = -1;
const INVALID = -32_602;
const INTERNAL = -32_603;

/** Requests in one call. */
const MOST_REQUESTS = 20;
const MOST_MESSAGES = 50;
/** Characters of all messages. */
const LONGEST_REQUEST = 50_000;

export const sampleError = (message: string, code = INTERNAL): Sampled => ({ kind: 'error', code, message: message });

/** The requests of one call. After a no, the rest of them are refused unasked. */
export class Sampling {
  readonly #ports: SamplingPorts;
  readonly #requests = new Allowance({
    most: MOST_REQUESTS,
    usedUp: verbatim(`No more than ${MOST_REQUESTS} requests in one call.`),
  });
  #refused = false;

  constructor(ports: SamplingPorts) {
    this.#ports = ports;
  }

  /** `asked` are the parameters of the server's request. Throws an abort when the call ends. */
  async answer(asked: unknown, signal: AbortSignal): Promise<Sampled> {
    const { server, model } = this.#ports;
    const request = readRequest(asked, model.hide);
    if (typeof request === 'string') return sampleError(request, INVALID);
    const tooMany = this.#requests.take();
    if (tooMany) return sampleError(inEnglish(tooMany));
    if (!(await this.#mayAsk(request, signal))) {
      return sampleError('User rejected sampling request: this server may not ask the model.', REFUSED);
    }
    signal.throwIfAborted();
    return model.ask(server, request, signal);
  }

  async #mayAsk(request: SampleRequest, signal: AbortSignal): Promise<boolean> {
    const { server, model, askPerson, isAllowed, allowAlways } = this.#ports;
    if (isAllowed()) return true;
    if (this.#refused || !askPerson) return false;
    const text = [
      ...words(
        'The MCP server {0} wants to ask the model {1}, for an answer of up to {2} tokens at your cost.',
        ...[showInOneLine(server), showInOneLine(model.name()), request.maxTokens],
      ),
      ...words('The answer goes to the server.'),
    ];
    const [yes, always] = [words('Allow once'), words('Always for this server')];
    const answer = await askPerson<QuestionAnswer>(server, {
      ask: (questions) => questions.ask({ kind: 'permit', text, yes, always, detail: describe(request) }, signal),
      isRefusal: ({ kind }) => kind !== 'approve' && !signal.aborted,
      unasked: { kind: 'refuse', reason: '' },
    });
    this.#refused = answer.kind !== 'approve';
    if (answer.kind === 'approve' && answer.always) await allowAlways();
    return answer.kind === 'approve';
  }
}

function describe({ system, messages }: SampleRequest): string {
  const parts = [...(system === '' ? [] : [{ role: 'system', text: system }]), ...messages];
  return parts.map(({ role, text }) => `[${role}]\n${showHidden(text)}`).join('\n\n');
}

/** Why it cannot be answered, or the request without anything but its texts. */
function readRequest(asked: unknown, hide: (text: string) => string): SampleRequest | string {
  const { messages, systemPrompt, maxTokens, tools, toolChoice } = objectOf(asked);
  if (tools !== undefined || toolChoice !== undefined) return 'Tools are not supported in sampling here.';
  const read = listOf(messages)
    .slice(0, MOST_MESSAGES + 1)
    .map(readMessage);
  if (read.length === 0) return 'There is no message.';
  if (read.length > MOST_MESSAGES) return `There are more than ${MOST_MESSAGES} messages.`;
  const known = read.filter((message) => message !== null);
  if (known.length < read.length) return 'Only text from "user" and "assistant" is supported in sampling here.';
  const limit = Number(maxTokens);
  if (!Number.isSafeInteger(limit) || limit < 1) return 'maxTokens is not a positive number.';
  const system = asText(systemPrompt);
  const length = known.reduce((sum, { text }) => sum + text.length, system.length);
  if (length > LONGEST_REQUEST) return `The request is longer than ${LONGEST_REQUEST} characters.`;
  return {
    system: hide(system),
    messages: known.map(({ role, text }) => ({ role, text: hide(text) })),
    maxTokens: limit,
  };
}

function readMessage(message: unknown): SampleRequest['messages'][number] | null {
  const { role, content } = objectOf(message);
  if (role !== 'user' && role !== 'assistant') return null;
  const texts = (Array.isArray(content) ? content : [content]).map((part) => {
    const { type, text } = asRecord(part) ?? {};
    return type === 'text' && typeof text === 'string' ? text : null;
  });
  return texts.every((text) => text !== null) ? { role, text: texts.join('\n') } : null;
}
