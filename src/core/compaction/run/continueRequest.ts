/**
 * The request for a summary as the continuation of the session's last request: the same header, tools and messages, what
 * came since, and the instruction as one more message. It is made only where the journal's checksum proves that its
 * beginning is what was sent.
 */

import type { ContextMessage, SummaryModel } from '../../../api/index.ts';
import { wrap } from '../../context/frame.ts';
import type { ContextItem } from '../../context/item.ts';
import { protectedIds } from '../../context/item.ts';
import { bodyHash, LOWERING_VERSION, toSend, turnRequest } from '../../context/lower.ts';
import type { RequestEntry } from '../../journal/entry.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Crypto, ModelChoice, ModelRequest } from '../../ports.ts';
import { countTokens } from '../../tokens/estimate.ts';
import type { MeterReading } from '../../tokens/meter.ts';

export interface ContinuedFrom {
  readonly journal: Journal;
  readonly crypto: Crypto;
  /** The session's model, which writes the summary. */
  readonly choice: ModelChoice;
  readonly reading: () => MeterReading;
  /** What is continued; null where there is nothing. */
  readonly sent: () => LastSent | null;
}

/** The session's last request, and the context at some moment after it. */
export interface LastSent {
  readonly conversation: readonly ContextItem[];
  readonly last: RequestEntry;
  /** The last request, lowered from the context again. */
  readonly asSent: ModelRequest;
  /** What a request would hold at that moment. */
  readonly now: ModelRequest;
}

/** As the journal stands now. It stays as it is when the journal goes on. */
export function lastSent(journal: Journal, choice: ModelChoice): LastSent | null {
  const last = findLast(journal);
  if (!last || last.model !== choice.model || last.loweringVersion !== LOWERING_VERSION) return null;
  const { context } = journal;
  const sent = turnRequest(context, last, last.mendedUpTo);
  return {
    conversation: context.conversation.slice(),
    last,
    asSent: { ...sent, messages: sent.messages.slice(0, last.messages) },
    now: turnRequest(context, choice, last.mendedUpTo),
  };
}

/** The last request lies this near, or there is nothing left of it in any cache. */
const SEARCHED = 1_000;

const OPENING =
  'The conversation above is about to be compacted, and you write the text that stands for it. Do not go on with the task. Call no tool: none is run. Answer with that text alone.';

const CALLED =
  'You were asked this once, and called a tool in place of writing. The call was not run, and none will be: write the text now.';

/**
 * Null where there is nothing to continue, where it would not fit, or where more would be summarised than is asked for.
 * `maxOutputTokens`: what the answer may have. `again`: the model called a tool when it was asked before.
 */
export async function continueRequest(
  from: ContinuedFrom,
  { covers, task }: ContinuedQuestion,
  maxOutputTokens: number,
  again: boolean,
): Promise<ModelRequest | null> {
  const { journal, crypto, choice, reading } = from;
  const sent = from.sent();
  const range = sent && describeRange(sent.conversation, covers);
  if (sent === null || range === null) return null;
  const { now, asSent, last } = sent;
  if ((await bodyHash(crypto, asSent)) !== last.bodySha256) return null;
  const text = [OPENING, range, task, again ? CALLED : ''].filter(Boolean).join('\n\n');
  // Where thinking is asked for, its share of the limit is a part of what the cache holds for.
  const limit = choice.effort ? choice.maxOutputTokens : maxOutputTokens;
  if (!fits(choice, reading(), text, limit ?? maxOutputTokens)) return null;
  const { maxOutputTokens: _, ...request } = now;
  return toSend(
    {
      ...request,
      messages: [...now.messages, { role: 'user', text }],
      toolChoice: 'none',
      ...(limit ? { maxOutputTokens: limit } : {}),
    },
    choice,
    { journal, crypto },
  );
}

function findLast(journal: Journal): RequestEntry | null {
  let left = SEARCHED;
  for (const entry of journal.backward()) {
    if (entry.type === 'request' && entry.purpose === 'turn') return entry;
    if (--left === 0) return null;
  }
  return null;
}

/** With an unknown window: what was accepted once is tried. */
function fits({ window }: ModelChoice, { tokens, factor }: MeterReading, text: string, answer: number): boolean {
  return window === 0 || tokens + Math.ceil(countTokens(text) * factor) + answer <= window;
}

/** Characters of a message by which it is known again. */
const QUOTED = 160;

/**
 * Empty when it is about all of it. Null when `covers` is no such part: something in its middle would leave without being
 * in the summary, or something that is in it is not there.
 */
function describeRange(conversation: readonly ContextItem[], covers: readonly ContextMessage[]): string | null {
  const covered = new Set(covers.map(({ id }) => id));
  const isCovered = ({ id }: ContextItem) => covered.has(id);
  const first = conversation.findIndex(isCovered);
  const last = conversation.findLastIndex(isCovered);
  if (first < 0 || conversation.filter(isCovered).length < covered.size) return null;
  const safe = protectedIds(conversation);
  const stays = (item: ContextItem) => item.kind === 'summary' || safe.has(item.id);
  const beside = conversation.slice(first, last).filter((item) => !isCovered(item));
  // A pinned message keeps its whole block.
  const blocks = new Set(conversation.filter(stays).map(({ block }) => block));
  if (beside.some((item) => !stays(item) && !blocks.has(item.block))) return null;
  const [before, after] = [conversation.slice(0, first), conversation.slice(last + 1)];
  return [
    before.every(stays)
      ? ''
      : `Write about what begins with ${describeItem(conversation[first])}, and about nothing before it.`,
    after.length === 0
      ? ''
      : `The newest ${after.length === 1 ? 'message stays' : `${after.length} messages stay`} in the conversation word for word, from ${describeItem(after[0])} on. Write about what comes before that; the newest part only tells you what matters.`,
    beside.length === 0
      ? ''
      : 'Earlier notes and messages that the user pinned stay beside your text where you find them: there is no need to repeat them.',
  ]
    .filter(Boolean)
    .join(' ');
}

function describeItem(item: ContextItem | undefined): string {
  if (!item) return '';
  const { message } = item;
  const quote = (text: string) => `\n${wrap('quote', text.slice(0, QUOTED).toWellFormed())}\n`;
  switch (message.role) {
    case 'user':
      return message.kind === 'user'
        ? `the user's message ${quote(message.text)}`
        : `the message ${quote(message.text)}`;
    case 'assistant': {
      const [call] = message.toolCalls ?? [];
      if (message.text || !call) return `your answer ${quote(message.text)}`;
      return `your call of ${call.name} with ${quote(call.arguments)}`;
    }
    case 'tool':
      return `the result of ${message.toolName} ${quote(message.text)}`;
  }
}

/**
 * A question to the summary model that goes on from the session's last request, so that nearly all of it is read from the
 * prompt cache. Only the product's own strategies find the way to ask so: a model asked so sees the header, too.
 */
export interface ContinuedQuestion {
  /** The messages that the answer will stand for, the notes that it replaces included. */
  readonly covers: readonly ContextMessage[];
  /** What is to be written about the conversation above it. */
  readonly task: string;
  readonly maxOutputTokens: number;
  /** As that of `SummaryModel.complete`. */
  readonly tag?: string;
  readonly signal: AbortSignal;
}

export type Answer = Awaited<ReturnType<SummaryModel['complete']>>;

/** Null where the question is to be asked in a form of its own. Rejects with `ModelError` as `complete` does. */
type AskContinued = (question: ContinuedQuestion) => Promise<Answer | null>;

const offered = new WeakMap<SummaryModel, AskContinued>();

/** The same model, which can be asked so from now on. */
export function offerContinuation<M extends SummaryModel>(llm: M, ask: AskContinued): M {
  offered.set(llm, ask);
  return llm;
}

/** Null where the model cannot be asked so. */
export function continuationOf(llm: SummaryModel): AskContinued | null {
  return offered.get(llm) ?? null;
}
