/**
 * The summariser port: one question to a model, never with tools, charged to the compaction. The prompt is fitted to the
 * model's window; the answer is text or a `ModelError`, and an empty answer is an error.
 */

import type { SummaryModel } from '../../../api/index.ts';
import type { Usage } from '../../context/message.ts';
import { isAbort, ModelError, wordsOf } from '../../errors.ts';
import type { ChatMessage, Log, ModelChoice, ModelEvent, ModelRequest, Timers } from '../../ports.ts';
import { addUsage } from '../../tokens/addUsage.ts';
import { countInTurns } from '../../tokens/countInTurns.ts';
import { countTokens, takeTokens, wellFormedEnd } from '../../tokens/estimate.ts';
import { type Words, words } from '../../words.ts';
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
}

export interface Summariser extends SummaryModel {
  /** What all calls so far cost; null when none was made. */
  readonly usage: () => Usage | null;
  readonly cost: () => Cost;
  /** What went wrong last, in words; null when nothing did. A strategy may have gone on without its summary. */
  readonly failure: () => Words | null;
  /** Null when no model can be reached. */
  readonly model: string | null;
}

/** When the window is unknown: what every current model takes. */
const ASSUMED_WINDOW = 32_000;
const SMALLEST_INPUT = 1_000;
/** For framing, and for errors of the estimate. */
const MARGIN = 0.1;
const RETRY_MS = 1_000;
/** When the window we were told is wrong: each refusal aims this much lower, this many times. */
const AFTER_REFUSAL = 0.6;
const MOST_REFUSALS = 3;
const CUT = '\n[… the middle of this text was left out because it did not fit …]\n';

type Done = Extract<ModelEvent, { type: 'done' }>;

export function createSummariser(choice: ModelChoice | null, options: SummariserOptions): Summariser {
  if (!choice) return refusingSummariser(words('No model can be reached for a summary.'));
  let spent: Usage | null = null;
  let calls = 0;
  let failure: Words | null = null;
  const window = choice.window || ASSUMED_WINDOW;
  const outputMax = Math.min(options.outputTokenMax, choice.maxOutputTokens ?? options.outputTokenMax, window >> 2);
  const room = ((window - outputMax) * (1 - MARGIN)) / options.factor;
  const maxInputTokens = Math.max(Math.min(SMALLEST_INPUT, window >> 1), Math.floor(room));
  return {
    maxInputTokens,
    model: choice.model,
    usage: () => spent,
    cost: () => ({ modelCalls: calls, promptTokens: spent?.input ?? 0, completionTokens: spent?.output ?? 0 }),
    failure: () => failure,
    complete: async (request) => {
      checkRequest(request);
      const signal = request.signal ? AbortSignal.any([options.signal, request.signal]) : options.signal;
      let room = maxInputTokens;
      let refusals = 0;
      const maxOutputTokens = Math.max(1, Math.min(request.maxOutputTokens || outputMax, outputMax));
      for (let attempt = 0; ; ) {
        try {
          signal.throwIfAborted();
          const messages = await fitPrompt(request.system ?? '', request.prompt, room, options.timers);
          const asked = { model: choice.model, messages, tools: [], maxOutputTokens };
          await options.record(asked);
          calls++;
          const done = await ask(choice, asked, signal);
          const used = done.usage ?? (await estimateUsage(messages, done.text, options.timers));
          spent = spent ? addUsage(spent, used) : used;
          await options.recordUsage(used, done.usage === null);
          signal.throwIfAborted();
          const answer = readAnswer(done, maxOutputTokens, request.tag);
          failure = null;
          return answer;
        } catch (thrown) {
          if (signal.aborted || isAbort(thrown)) throw new ModelError('aborted', 'The summary was stopped.');
          failure = wordsOf(thrown);
          if (!(thrown instanceof ModelError)) throw thrown;
          if (thrown.facts.learnedWindow !== undefined) options.learn(thrown.facts.learnedWindow);
          if (thrown.kind === 'overflow' && refusals < MOST_REFUSALS) {
            refusals++;
            room = Math.floor(Math.min(room, thrown.facts.learnedWindow ?? room) * AFTER_REFUSAL);
            options.log('warn', `the summary model refused its input as too long, trying ${room} tokens`);
            continue;
          }
          if (!thrown.facts.retryable || attempt >= options.retries) throw thrown;
          options.log('warn', `summary attempt ${attempt + 1} failed, trying again: ${thrown.message}`);
          await options.wait(thrown.facts.retryAfterMs ?? RETRY_MS * 2 ** attempt, signal);
          attempt++;
        }
      }
    },
  };
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
    failure: () => null,
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

function readAnswer(done: Done, maxOutputTokens: number, tag?: string): { text: string; truncated: boolean } {
  if (done.finish === 'contentFilter') {
    throw new ModelError('badRequest', "The provider's content filter refused the summary.");
  }
  if (done.finish === 'overflow')
    throw new ModelError('overflow', 'The text to summarise did not fit the summary model.');
  // A model that calls tools without being offered any has not answered; text beside the calls is used.
  const text = extract(done.text, tag).trim();
  if (text === '' && done.text.trim() !== '') {
    throw new ModelError('interrupted', words('The summary model left its <{0}> tags empty.', tag ?? ''), {
      retryable: true,
    });
  }
  if (text === '') {
    const what = done.toolCalls.length ? 'called a tool instead of writing a summary' : 'answered with nothing';
    throw new ModelError('interrupted', `The summary model ${what}.`, { retryable: true });
  }
  const inflated = countTokens(text) > maxOutputTokens * OVERRUN;
  return {
    text: (inflated ? takeTokens(text, maxOutputTokens) : text).toWellFormed(),
    truncated: inflated || done.finish === 'length',
  };
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

async function estimateUsage(messages: readonly ChatMessage[], text: string, timers: Timers): Promise<Usage> {
  let input = 0;
  for (const message of messages) input += await countInTurns(message.text, timers);
  return { input, cached: 0, output: countTokens(text), reasoning: 0 };
}
