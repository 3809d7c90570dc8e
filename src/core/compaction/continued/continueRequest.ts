/**
 * The request for a summary as the continuation of the session's last request: the same header, tools and messages, what
 * came since, and the instruction as one more message. It is made only where the journal's checksum proves that its
 * beginning is what was sent.
 */

import type { ContextItem } from '../../context/item.ts';
import { LOWERING_VERSION } from '../../context/lower.ts';
import { bodyHash, toSend, turnRequest } from '../../context/turnRequest.ts';
import type { RequestEntry } from '../../journal/entry.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Crypto, ModelChoice, ModelRequest } from '../../ports.ts';
import { countTokens } from '../../tokens/estimate.ts';
import type { MeterReading } from '../../tokens/meter.ts';
import type { ContinuedQuestion } from './continuation.ts';
import { describeRange } from './describeRange.ts';

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
