/** Cuts the largest message of a draft, the last step when nothing else makes it fit. */

import type { ContextMessage } from '../../../api/index.ts';
import { countTokens, takeTokens, wellFormedEnd } from '../../tokens/estimate.ts';
import { words } from '../../words.ts';
import { type Change, type Draft, imageTokens } from './draft.ts';
import { holdsImages, takeImages } from './images.ts';
import { previewArguments } from './shortTexts.ts';
import { makeStub, type Stamp } from './stub.ts';

/** A cut message keeps at least this many tokens. */
const SMALLEST_CUT = 200;

const NOTE = 40;

/**
 * Cuts the largest cuttable message down to what fits; if that is not enough, the next call cuts the next largest. A
 * result in an open loop of reasoning may be cut too: providers verify the reasoning, not the result. Returns the draft
 * itself when there is nothing to cut.
 */
export function cutGiant(draft: Draft, target: number, stamp: Stamp): Draft {
  const over = draft.tokens - target;
  if (over <= 0) return draft;
  for (const index of listGiants(draft)) {
    const message = draft.history.messages[index] as ContextMessage;
    const tokens = draft.tokensAt(index);
    const room = Math.max(SMALLEST_CUT, tokens - over - NOTE);
    if (tokens <= room + NOTE) return draft;
    const cut = cutMessage(draft, message, index, room, stamp);
    if (!cut) continue;
    const from = message.role === 'tool' ? message.toolName : message.role;
    const done =
      cut.kind === 'hide'
        ? words('The largest message ({0}, {1} tokens) was hidden.', from, tokens)
        : words('The largest message ({0}, {1} tokens) was cut to fit.', from, tokens);
    return draft.decide([[index, cut]]).repaired(done);
  }
  return draft;
}

/** Indices, the largest first. */
function listGiants(draft: Draft): readonly number[] {
  const giants: number[] = [];
  draft.visit((message, index) => {
    if (draft.at(index).kind === 'hide' || message.hidden || draft.tokensAt(index) <= SMALLEST_CUT + NOTE) return;
    if (message.protected && (message.role !== 'tool' || draft.history.items[index]?.pinned)) return;
    giants.push(index);
  });
  return giants.sort((a, b) => draft.tokensAt(b) - draft.tokensAt(a));
}

/** Cuts to about `room` tokens; null when there is nothing to cut. */
function cutMessage(draft: Draft, message: ContextMessage, index: number, room: number, stamp: Stamp): Change | null {
  // A cut result is not cut again, but may be hidden whole.
  if (message.role === 'tool' && message.truncated) return { kind: 'hide', stub: makeStub(message, 'hidden', stamp) };
  const decision = draft.at(index);
  const before = decision.kind === 'replace' ? decision : { kind: 'replace' as const };
  const text = draft.textAt(index);
  if (holdsImages(draft, index) && imageTokens(message) > countTokens(text)) return takeImages(draft, index, stamp);
  const json = draft.argumentsAt(index);
  const inCalls = json.reduce((sum, each) => sum + countTokens(each), 0);
  const inText = Math.max(0, draft.tokensAt(index) - inCalls);
  if (inCalls > inText) {
    const share = Math.floor(Math.max(0, room - inText) / json.length);
    const short = json.map((each) =>
      countTokens(each) > share + NOTE ? previewArguments(each, share, countTokens) : each,
    );
    return short.every((each, i) => each === json[i]) ? null : { ...before, arguments: short };
  }
  const short = cutMiddle(text, Math.max(0, room - inCalls));
  return short.length < text.length ? { ...before, text: short } : null;
}

function cutMiddle(text: string, tokens: number): string {
  const head = takeTokens(text, Math.floor(tokens * 0.6));
  let length = Math.min(text.length - head.length, head.length);
  while (length > 0 && countTokens(text.slice(-length)) > tokens * 0.35) length = Math.floor(length * 0.8);
  const tail = length > 0 ? wellFormedEnd(text, length) : '';
  return `${head}\n[… ${text.length - head.length - tail.length} characters cut to fit the context …]\n${tail}`;
}
