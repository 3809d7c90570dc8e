/**
 * The summariser port: one question to a model that may call no tool, charged to the compaction. No request is as long as
 * one that the model refused; the answer is text or a `ModelError`, and an empty answer is an error.
 */

import type { SummaryModel } from '../../../api/index.ts';
import type { Usage } from '../../context/message.ts';
import { type Costs, NO_COSTS } from '../../cost/formatMoney.ts';
import { isAbort, ModelError, wordsOf } from '../../errors.ts';
import type { Log, ModelChoice, ModelEvent, ModelRequest, Timers } from '../../ports.ts';
import { countInTurns, countTokens } from '../../tokens/estimate.ts';
import { settleGuess } from '../../tokens/learnedWindows.ts';
import { addUsage } from '../../tokens/meter.ts';
import { type Words, words } from '../../words.ts';
import { type Cost, NO_COST } from '../events.ts';
import { type Answer, type ContinuedQuestion, offerContinuation } from './continueRequest.ts';
import {
  ANOTHER_MODEL,
  fitPrompt,
  isLast,
  limitsOf,
  type RoomMemory,
  readSummary,
  refusedForGood,
  roomAfter,
  tooLarge,
} from './summaryRoom.ts';

interface SummariserOptions {
  readonly outputTokenMax: number;
  /** Further attempts after a fault that may pass. */
  readonly retries: number;
  /** Reported tokens per estimated token of this model. */
  readonly factor: number;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly timers: Timers;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Called with each request before it is sent. */
  readonly record: (request: ModelRequest) => Promise<void>;
  /** Called with what each request used, as soon as that is known: also where its answer is of no use. */
  readonly recordUsage: (usage: Usage, estimated: boolean) => Promise<void>;
  /** Called when a request ends without an answer: `stopped` on its way, or refused. Left out where nobody keeps count. */
  readonly recordUnanswered?: (stopped: boolean) => Promise<void>;
  /** Called with the window that a refusal named, in tokens. */
  readonly learn: (window: number) => void;
  readonly room: RoomMemory;
  /** The question as the continuation of the session's last request; null where that cannot be. Left out: never so. */
  readonly continues?: (
    question: ContinuedQuestion,
    maxOutputTokens: number,
    again: boolean,
  ) => Promise<ModelRequest | null>;
  /** What its requests have cost so far; left out where nobody keeps count. */
  readonly costs?: () => Costs;
}

export interface Summariser extends SummaryModel {
  /** What all calls so far cost; null when none was made. */
  readonly usage: () => Usage | null;
  readonly cost: () => Cost;
  /** The same in money, as far as anybody knows. */
  readonly costs: () => Costs;
  /** What went wrong last, in words; null when nothing did. A strategy may have gone on without its summary. */
  readonly failure: () => Words | null;
  /** Tokens that were cut out of prompts that were too long: no summary holds them. */
  readonly leftOut: () => number;
  /** Null when no model can be reached. */
  readonly model: string | null;
  /** From now on every question is refused for this reason, and nothing is sent. */
  readonly giveUp: (reason: Words) => void;
}

/** When the window is unknown: what every current model takes. */
const ASSUMED_WINDOW = 32_000;
const RETRY_MS = 1_000;

/** A strategy has minutes for all it does: what asks for more is told as it is. */
const LONGEST_WAIT_MS = 60_000;

type Done = Extract<ModelEvent, { type: 'done' }>;

export function createSummariser(choice: ModelChoice | null, options: SummariserOptions): Summariser {
  if (!choice) return refusingSummariser(words('No model can be reached for a summary.'));
  let spent: Usage | null = null;
  let calls = 0;
  let failure: Words | null = null;
  let leftOut = 0;
  let refusals = 0;
  let givenUp: Words | null = null;
  /** The last request that was refused as too long, since one was taken. */
  let refused: { readonly sent: number; readonly said: string | undefined } | null = null;
  let limits = limitsOf(choice, choice.window || ASSUMED_WINDOW, options);
  const room = () => Math.min(limits.input, options.room.left());

  /** Makes the room smaller than the `sent` tokens that were refused. Throws when that was tried often enough. */
  const shrink = (refusal: ModelError, sent: number) => {
    const { learnedWindow, said } = refusal.facts;
    if (learnedWindow !== undefined) {
      options.learn(learnedWindow);
      limits = limitsOf(choice, Math.min(learnedWindow, choice.window || learnedWindow), options);
    }
    const next = roomAfter(refusal, sent, limits);
    options.room.lower(next);
    refusals++;
    refused = { sent, said };
    if (isLast(refusals, sent)) throw refusedForGood(choice.model, refusals, sent, said);
    options.log('warn', `the summary model refused ${sent} tokens as too long, trying ${next} tokens`);
  };

  const noRoom = (size: number, most: number) =>
    refused ? refusedForGood(choice.model, refusals, refused.sent, refused.said) : tooLarge(choice.model, size, most);

  const send = async (request: ModelRequest, signal: AbortSignal): Promise<Done> => {
    await options.record(request);
    calls++;
    let done: Done;
    try {
      done = await ask(choice, request, signal);
    } catch (thrown) {
      await options.recordUnanswered?.(signal.aborted);
      throw thrown;
    }
    const used = done.usage ?? (await estimateUsage(request, done.text, options.timers));
    spent = spent ? addUsage(spent, used) : used;
    await options.recordUsage(used, done.usage === null);
    signal.throwIfAborted();
    return done;
  };
  const read = (done: Done, outputMax: number, tag: string | undefined) => {
    const advice = outputMax < limits.output ? ANOTHER_MODEL : limits.advice;
    const answer = readSummary(done, choice.model, outputMax, advice, tag);
    failure = null;
    return answer;
  };
  const outputOf = (asked: number | undefined) => Math.max(1, Math.min(asked || limits.output, limits.output));
  /** Waits for the next attempt; throws the fault when there is none. */
  const retry = async (fault: ModelError, attempt: number, signal: AbortSignal) => {
    const { retryable, retryAfterMs = 0 } = fault.facts;
    if (!retryable || attempt >= options.retries || retryAfterMs > LONGEST_WAIT_MS) throw fault;
    options.log('warn', `summary attempt ${attempt + 1} failed, trying again: ${fault.message}`);
    await options.wait(fault.facts.retryAfterMs ?? RETRY_MS * 2 ** attempt, signal);
  };

  const summariser: Summariser = {
    get maxInputTokens() {
      return room();
    },
    model: choice.model,
    usage: () => spent,
    cost: () => ({ modelCalls: calls, promptTokens: spent?.input ?? 0, completionTokens: spent?.output ?? 0 }),
    costs: options.costs ?? (() => NO_COSTS),
    failure: () => failure,
    leftOut: () => leftOut,
    giveUp: (reason) => {
      givenUp = reason;
    },
    complete: async (request) => {
      checkRequest(request);
      if (givenUp) throw new ModelError('notFound', givenUp);
      const signal = request.signal ? AbortSignal.any([options.signal, request.signal]) : options.signal;
      const { system = '', prompt, tag } = request;
      const size = countTokens(system) + (await countInTurns(prompt, options.timers));
      for (let attempt = 0; ; ) {
        const most = room();
        const sent = Math.min(size, most);
        const outputMax = outputOf(request.maxOutputTokens);
        try {
          signal.throwIfAborted();
          if (size > most && request.whole) throw noRoom(size, most);
          const messages = await fitPrompt(system, prompt, most, options.timers);
          const asked = { model: choice.model, messages, tools: [], maxOutputTokens: outputMax };
          const answer = read(await send(asked, signal), outputMax, tag);
          [refusals, refused] = [0, null];
          leftOut += size - sent;
          return answer;
        } catch (thrown) {
          if (signal.aborted || isAbort(thrown)) throw new ModelError('aborted', 'The summary was stopped.');
          const refusal = thrown instanceof ModelError ? settleGuess(thrown, sent, most) : thrown;
          failure = wordsOf(refusal);
          if (!(refusal instanceof ModelError)) throw refusal;
          if (refusal.kind === 'overflow') {
            if (size > most && request.whole) throw refusal;
            try {
              shrink(refusal, sent);
            } catch (last) {
              failure = wordsOf(last);
              throw last;
            }
            if (request.whole) throw refusal;
            continue;
          }
          await retry(refusal, attempt, signal);
          attempt++;
        }
      }
    },
  };
  const { continues } = options;
  if (!continues) return summariser;
  return offerContinuation(summariser, async (question) => {
    if (givenUp) throw new ModelError('notFound', givenUp);
    const signal = AbortSignal.any([options.signal, question.signal]);
    const outputMax = outputOf(question.maxOutputTokens);
    let attempt = 0;
    try {
      return await askContinued(
        { signal },
        {
          make: (again) => continues(question, outputMax, again),
          send: (request) => send(request, signal),
          read: (done) => read(done, outputMax, question.tag),
          again: (fault) => retry(fault, attempt++, signal),
          log: options.log,
        },
      );
    } catch (thrown) {
      if (signal.aborted || isAbort(thrown)) throw new ModelError('aborted', 'The summary was stopped.');
      failure = wordsOf(thrown);
      throw thrown;
    }
  });
}

/** A strategy may be written without types. A malformed request is its own fault and not the model's. */
export function checkRequest(request: Parameters<SummaryModel['complete']>[0]): void {
  const { system, prompt, tag } = request ?? {};
  if (typeof prompt !== 'string' || [system, tag].some((text) => text !== undefined && typeof text !== 'string')) {
    throw new TypeError('llm.complete takes { prompt } and perhaps { system } and { tag }, all text.');
  }
}

/** A summariser that refuses, and says why. */
export function refusingSummariser(reason: string | Words): Summariser {
  return {
    maxInputTokens: 0,
    model: null,
    usage: () => null,
    cost: () => NO_COST,
    costs: () => NO_COSTS,
    failure: () => null,
    leftOut: () => 0,
    giveUp: () => undefined,
    complete: () => Promise.reject(new ModelError('notFound', reason)),
  };
}

async function ask(choice: ModelChoice, request: ModelRequest, signal: AbortSignal): Promise<Done> {
  let done: Done | null = null;
  for await (const event of choice.client.stream(request, signal)) if (event.type === 'done') done = event;
  // An answer that came is paid for, also where nobody waits for it any more.
  if (done) return done;
  signal.throwIfAborted();
  throw new ModelError('interrupted', 'The summary broke off before it was complete.', { retryable: true });
}

async function estimateUsage({ messages, tools }: ModelRequest, text: string, timers: Timers): Promise<Usage> {
  let input = tools.length > 0 ? await countInTurns(JSON.stringify(tools), timers) : 0;
  for (const message of messages) {
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
    for (const part of [message.text, ...calls.map((call) => call.arguments)])
      input += await countInTurns(part, timers);
  }
  return { input, cached: 0, output: countTokens(text), reasoning: 0 };
}

// * Asks for a summary as the continuation of the last request. What goes wrong with that form alone (it does not fit, it is
// refused, the model calls a tool once more or writes nothing) is no failure: the question is asked in its own form then.

/** A router may have no server for this form of a model that it has others for. */
const FORM_FAULTS: ReadonlySet<string> = new Set<ModelError['kind']>(['overflow', 'badRequest', 'notFound']);

type ContinuedAnswer = Extract<ModelEvent, { type: 'done' }>;

interface Asking {
  /** Null where there is nothing to continue. */
  readonly make: (again: boolean) => Promise<ModelRequest | null>;
  /** Charged to the compaction. */
  readonly send: (request: ModelRequest) => Promise<ContinuedAnswer>;
  /** Throws `ModelError` for an answer that is no summary. */
  readonly read: (done: ContinuedAnswer) => Answer;
  /** Waits before the same request is sent again; throws what it is given when that is not worth it. */
  readonly again: (fault: ModelError) => Promise<void>;
  readonly log: Log;
}

/** Where tools are forbidden some servers give a call back as the text that the model wrote. */
const WRITTEN_CALL = /^\s*(<tool_call>|<function=|<\|(python_tag|tool_call)|\[TOOL_CALLS\]|functools\[)/;

async function askContinued(
  { signal }: Pick<ContinuedQuestion, 'signal'>,
  { make, send, read, again, log }: Asking,
): Promise<Answer | null> {
  const giveUp = (why: string) => {
    log('info', `the summary is asked for in a request of its own: ${why}`);
    return null;
  };
  let called = false;
  for (;;) {
    signal.throwIfAborted();
    const request = await make(called);
    if (!request) return called ? giveUp('the model called tools') : null;
    let done: ContinuedAnswer;
    try {
      done = await send(request);
    } catch (thrown) {
      if (signal.aborted || isAbort(thrown) || !(thrown instanceof ModelError)) throw thrown;
      if (FORM_FAULTS.has(thrown.kind)) return giveUp(thrown.message);
      await again(thrown);
      continue;
    }
    if (done.toolCalls.length > 0 || WRITTEN_CALL.test(done.text)) {
      if (called) return giveUp('the model called tools');
      called = true;
      continue;
    }
    try {
      return read(done);
    } catch (thrown) {
      if (!(thrown instanceof ModelError)) throw thrown;
      return giveUp(thrown.message);
    }
  }
}
