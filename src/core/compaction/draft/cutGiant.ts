/**
 * The last step of the ladder (DESIGN §5.9): giants are cut one after the other until the rest fits. What a person wrote
 * or pinned, and reasoning that is still in use, is never cut.
 */

import type { ContextMessage } from '../../../api/index.ts';
import { countTokens, takeTokens, wellFormedEnd } from '../../tokens/estimate.ts';
import { previewArguments } from '../strategies/selective/shorten.ts';
import type { Candidate, Change, ChangedSlot } from './candidate.ts';
import { candidateTokens, type LadderFacts, type LadderStep, mapMessages, visitMessages } from './ladder.ts';
import { makeStub } from './stub.ts';

/** A cut message keeps at least so many tokens. */
const SMALLEST_CUT = 200;
/** What a note of a cut costs. */
const NOTE = 40;

/**
 * The biggest message that can be cut, down to what fits; where it alone cannot make the room it gives what it has, and
 * the next largest goes on. A result inside of an open reasoning loop may be cut too: providers check the reasoning, not
 * the result.
 */
export function cutGiant(candidate: Candidate, target: number, facts: LadderFacts): LadderStep | null {
  const over = candidateTokens(candidate, facts) - target;
  if (over <= 0) return null;
  for (const giant of listGiants(candidate, facts)) {
    const { message, index, tokens } = giant;
    const room = Math.max(SMALLEST_CUT, tokens - over - NOTE);
    if (tokens <= room + NOTE) return null;
    const cut = cutMessage(giant, room, facts);
    if (!cut) continue;
    const what = `${message.role === 'tool' ? message.toolName : message.role}, ${tokens} tokens`;
    return {
      candidate: mapMessages(candidate, facts, (_message, at) =>
        at === index ? { kind: 'change', index, message, by: cut } : 'keep',
      ),
      done: `The largest message (${what}) was ${cut.stub ? 'hidden' : 'cut to fit'}.`,
    };
  }
  return null;
}

interface Giant {
  readonly message: ContextMessage;
  readonly index: number;
  readonly tokens: number;
  readonly changed: ChangedSlot | null;
}

/** The largest first. */
function listGiants(candidate: Candidate, facts: LadderFacts): readonly Giant[] {
  const giants: Giant[] = [];
  visitMessages(candidate, facts, (message, index, tokens, changed) => {
    if (changed?.by.stub || message.hidden || tokens <= SMALLEST_CUT + NOTE) return;
    if (message.protected && (message.role !== 'tool' || facts.items[index]?.pinned)) return;
    giants.push({ message, index, tokens, changed });
  });
  return giants.toSorted((a, b) => b.tokens - a.tokens);
}

/** To about `room` tokens; null when there is nothing to cut. */
function cutMessage({ message, changed }: Giant, room: number, { nonce, now }: LadderFacts): Change | null {
  if (message.role === 'tool' && message.truncated) {
    // C11: what was cut once is not cut again, but it may go behind a stub whole.
    const stub = makeStub(message, 'hidden', nonce, now);
    return { text: stub.text, stub };
  }
  const text = changed?.by.text ?? message.text;
  const given = message.role === 'assistant' ? message.toolCalls.map((call) => call.arguments) : [];
  const json = changed?.by.arguments ?? given;
  const inCalls = json.reduce((sum, each) => sum + countTokens(each), 0);
  if (inCalls > countTokens(text)) {
    const share = Math.floor(Math.max(0, room - countTokens(text)) / json.length);
    const short = json.map((each) =>
      countTokens(each) > share + NOTE ? previewArguments(each, share, countTokens) : each,
    );
    return short.every((each, i) => each === json[i]) ? null : { ...changed?.by, arguments: short };
  }
  const short = cutMiddle(text, Math.max(0, room - inCalls));
  return short.length < text.length ? { ...changed?.by, text: short } : null;
}

function cutMiddle(text: string, tokens: number): string {
  const head = takeTokens(text, Math.floor(tokens * 0.6));
  let length = Math.min(text.length - head.length, head.length);
  while (length > 0 && countTokens(text.slice(-length)) > tokens * 0.35) length = Math.floor(length * 0.8);
  const tail = length > 0 ? wellFormedEnd(text, length) : '';
  return `${head}\n[… ${text.length - head.length - tail.length} characters cut to fit the context …]\n${tail}`;
}
