/**
 * The summariser port: one question to a model that may call no tool, charged to the compaction. No request is as long as
 * one that the model refused; the answer is text or a `ModelError`, and an empty answer is an error.
 */

import type { SummaryModel } from '../../../api/index.ts';
import type { Usage } from '../../context/message.ts';
import { type Costs, NO_COSTS } from '../../cost/formatMoney.ts';
import { isAbort, ModelError, wordsOf } from '../../errors.ts';
import type { ChatMessage, Log, ModelChoice, ModelEvent, ModelRequest, Timers } from '../../ports.ts';
import { addUsage } from '../../tokens/addUsage.ts';
import { countInTurns } from '../../tokens/countInTurns.ts';
import { countTokens, takeTokens, wellFormedEnd } from '../../tokens/estimate.ts';
import { settleGuess } from '../../tokens/nearWindow.ts';
import { type Words, words } from '../../words.ts';
import { askContinued } from '../continued/askContinued.ts';
import { type ContinuedQuestion, offerContinuation } from '../continued/continuation.ts';
import { type Cost, NO_COST } from '../events.ts';

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

/** What earlier refusals left of the model's room, in uncalibrated tokens of input. */
export interface RoomMemory {
  /** Infinite before the first refusal. */
  readonly left: () => number;
  readonly lower: (tokens: number) => void;
}

export function roomMemory(): RoomMemory {
  let left = Number.POSITIVE_INFINITY;
  return {
    left: () => left,
    lower: (tokens) => {
      left = Math.min(left, tokens);
    },
  };
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
}

/** When the window is unknown: what every current model takes. */
const ASSUMED_WINDOW = 32_000;
const SMALLEST_INPUT = 1_000;
/** For framing, and for errors of the estimate. */
const MARGIN = 0.1;
const RETRY_MS = 1_000;
/** Each refusal aims at this much of what was refused, this many times in a row. */
const AFTER_REFUSAL = 0.6;
const MOST_REFUSALS = 4;
/** Uncalibrated tokens: less than that holds no task and no history. */
const SMALLEST_ROOM = 300;
const CUT = '\n[… the middle of this text was left out because it did not fit …]\n';

type Done = Extract<ModelEvent, { type: 'done' }>;

export function createSummariser(choice: ModelChoice | null, options: SummariserOptions): Summariser {
  if (!choice) return refusingSummariser(words('No model can be reached for a summary.'));
  let spent: Usage | null = null;
  let calls = 0;
  let failure: Words | null = null;
  let leftOut = 0;
  let refusals = 0;
  let limits = limitsOf(choice, choice.window || ASSUMED_WINDOW, options);
  const room = () => Math.min(limits.input, options.room.left());

  /** What the next request may hold after one of `sent` tokens was refused. Throws when there is no smaller one to try. */
  const shrink = (thrown: ModelError, sent: number) => {
    const { learnedWindow, said } = thrown.facts;
    if (learnedWindow !== undefined) {
      options.learn(learnedWindow);
      limits = limitsOf(choice, Math.min(learnedWindow, choice.window || learnedWindow), options);
    }
    const next = Math.floor(Math.min(limits.input, learnedWindow === undefined ? sent * AFTER_REFUSAL : sent * 0.9));
    refusals++;
    if (refusals > MOST_REFUSALS || next < SMALLEST_ROOM) throw refusedForGood(choice.model, refusals, sent, said);
    options.room.lower(next);
    options.log('warn', `the summary model refused ${sent} tokens as too long, trying ${next} tokens`);
  };

  const send = async (request: ModelRequest, signal: AbortSignal): Promise<Done> => {
    await options.record(request);
    calls++;
    const done = await ask(choice, request, signal);
    const used = done.usage ?? (await estimateUsage(request, done.text, options.timers));
    spent = spent ? addUsage(spent, used) : used;
    await options.recordUsage(used, done.usage === null);
    signal.throwIfAborted();
    return done;
  };
  const read = (done: Done, outputMax: number, tag: string | undefined) => {
    const advice = outputMax < limits.output ? ANOTHER_MODEL : limits.advice;
    const answer = readAnswer(done, choice.model, outputMax, advice, tag);
    failure = null;
    return answer;
  };
  const outputOf = (asked: number | undefined) => Math.max(1, Math.min(asked || limits.output, limits.output));
  /** Waits for the next attempt; throws the fault when there is none. */
  const retry = async (fault: ModelError, attempt: number, signal: AbortSignal) => {
    if (!fault.facts.retryable || attempt >= options.retries) throw fault;
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
    complete: async (request) => {
      checkRequest(request);
      const signal = request.signal ? AbortSignal.any([options.signal, request.signal]) : options.signal;
      const { system = '', prompt, tag } = request;
      const size = countTokens(system) + (await countInTurns(prompt, options.timers));
      for (let attempt = 0; ; ) {
        const most = room();
        const sent = Math.min(size, most);
        const outputMax = outputOf(request.maxOutputTokens);
        try {
          signal.throwIfAborted();
          if (size > most && request.whole) throw tooLarge(choice.model, size, most);
          const messages = await fitPrompt(system, prompt, most, options.timers);
          const asked = { model: choice.model, messages, tools: [], maxOutputTokens: outputMax };
          const answer = read(await send(asked, signal), outputMax, tag);
          refusals = 0;
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

interface Limits {
  /** Uncalibrated tokens. */
  readonly input: number;
  /** Tokens. */
  readonly output: number;
  /** How the length of an answer can be raised. */
  readonly advice: Words;
}

function limitsOf(
  { maxOutputTokens }: ModelChoice,
  window: number,
  { outputTokenMax, factor }: SummariserOptions,
): Limits {
  const output = Math.min(outputTokenMax, maxOutputTokens ?? outputTokenMax, window >> 2);
  const room = ((window - output) * (1 - MARGIN)) / factor;
  const input = Math.max(Math.min(SMALLEST_INPUT, window >> 1), Math.floor(room));
  return {
    input,
    output,
    advice: output === outputTokenMax ? RAISE_LIMIT : output === maxOutputTokens ? RAISE_MODELS_LIMIT : ANOTHER_MODEL,
  };
}

const RAISE_LIMIT = words(
  'Raise palimpsest.compaction.summary.outputTokenMax, or choose a model that thinks less in palimpsest.compaction.summary.model.',
);
const RAISE_MODELS_LIMIT = words(
  "Raise the model's maxOutputTokens in the settings of its endpoint, or choose a model that thinks less in palimpsest.compaction.summary.model.",
);
const ANOTHER_MODEL = words('Choose another model in palimpsest.compaction.summary.model.');

function tooLarge(model: string, tokens: number, room: number): ModelError {
  return new ModelError('overflow', [
    ...words(
      'What is to be summarised has about {0} tokens, and the summary model {1} takes {2}.',
      tokens,
      model,
      room,
    ),
    ...ANOTHER_MODEL,
  ]);
}

function refusedForGood(model: string, times: number, tokens: number, said: string | undefined): ModelError {
  return new ModelError('overflow', [
    ...words(
      'The summary model {0} refused {1} requests as too long, the last of about {2} tokens.',
      model,
      times,
      tokens,
    ),
    ...words('Set its true context window, or choose another model in palimpsest.compaction.summary.model.'),
    ...(said ? words('It said: “{0}”', said) : []),
  ]);
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

/** Some providers ignore the limit: an answer far above it is cut, so that a summary cannot outgrow what it replaces. */
const OVERRUN = 1.5;

function readAnswer(
  done: Done,
  model: string,
  maxOutputTokens: number,
  advice: Words,
  tag?: string,
): { text: string; truncated: boolean } {
  if (done.finish === 'contentFilter') {
    throw new ModelError('badRequest', "The provider's content filter refused the summary.");
  }
  if (done.finish === 'overflow' || hadNoRoom(done))
    throw new ModelError('overflow', 'The text to summarise did not fit the summary model.');
  // A model that calls tools without being offered any has not answered; text beside the calls is used.
  const text = extract(done.text, tag).trim();
  if (text === '') throw emptyAnswer(done, model, maxOutputTokens, advice, tag);
  const inflated = countTokens(text) > maxOutputTokens * OVERRUN;
  return {
    text: (inflated ? takeTokens(text, maxOutputTokens) : text).toWellFormed(),
    truncated: inflated || done.finish === 'length',
  };
}

/** The server allowed not one token. */
const hadNoRoom = ({ finish, text, reasoning, usage }: Done) =>
  finish === 'length' && !text && !reasoning && usage !== null && usage.output <= 1;

function emptyAnswer(
  { finish, text, reasoning, toolCalls }: Done,
  model: string,
  limit: number,
  advice: Words,
  tag = '',
): ModelError {
  if (finish === 'length') {
    const said = reasoning
      ? words(
          'The summary model {0} used all {1} tokens of its answer for reasoning and wrote no summary.',
          model,
          limit,
        )
      : words(
          'The answer of the summary model {0} was cut at its limit of {1} tokens before it held a summary.',
          model,
          limit,
        );
    return new ModelError('interrupted', [...said, ...advice], { retryable: false });
  }
  const said =
    text.trim() !== ''
      ? words('The summary model left its <{0}> tags empty.', tag)
      : toolCalls.length > 0
        ? words('The summary model called a tool instead of writing a summary.')
        : reasoning
          ? [...words('The summary model {0} only thought, and wrote no summary.', model), ...ANOTHER_MODEL]
          : words('The summary model answered with nothing.');
  return new ModelError('interrupted', said, { retryable: true });
}

/**
 * The inside of `<tag>`, also when its end was cut off; the whole text where the model left the tags out. Empty when the
 * tags hold nothing: what stands around them is no summary.
 */
function extract(text: string, tag: string | undefined): string {
  const start = tag === undefined ? -1 : text.indexOf(`<${tag}>`);
  if (tag === undefined || start < 0) return text;
  const inside = text.slice(start + tag.length + 2);
  const end = inside.lastIndexOf(`</${tag}>`);
  return end < 0 ? inside : inside.slice(0, end);
}

/** A prompt that is too long keeps its beginning, which says what to do, and its end, which is newest. */
async function fitPrompt(system: string, prompt: string, maxTokens: number, timers: Timers): Promise<ChatMessage[]> {
  const room = maxTokens - countTokens(system);
  let text = prompt;
  if ((await countInTurns(prompt, timers)) > room) {
    const head = takeTokens(prompt, Math.max(0, Math.floor(room * 0.3)));
    let tail = prompt.slice(head.length);
    let length = Math.min(tail.length, room * 8);
    while (length > 0 && (await countInTurns(tail.slice(-length), timers)) > room * 0.65)
      length = Math.floor(length * 0.8);
    tail = wellFormedEnd(tail, length);
    text = `${head}${CUT}${tail}`;
  }
  const user: ChatMessage = { role: 'user', text };
  return system ? [{ role: 'system', text: system }, user] : [user];
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
