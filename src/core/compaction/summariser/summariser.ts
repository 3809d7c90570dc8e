/**
 * The model that writes the summaries of one run: it may call no tool, and its answers are charged to the compaction.
 * No request is as long as one that the model refused; the answer is text or a `ModelError`, and an empty answer is an
 * error.
 */

import type { SummaryModel } from '../../../api/index.ts';
import type { Clock, Timers } from '../../clock.ts';
import type { Usage } from '../../context/message.ts';
import { priced } from '../../cost/costOf.ts';
import { addCost, addCosts } from '../../cost/spending.ts';
import { isAbort, ModelError, wordsOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { ModelChoice } from '../../model/modelChoice.ts';
import type { ModelEvent, ModelRequest } from '../../model/modelClient.ts';
import { splitThinking } from '../../model/thinking.ts';
import { beginsAsCall } from '../../model/writtenCalls.ts';
import { type Costs, NO_COSTS, type Priced } from '../../money.ts';
import { sleep } from '../../sleep.ts';
import { countInTurns, countTokens } from '../../tokens/estimate.ts';
import { estimateUsage } from '../../tokens/estimateUsage.ts';
import { settleGuess } from '../../tokens/learnedWindows.ts';
import { addUsage } from '../../tokens/meter.ts';
import { type Words, words } from '../../words.ts';
import type { Exchange } from '../proposal/reading.ts';
import type { Cost } from '../signals/compactionSignal.ts';
import type { Continuable } from './continueRequest.ts';
import { fitPrompt } from './fitPrompt.ts';
import { readSummary } from './readSummary.ts';
import { SummaryRoom } from './summaryRoom.ts';

export interface SummariserOptions {
  readonly outputTokenMax: number;
  readonly timers: Timers;
  /** Omitted: nothing has a price. */
  readonly clock?: Clock;
  /** Retries after a transient fault. Default: none. */
  readonly retries?: number;
  /** Reported tokens per estimated token of this model. Default: 1. */
  readonly factor?: number;
  readonly signal?: AbortSignal;
  readonly log?: Log;
  /** The input room that refusals left to the model, in tokens. Default: all. */
  readonly left?: { tokens: number };
  /** The request that may be continued. */
  readonly last?: Continuable | null;
  /** Called with each request before it is sent. */
  readonly onRequest?: (request: ModelRequest) => Promise<void>;
  /** Called as soon as a request's usage is known, even if its answer is useless. False: it was counted before. */
  readonly onUsage?: (used: Charge) => Promise<boolean>;
  /** Called when a request ends without an answer: `stopped` midway, or refused. */
  readonly onUnanswered?: (stopped: boolean) => Promise<void>;
  /** Another model by its name. Throws `ModelError` with the reason when the person has none of that name. */
  readonly other?: (name: string) => Summariser;
  /** Called with the window that a refusal named, in tokens. */
  readonly onWindow?: (window: number) => void;
}

type Charge = Priced & { readonly usage: Usage; readonly estimated: boolean };

const RETRY_MS = 1_000;

/** Characters of answered requests that are kept, to tell afterwards what they held. */
const MOST_KEPT = 50_000_000;

/** A strategy has minutes in total: longer waits are reported at once. */
const LONGEST_WAIT_MS = 60_000;

/** The continuation is refused, or a router has no server that supports this form for the model. */
const FORM_FAULTS: ReadonlySet<string> = new Set<ModelError['kind']>(['overflow', 'badRequest', 'notFound']);

type Question = Parameters<SummaryModel['complete']>[0];
type Answer = Awaited<ReturnType<SummaryModel['complete']>>;
type ContinuedQuestion = Parameters<NonNullable<SummaryModel['continue']>>[0];
type Done = Extract<ModelEvent, { type: 'done' }>;

export class Summariser implements SummaryModel {
  /** Usage of all requests so far; null when none was answered. */
  usage: Usage | null = null;
  /** The known cost of that usage. */
  costs: Costs = NO_COSTS;
  /** The last error; null without one. A strategy may have continued without its summary. */
  failure: Words | null = null;
  /** Tokens cut out of overlong prompts: no summary covers them. */
  leftOut = 0;
  /** Requests that were answered, in order. */
  readonly exchanges: Exchange[] = [];
  readonly continue?: NonNullable<SummaryModel['continue']>;
  readonly #choice: ModelChoice | null;
  readonly #options: SummariserOptions;
  readonly #room: SummaryRoom;
  #calls = 0;
  /** Characters of `exchanges`. */
  #kept = 0;
  /** Why nothing more is sent. */
  #givenUp: Words | null = null;

  /** Without `choice` every request is refused, for the reason `unavailable`. */
  constructor(choice: ModelChoice | null, options: SummariserOptions, unavailable?: Words) {
    this.#choice = choice;
    this.#options = options;
    this.#room = new SummaryRoom(choice, options, options.left);
    if (!choice) this.#givenUp = unavailable ?? words('No model can be reached for a summary.');
    const { last } = options;
    if (last) this.continue = (question) => this.#continue(last, question);
  }

  /** Null when no model can be reached. */
  get model(): string | null {
    return this.#choice?.model ?? null;
  }

  get maxInputTokens(): number {
    return this.#room.input;
  }

  /** Maximum length of an answer, in tokens: less than the setting where the model or its window allows less. */
  get maxOutputTokens(): number {
    return this.#room.output;
  }

  get cost(): Cost {
    const { input = 0, output = 0 } = this.usage ?? {};
    return { modelCalls: this.#calls, promptTokens: input, completionTokens: output };
  }

  /** From now on every request is refused for this reason, and nothing is sent. */
  giveUp(reason: Words): void {
    this.#givenUp ??= reason;
  }

  async complete(request: Question): Promise<Answer> {
    const choice = this.#choice;
    if (choice) checkRequest(request);
    if (!choice || this.#givenUp) throw new ModelError('notFound', this.#givenUp ?? '');
    if (request.model !== undefined && request.model !== choice.model)
      return this.#completeWith(request.model, request);
    const signal = this.#until(request.signal);
    const { timers } = this.#options;
    const { system = '', prompt, tag, whole } = request;
    const size = countTokens(system) + (await countInTurns(prompt, timers));
    for (let attempt = 0; ; ) {
      const most = this.maxInputTokens;
      const sent = Math.min(size, most);
      const limit = this.#outputOf(request.maxOutputTokens);
      try {
        signal.throwIfAborted();
        if (size > most && whole) throw this.#room.tooLarge(size);
        const messages = await fitPrompt(system, prompt, most, timers);
        const asked = { model: choice.model, messages, tools: [], maxOutputTokens: limit };
        const answer = this.#read(await this.#send(asked, signal), asked, limit, tag);
        this.#room.accepted();
        this.leftOut += size - sent;
        return answer;
      } catch (thrown) {
        if (signal.aborted || isAbort(thrown)) throw stopped();
        const fault = thrown instanceof ModelError ? settleGuess(thrown, sent, most) : thrown;
        this.failure = wordsOf(fault);
        if (!(fault instanceof ModelError)) throw fault;
        if (fault.kind === 'overflow') {
          if (size > most && whole) throw fault;
          this.#shrink(fault, sent);
          if (whole) throw fault;
        } else await this.#retry(fault, attempt++, signal);
      }
    }
  }

  /** By another model, charged like its own requests. */
  async #completeWith(name: string, { model: _, ...request }: Question): Promise<Answer> {
    const { other } = this.#options;
    if (!other) throw new ModelError('notFound', words('The model {0} cannot be asked here.', name.slice(0, 100)));
    const asked = other(name);
    try {
      return await asked.complete(request);
    } finally {
      this.#calls += asked.#calls;
      if (asked.usage) this.usage = this.usage ? addUsage(this.usage, asked.usage) : asked.usage;
      this.costs = addCosts(this.costs, asked.costs);
      this.leftOut += asked.leftOut;
      for (const exchange of asked.exchanges) this.#keep(exchange);
      this.failure = asked.failure;
    }
  }

  async #continue(last: Continuable, question: ContinuedQuestion): Promise<Answer | null> {
    if (this.#givenUp) throw new ModelError('notFound', this.#givenUp);
    const signal = this.#until(question.signal);
    try {
      return await this.#askContinued(last, question, signal);
    } catch (thrown) {
      if (signal.aborted || isAbort(thrown)) throw stopped();
      this.failure = wordsOf(thrown);
      throw thrown;
    }
  }

  /**
   * Null when the continuation itself fails (it does not fit, it is refused, the model calls a tool again or writes
   * nothing): not a failure, because a separate request follows.
   */
  async #askContinued(last: Continuable, question: ContinuedQuestion, signal: AbortSignal): Promise<Answer | null> {
    const limit = this.#outputOf(question.maxOutputTokens);
    const giveUp = (why: string) => {
      this.#log('info', `the summary is asked for in a request of its own: ${why}`);
      return null;
    };
    let called = false;
    for (let attempt = 0; ; ) {
      signal.throwIfAborted();
      const request = await last.continueWith(question, limit, called);
      if (!request) return called ? giveUp('the model called tools') : null;
      let done: Done;
      try {
        done = await this.#send(request, signal);
      } catch (thrown) {
        if (signal.aborted || isAbort(thrown) || !(thrown instanceof ModelError)) throw thrown;
        if (FORM_FAULTS.has(thrown.kind)) return giveUp(thrown.message);
        await this.#retry(thrown, attempt++, signal);
        continue;
      }
      // With tools forbidden, some servers return a call as the raw text that the model wrote.
      if (done.toolCalls.length > 0 || beginsAsCall(splitThinking(done.text).answer)) {
        if (called) return giveUp('the model called tools');
        called = true;
        continue;
      }
      try {
        return this.#read(done, request, limit, question.tag);
      } catch (thrown) {
        if (!(thrown instanceof ModelError)) throw thrown;
        return giveUp(thrown.message);
      }
    }
  }

  /** Charged to the compaction. */
  async #send(request: ModelRequest, signal: AbortSignal): Promise<Done> {
    const { timers, clock, onRequest, onUsage, onUnanswered } = this.#options;
    await onRequest?.(request);
    this.#calls++;
    let done: Done;
    try {
      done = await ask(this.#choice as ModelChoice, request, signal);
    } catch (thrown) {
      await onUnanswered?.(signal.aborted);
      throw thrown;
    }
    const usage = done.usage ?? (await estimateUsage(request, done.text, timers));
    this.usage = this.usage ? addUsage(this.usage, usage) : usage;
    const charged = clock ? priced(done, this.#choice?.price, clock.now()) : {};
    const charge = { usage, estimated: done.usage === null, ...charged };
    if (await onUsage?.(charge)) this.costs = addCost(this.costs, charge.cost);
    signal.throwIfAborted();
    return done;
  }

  #read(done: Done, request: ModelRequest, limit: number, tag: string | undefined): Answer {
    const answer = readSummary(done, this.model ?? '', limit, this.#room.adviceAt(limit), tag);
    this.failure = null;
    this.#keep({ prompt: textsOf(request), answer: answer.text });
    return answer;
  }

  /** With very many requests, the newest are not kept: what they read counts as unread. */
  #keep(exchange: Exchange): void {
    this.#kept += exchange.prompt.reduce((sum, text) => sum + text.length, 0);
    if (this.#kept <= MOST_KEPT) this.exchanges.push(exchange);
  }

  /** Reduces the room below the `sent` tokens that were refused. Throws when that was tried too often. */
  #shrink(refusal: ModelError, sent: number): void {
    const { learnedWindow } = refusal.facts;
    if (learnedWindow !== undefined) this.#options.onWindow?.(learnedWindow);
    const next = this.#room.shrink(refusal, sent);
    if (next instanceof ModelError) {
      this.failure = next.words;
      throw next;
    }
    this.#log('warn', `the summary model refused ${sent} tokens as too long, trying ${next} tokens`);
  }

  /** Waits for the next attempt; throws the fault when there is none. */
  async #retry(fault: ModelError, attempt: number, signal: AbortSignal): Promise<void> {
    const { retryable, retryAfterMs } = fault.facts;
    const { retries = 0, timers } = this.#options;
    if (!retryable || attempt >= retries || (retryAfterMs ?? 0) > LONGEST_WAIT_MS) throw fault;
    this.#log('warn', `summary attempt ${attempt + 1} failed, trying again: ${fault.message}`);
    await sleep(timers, retryAfterMs ?? RETRY_MS * 2 ** attempt, signal);
  }

  #outputOf(asked: number | undefined): number {
    const { output } = this.#room;
    return Math.max(1, Math.min(asked || output, output));
  }

  #until(own: AbortSignal | undefined): AbortSignal {
    return AbortSignal.any([this.#options.signal, own].filter((signal) => signal !== undefined));
  }

  #log(level: 'info' | 'warn', text: string): void {
    this.#options.log?.(level, text);
  }
}

const stopped = () => new ModelError('aborted', 'The summary was stopped.');

/** A strategy may be untyped. A malformed request is its fault and not the model's. */
function checkRequest(request: Question): void {
  const { system, prompt, tag, model } = request ?? {};
  if (
    typeof prompt !== 'string' ||
    [system, tag, model].some((text) => text !== undefined && typeof text !== 'string')
  ) {
    throw new TypeError('llm.complete takes { prompt } and perhaps { system }, { tag } and { model }, all text.');
  }
}

/** The texts sent, without the system prompt. */
function textsOf({ messages }: ModelRequest): string[] {
  return messages.flatMap((message) => {
    if (message.role === 'system') return [];
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
    return [message.text, ...calls.map((call) => call.arguments)];
  });
}

async function ask(choice: ModelChoice, request: ModelRequest, signal: AbortSignal): Promise<Done> {
  let done: Done | null = null;
  for await (const event of choice.client.stream(request, signal)) if (event.type === 'done') done = event;
  // An answer that arrived is paid for, even if nobody waits for it any more.
  if (done) return done;
  signal.throwIfAborted();
  throw new ModelError('interrupted', 'The summary broke off before it was complete.', { retryable: true });
}
