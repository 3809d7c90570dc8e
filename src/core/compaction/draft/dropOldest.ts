/** Drops the oldest rounds, with a note in their place that merges the notes of earlier drops. */

import { words } from '../../words.ts';
import { DROP, type Draft, insertTokens } from './draft.ts';
import { makeDropNote, readDropNote } from './dropNote.ts';
import { isSummary } from './messageKinds.ts';
import type { Stamp } from './stub.ts';

/**
 * Drops whole blocks of rounds up to `upTo`, until the draft has `target` tokens; summaries and protected messages
 * stay.
 */
export function dropOldest(draft: Draft, target: number, stamp: Stamp, upTo = Number.POSITIVE_INFINITY): Draft {
  const { messages } = draft.history;
  const stays = new Set<number | undefined>([messages.at(-1)?.block]);
  for (const index of draft.history.protectedAt) stays.add(messages[index]?.block);
  const cost = new Map<number, number>();
  // Earlier drop notes are merged into the new one, so that they do not pile up; other notes stay.
  const merged = new Map<number, { readonly messages: number; readonly tokens: number }>();
  draft.visit((message, index) => {
    const note = isSummary(message) ? readDropNote(message.text, stamp.nonce) : null;
    if (note && !message.protected) merged.set(message.block, note);
    if (message.round > upTo || stays.has(message.block) || (isSummary(message) && !note)) return;
    cost.set(message.block, (cost.get(message.block) ?? 0) + draft.tokensAt(index));
  });
  // The drop note itself costs tokens.
  let tokens = draft.tokens + insertTokens(makeDropNote(stamp, 1_000, draft.tokens));
  const gone = new Set<number>();
  for (const [block, own] of cost) {
    if (tokens <= target) break;
    gone.add(block);
    tokens -= own;
  }
  if (tokens >= draft.tokens) return draft;
  const dropped: number[] = [];
  draft.visit(({ block }, index) => gone.has(block) && dropped.push(index));
  const fresh = dropped.filter((index) => !merged.has(messages[index]?.block ?? -1)).length;
  if (fresh === 0) return draft;
  let [count, worth] = [fresh, draft.tokens - tokens];
  for (const [block, note] of merged) {
    if (!gone.has(block)) continue;
    count += note.messages;
    worth += note.tokens;
  }
  const left = draft.decide(dropped.map((index) => [index, DROP] as const));
  return left
    .insert(afterNotes(left), makeDropNote(stamp, count, worth))
    .repaired(words('Oldest messages dropped: {0}.', fresh));
}

/** Index of the first message other than a note of an earlier compaction. */
function afterNotes(draft: Draft): number {
  const { messages } = draft.history;
  const found = messages.findIndex((message, index) => !draft.isDropped(index) && !isSummary(message));
  return found < 0 ? messages.length : found;
}
