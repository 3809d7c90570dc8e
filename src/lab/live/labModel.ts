/**
 * The model for strategies in the lab, as the model client that the product would use. Answers and refusals are
 * counted, and every token is charged to the strategy.
 */

import type { Clock } from '../../core/clock.ts';
import { ModelError } from '../../core/errors.ts';
import type { ModelChoice } from '../../core/model/modelChoice.ts';
import type { ModelClient, ModelRequest } from '../../core/model/modelClient.ts';
import { writeDigest } from '../baselines/digest.ts';
import type { ModelUse } from '../contender.ts';
import { FIXED_TOKENS } from '../costMeter.ts';
import { CACHE_LIVES_MS } from '../recordedTimes.ts';
import type { ModelCharge } from '../request.ts';
import { CHARACTERS_PER_TOKEN, type RecordedMessage, type RecordedSession } from '../session.ts';

/** Source of the answers to a strategy's summary requests. */
export type SummarySource =
  /** None: strategies run their deterministic part. */
  | { readonly kind: 'none' }
  /** The original summary, where the recording has one. */
  | { readonly kind: 'recorded' }
  /** A text made by rules from the prompt: deterministic, and no measure of a model. */
  | { readonly kind: 'scripted' }
  | { readonly kind: 'live'; readonly choice: ModelChoice };

/** The requested length of a text. */
const ASKED = /\b(?:at most|some) (\d{1,3}(?:,\d{3})+|\d{1,5}) (words|characters)\b/;
const CHARACTERS_PER_WORD = 6;

export class LabModel {
  readonly choice: ModelChoice;
  /** Index of the message to be answered: a recorded summary is returned only in its own place. */
  place = 0;
  /**
   * Size of the session's newest request, fixed part included: the cached part of a summary request that continues it.
   */
  sent = 0;
  /** When it was sent, or read again for a summary, in milliseconds since the epoch. */
  readAt = 0;
  readonly #session: RecordedSession;
  readonly #source: SummarySource;
  readonly #clock: Clock;
  #answered = 0;
  #refused = 0;
  #input = 0;
  #output = 0;
  #cached = 0;

  /** `window` in tokens of the lab. */
  constructor(session: RecordedSession, source: SummarySource, window: number, clock: Clock) {
    this.#session = session;
    this.#clock = clock;
    this.#source = source;
    const client: ModelClient = {
      endpoint: `${source.kind}:`,
      stream: (request, signal) => this.#answer(request, signal),
    };
    const cache = { cacheLivesMs: CACHE_LIVES_MS };
    this.choice =
      source.kind === 'live'
        ? { ...cache, ...source.choice, client }
        : { ...cache, client, model: source.kind, window };
  }

  get use(): ModelUse {
    return { name: this.#source.kind, answered: this.#answered, refused: this.#refused };
  }

  /** Requests and answers since the last call. */
  takeCharge(): ModelCharge | undefined {
    const [input, output, cached] = [this.#input, this.#output, this.#cached];
    [this.#input, this.#output, this.#cached] = [0, 0, 0];
    if (input + output + cached === 0) return undefined;
    return cached > 0 ? { input, output, cached } : { input, output };
  }

  async *#answer(request: ModelRequest, signal: AbortSignal): ReturnType<ModelClient['stream']> {
    if (this.#source.kind === 'live') {
      for await (const event of this.#source.choice.client.stream(request, signal)) {
        if (event.type === 'done') this.#charge(request, event.text, event.usage ?? null);
        yield event;
      }
      return;
    }
    const text = this.#write(request);
    if (text === null) {
      this.#refused++;
      throw new ModelError('notFound', 'The lab has no model for a summary here.');
    }
    const usage = this.#charge(request, text, null);
    yield { type: 'text', delta: text };
    yield {
      type: 'done',
      text,
      toolCalls: [],
      finish: 'stop',
      usage: { ...usage, cached: 0, reasoning: 0 },
    };
  }

  #write(request: ModelRequest): string | null {
    switch (this.#source.kind) {
      case 'none':
      case 'live':
        return null;
      case 'recorded':
        return (
          this.#session.compactions.find(({ after, summary }) => after === this.place && summary !== '')?.summary ??
          null
        );
      case 'scripted': {
        const prompt = request.messages.map((message) => message.text).join('\n');
        const [, asked, unit] = ASKED.exec(prompt) ?? [];
        const most = (request.maxOutputTokens ?? 1000) * CHARACTERS_PER_TOKEN;
        const each = unit === 'words' ? CHARACTERS_PER_WORD : 1;
        const length = asked === undefined ? most : Math.min(most, Number(asked.replaceAll(',', '')) * each);
        return isContinued(request)
          ? writeFrom(request.messages.slice(0, -1).flatMap(asRecorded), length)
          : writeScriptedSummary(prompt, length);
      }
    }
  }

  #charge(request: ModelRequest, text: string, usage: ModelCharge | null): ModelCharge {
    const asked = tokensOfText(request.messages.map((m) => m.text).join(''));
    const now = this.#clock.now();
    const held = isContinued(request) && now - this.readAt <= CACHE_LIVES_MS ? this.sent : 0;
    const input = isContinued(request) ? Math.max(0, asked + FIXED_TOKENS - held) : asked;
    if (isContinued(request)) {
      this.#cached += held;
      this.readAt = now;
    }
    const charge = usage ?? { input, output: tokensOfText(text) };
    this.#answered++;
    this.#input += charge.input;
    this.#output += charge.output;
    return charge;
  }
}

function tokensOfText(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** The facts that a digest would extract from the conversation in a summariser's prompt; at most `most` characters. */
export function writeScriptedSummary(prompt: string, most: number): string {
  const messages: RecordedMessage[] = [];
  for (const part of prompt.split(/\n(?=\[(?:user|assistant|(?:result|error) of [^\]\n]*)\]\n)/)) {
    const [, title = '', content = part] = /^\[([^\]\n]*)\]\n([\s\S]*)$/.exec(part) ?? [];
    const role = title === 'user' || title === 'assistant' ? title : 'tool';
    messages.push({ role, content });
  }
  return writeFrom(messages, most);
}

function writeFrom(messages: readonly RecordedMessage[], most: number): string {
  return `Made by rules, not by a model.\n\n${writeDigest(messages, most)}`.slice(0, most);
}

/** True when it continues the session's newest request. */
const isContinued = ({ toolChoice }: ModelRequest): boolean => toolChoice === 'none';

function asRecorded({ role, text }: ModelRequest['messages'][number]): RecordedMessage[] {
  return role === 'system' ? [] : [{ role, content: text }];
}
