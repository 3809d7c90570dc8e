/**
 * The deterministic steps below every strategy (DESIGN §5.9): hide old results, drop the oldest rounds behind a note; the
 * last one, cutting giants, is in `cutGiant.ts`. Each takes a candidate and gives a smaller one or null; none needs a
 * model, none repeats itself.
 */

import type { ContextMessage } from '../../../api/index.ts';
import type { ContextItem } from '../../context/item.ts';
import { countTokens } from '../../tokens/estimate.ts';
import { type Candidate, CandidateBuilder, type ChangedSlot, type Slot, savedTokens } from './candidate.ts';
import { makeDropNote, makeStub, readDropNote } from './stub.ts';

export interface LadderFacts {
  readonly history: readonly ContextMessage[];
  /** The items behind the history: they tell a pin from the other reasons for protection. */
  readonly items: readonly ContextItem[];
  readonly nonce: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface LadderStep {
  readonly candidate: Candidate;
  /** What was done, in words, for the entry's repairs. */
  readonly done: string;
}

/** Tool groups whose results the ladder leaves: what the agent is working with right now. */
const RECENT_GROUPS = 2;

/** Tokens of a candidate, uncalibrated; a changed message is counted by its new text and arguments. */
export function candidateTokens(candidate: Candidate, { history }: LadderFacts): number {
  let tokens = 0;
  for (const slot of candidate) {
    if (slot.kind === 'keep') for (let i = slot.from; i < slot.to; i++) tokens += history[i]?.tokens ?? 0;
    else tokens += slot.kind === 'insert' ? insertTokens(slot.text) : changedTokens(slot);
  }
  return tokens;
}

const insertTokens = (text: string) => 4 + countTokens(text);

function changedTokens({ message, by }: ChangedSlot): number {
  return Math.max(1, message.tokens - savedTokens(message, by));
}

/** Calls `visit` for each message that is there, changed or not, with its tokens as it is now. */
export function visitMessages(
  candidate: Candidate,
  { history }: LadderFacts,
  visit: (message: ContextMessage, index: number, tokens: number, changed: ChangedSlot | null) => void,
): void {
  for (const slot of candidate) {
    if (slot.kind === 'change') visit(slot.message, slot.index, changedTokens(slot), slot);
    if (slot.kind !== 'keep') continue;
    for (let i = slot.from; i < slot.to; i++) {
      const message = history[i] as ContextMessage;
      visit(message, i, message.tokens, null);
    }
  }
}

/** The candidate with each message that `change` gives something else for; inserts stay where they are. */
export function mapMessages(
  candidate: Candidate,
  { history }: LadderFacts,
  change: (message: ContextMessage, index: number, changed: ChangedSlot | null) => Slot | 'keep' | 'drop',
): Candidate {
  const builder = new CandidateBuilder();
  const add = (index: number, changed: ChangedSlot | null) => {
    const made = change(history[index] as ContextMessage, index, changed);
    if (made === 'drop') return;
    if (made !== 'keep') builder.push(made);
    else if (changed) builder.push(changed);
    else builder.keep(index);
  };
  for (const slot of candidate) {
    if (slot.kind === 'insert') builder.push(slot);
    else if (slot.kind === 'change') add(slot.index, slot);
    else for (let i = slot.from; i < slot.to; i++) add(i, null);
  }
  return builder.build();
}

/**
 * Oldest results first, until `target` is reached. With `inOpenLoop` also those that only an open loop of reasoning
 * protects: providers check the reasoning, not the results.
 */
export function hideResults(
  candidate: Candidate,
  target: number,
  facts: LadderFacts,
  inOpenLoop = false,
): LadderStep | null {
  const groups = new Set<number>();
  visitMessages(candidate, facts, ({ role, block }) => role === 'tool' && groups.add(block));
  const recent = new Set([...groups].slice(-RECENT_GROUPS));
  let tokens = candidateTokens(candidate, facts);
  let hidden = 0;
  const slots = mapMessages(candidate, facts, (message, index, changed) => {
    if (tokens <= target || changed || message.role !== 'tool') return 'keep';
    if (message.hidden || recent.has(message.block)) return 'keep';
    if (message.protected && !(inOpenLoop && !facts.items[index]?.pinned)) return 'keep';
    const stub = makeStub(message, 'hidden', facts.nonce, facts.now);
    const saved = countTokens(message.text) - countTokens(stub.text);
    if (saved <= 0) return 'keep';
    tokens -= saved;
    hidden++;
    return { kind: 'change', index, message, by: { text: stub.text, stub } };
  });
  return hidden ? { candidate: slots, done: `${hidden} older tool results were hidden.` } : null;
}

/** Exactly the messages at `indices` behind stubs, protected ones excepted. */
export function hideAt(candidate: Candidate, indices: ReadonlySet<number>, facts: LadderFacts): Candidate {
  return mapMessages(candidate, facts, (message, index) => {
    if (!indices.has(index) || message.protected) return 'keep';
    const stub = makeStub(message, 'hidden', facts.nonce, facts.now);
    return { kind: 'change', index, message, by: { text: stub.text, stub } };
  });
}

/** Whole blocks, oldest first, until `target` is reached; summaries and protected messages stay. */
export function dropOldest(candidate: Candidate, target: number, facts: LadderFacts): LadderStep | null {
  const stays = new Set<number>();
  for (const { block, protected: guarded } of facts.history) if (guarded) stays.add(block);
  const newest = facts.history.at(-1)?.block;
  if (newest !== undefined) stays.add(newest);
  const cost = new Map<number, number>();
  // Earlier drop notes go into the new one, so that they do not pile up; other notes stay.
  const merged = new Map<number, { readonly messages: number; readonly tokens: number }>();
  visitMessages(candidate, facts, (message, _index, tokens) => {
    const note = isNote(message) ? readDropNote(message.text, facts.nonce) : null;
    if (note && !message.protected) merged.set(message.block, note);
    if (stays.has(message.block) || (isNote(message) && !note)) return;
    cost.set(message.block, (cost.get(message.block) ?? 0) + tokens);
  });
  const before = candidateTokens(candidate, facts);
  // The note that stands for what went costs something itself.
  let tokens = before + insertTokens(makeDropNote(facts.nonce, 1_000, before));
  const gone = new Set<number>();
  for (const [block, own] of cost) {
    if (tokens <= target) break;
    gone.add(block);
    tokens -= own;
  }
  if (gone.size === 0 || tokens >= before) return null;
  let dropped = 0;
  const left = mapMessages(candidate, facts, ({ block }) => {
    if (!gone.has(block)) return 'keep';
    if (!merged.has(block)) dropped++;
    return 'drop';
  });
  if (dropped === 0) return null;
  let [messages, worth] = [dropped, before - tokens];
  for (const [block, note] of merged) {
    if (!gone.has(block)) continue;
    messages += note.messages;
    worth += note.tokens;
  }
  return {
    candidate: insertNote(left, makeDropNote(facts.nonce, messages, worth), facts),
    done: `The ${dropped} oldest messages were dropped.`,
  };
}

/** Behind earlier notes, before everything else. */
function insertNote(candidate: Candidate, text: string, { history }: LadderFacts): Candidate {
  const builder = new CandidateBuilder();
  let waiting = true;
  const place = (message: ContextMessage) => {
    if (waiting && !isNote(message)) {
      builder.push({ kind: 'insert', text });
      waiting = false;
    }
  };
  for (const slot of candidate) {
    if (slot.kind === 'change') place(slot.message);
    if (slot.kind !== 'keep' || !waiting) {
      builder.push(slot);
      continue;
    }
    for (let i = slot.from; i < slot.to; i++) {
      place(history[i] as ContextMessage);
      builder.keep(i);
    }
  }
  if (waiting) builder.push({ kind: 'insert', text });
  return builder.build();
}

const isNote = (message: ContextMessage) => message.role === 'user' && message.kind === 'summary';
