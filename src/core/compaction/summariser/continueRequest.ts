/**
 * The request for a summary as a continuation of the session's last request: the same header, tools and messages, the
 * messages since, and the instruction as one more message. It is made only where the journal's checksum proves that its
 * beginning is identical to what was sent.
 */

import type { ContextMessage } from '../../../api/index.ts';
import { wrap } from '../../context/frames.ts';
import { type ContextItem, protectedIds } from '../../context/item.ts';
import { bodyHash, LOWERING_VERSION, toSend, turnRequest } from '../../context/lower.ts';
import type { Crypto } from '../../crypto.ts';
import type { RequestEntry } from '../../journal/entry.ts';
import type { Journal } from '../../journal/journal.ts';
import type { ModelChoice } from '../../model/modelChoice.ts';
import type { ModelRequest } from '../../model/modelClient.ts';
import { countTokens } from '../../tokens/estimate.ts';
import type { MeterReading } from '../../tokens/meter.ts';

/** The session's last request, and the context at a later moment. */
interface LastSent {
  readonly conversation: readonly ContextItem[];
  readonly last: RequestEntry;
  /** The last request, lowered from the context again. */
  readonly asSent: ModelRequest;
  /** The request that would be made at that moment. */
  readonly now: ModelRequest;
  readonly reading: MeterReading;
}

/** Maximum distance in entries of the last request: an older one is in no cache any more. */
const SEARCHED = 1_000;

const OPENING =
  'The conversation above is about to be compacted, and you write the text that stands for it. Do not go on with the task. Call no tool: none is run. Answer with that text alone.';

const CALLED =
  'You were asked this once, and called a tool in place of writing. The call was not run, and none will be: write the text now.';

interface Session {
  readonly journal: Journal;
  readonly crypto: Crypto;
}

interface Meter {
  /** How full the context is now. */
  readonly reading: MeterReading;
}

/** The part of it that a summariser needs. */
export type Continuable = Pick<LastRequest, 'continueWith'>;

export class LastRequest {
  readonly #session: Session;
  readonly #choice: ModelChoice;
  readonly #meter: Meter;
  /** The conversation at the start, for a summary that is prepared while the agent continues. */
  readonly #kept: LastSent | null | undefined;

  /** `choice`: the session's model, which writes the summary. `keeps`: messages added later are excluded. */
  constructor(session: Session, choice: ModelChoice, meter: Meter, keeps: boolean) {
    this.#session = session;
    this.#choice = choice;
    this.#meter = meter;
    if (keeps) this.#kept = this.#find();
  }

  /**
   * Null when there is nothing to continue, when it would not fit, or when it would summarise more than requested.
   * `maxOutputTokens`: maximum length of the answer. `again`: the model called a tool when it was first asked.
   */
  async continueWith(
    { covers, task }: { readonly covers: readonly ContextMessage[]; readonly task: string },
    maxOutputTokens: number,
    again: boolean,
  ): Promise<ModelRequest | null> {
    const choice = this.#choice;
    const { crypto } = this.#session;
    const sent = this.#kept === undefined ? this.#find() : this.#kept;
    const range = sent && describeRange(sent.conversation, covers);
    if (sent === null || range === null) return null;
    const { now, asSent, last, reading } = sent;
    if ((await bodyHash(crypto, asSent)) !== last.bodySha256) return null;
    const text = [OPENING, range, task, again ? CALLED : ''].filter(Boolean).join('\n\n');
    // With thinking, the output limit is part of the cache's key.
    const limit = choice.effort ? choice.maxOutputTokens : maxOutputTokens;
    if (!fits(choice, reading, text, limit ?? maxOutputTokens)) return null;
    const { maxOutputTokens: _, ...request } = now;
    const continued: ModelRequest = {
      ...request,
      messages: [...now.messages, { role: 'user', text }],
      toolChoice: 'none',
      ...(limit ? { maxOutputTokens: limit } : {}),
    };
    return toSend(continued, choice, this.#session);
  }

  #find(): LastSent | null {
    const { journal } = this.#session;
    const last = findLast(journal);
    if (!last || last.model !== this.#choice.model || last.loweringVersion !== LOWERING_VERSION) return null;
    const { context } = journal;
    const sent = turnRequest(context, last, last.mendedUpTo);
    return {
      conversation: context.conversation.slice(),
      last,
      asSent: { ...sent, messages: sent.messages.slice(0, last.messages) },
      now: turnRequest(context, this.#choice, last.mendedUpTo),
      reading: this.#meter.reading,
    };
  }
}

function findLast(journal: Journal): RequestEntry | null {
  let left = SEARCHED;
  for (const entry of journal.backward()) {
    if (entry.type === 'request' && entry.purpose === 'turn') return entry;
    if (--left === 0) return null;
  }
  return null;
}

/** With an unknown window: a size that was accepted once is tried. */
function fits({ window }: ModelChoice, { tokens, factor }: MeterReading, text: string, answer: number): boolean {
  return window === 0 || tokens + Math.ceil(countTokens(text) * factor) + answer <= window;
}

/** Characters of a message that identify it. */
const QUOTED = 160;

/**
 * Empty when it covers the whole conversation. Null when `covers` is not a contiguous part: a message in its middle
 * would leave without being summarised, or a summarised message is missing.
 */
export function describeRange(conversation: readonly ContextItem[], covers: readonly ContextMessage[]): string | null {
  const covered = new Set(covers.map(({ id }) => id));
  const isCovered = ({ id }: ContextItem) => covered.has(id);
  const first = conversation.findIndex(isCovered);
  const last = conversation.findLastIndex(isCovered);
  if (first < 0 || conversation.filter(isCovered).length < covered.size) return null;
  const safe = protectedIds(conversation);
  const stays = (item: ContextItem) => item.kind === 'summary' || safe.has(item.id);
  const beside = conversation.slice(first, last).filter((item) => !isCovered(item));
  // A pin keeps its whole block.
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
