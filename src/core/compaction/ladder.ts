/**
 * The deterministic steps below every strategy (DESIGN §5.9): hide old results, drop the oldest rounds behind a note, cut
 * the one giant message. Each takes a candidate and gives a smaller one or null; none needs a model, none repeats itself.
 */

import type { ContextMessage } from '../../api/index.ts';
import type { ContextItem } from '../context/item.ts';
import { type CountTokens, countTokens, takeTokens, wellFormedEnd } from '../tokens/estimate.ts';
import type { Candidate, Slot } from './candidate.ts';
import { makeDropNote, makeStub } from './stub.ts';

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

export const keepAll = (history: readonly ContextMessage[]): Candidate =>
  history.map((message, index) => ({ kind: 'keep', index, message }));

/** Tokens of a candidate, uncalibrated; a change's replacement is counted by its text. */
export function candidateTokens(candidate: Candidate, count: CountTokens = countTokens): number {
  let tokens = 0;
  for (const slot of candidate) tokens += slotTokens(slot, count);
  return tokens;
}

function slotTokens(slot: Slot, count: CountTokens): number {
  switch (slot.kind) {
    case 'keep':
      return slot.message.tokens;
    case 'insert':
      return 4 + count(slot.text);
    case 'change': {
      const text = slot.by.text === undefined ? 0 : count(slot.message.text) - count(slot.by.text);
      if (slot.message.role !== 'assistant' || !slot.by.arguments) return Math.max(1, slot.message.tokens - text);
      const before = slot.message.toolCalls.reduce((sum, call) => sum + count(call.arguments), 0);
      const after = slot.by.arguments.reduce((sum, json) => sum + count(json), 0);
      return Math.max(1, slot.message.tokens - text - (before - after));
    }
  }
}

/** Oldest results first, until `target` is reached. */
export function hideResults(candidate: Candidate, target: number, facts: LadderFacts): LadderStep | null {
  const groups = new Set<number>();
  for (const slot of candidate)
    if (slot.kind !== 'insert' && slot.message.role === 'tool') groups.add(slot.message.block);
  const recent = new Set([...groups].slice(-RECENT_GROUPS));
  let tokens = candidateTokens(candidate);
  let hidden = 0;
  const slots = candidate.map((slot): Slot => {
    if (tokens <= target || slot.kind !== 'keep') return slot;
    const { message } = slot;
    if (message.role !== 'tool' || message.hidden || message.protected || recent.has(message.block)) return slot;
    const stub = makeStub(message, 'hidden', facts.nonce, facts.now);
    const saved = countTokens(message.text) - countTokens(stub.text);
    if (saved <= 0) return slot;
    tokens -= saved;
    hidden++;
    return { ...slot, kind: 'change', by: { text: stub.text, stub } };
  });
  return hidden ? { candidate: slots, done: `${hidden} older tool results were hidden.` } : null;
}

/** Whole blocks, oldest first, until `target` is reached; summaries and protected messages stay. */
export function dropOldest(candidate: Candidate, target: number, facts: LadderFacts): LadderStep | null {
  const stays = new Set<number>();
  for (const { block, protected: guarded } of facts.history) if (guarded) stays.add(block);
  const newest = facts.history.at(-1)?.block;
  if (newest !== undefined) stays.add(newest);
  const cost = new Map<number, number>();
  let tokens = 0;
  for (const slot of candidate) {
    const own = slotTokens(slot, countTokens);
    tokens += own;
    if (slot.kind !== 'insert') cost.set(slot.message.block, (cost.get(slot.message.block) ?? 0) + own);
  }
  const before = tokens;
  // The note that stands for what went costs something itself.
  tokens += countTokens(makeDropNote(facts.nonce, 1_000, before)) + 4;
  const gone = new Set<number>();
  for (const slot of candidate) {
    if (tokens <= target) break;
    if (slot.kind === 'insert' || stays.has(slot.message.block) || gone.has(slot.message.block) || isNote(slot.message))
      continue;
    gone.add(slot.message.block);
    tokens -= cost.get(slot.message.block) ?? 0;
  }
  if (gone.size === 0 || tokens >= before) return null;
  const left = candidate.filter((slot) => slot.kind === 'insert' || !gone.has(slot.message.block));
  const messages = candidate.length - left.length;
  const note: Slot = { kind: 'insert', text: makeDropNote(facts.nonce, messages, before - tokens) };
  const at = left.findIndex((slot) => slot.kind !== 'insert' && !isNote(slot.message));
  return {
    candidate: at < 0 ? [...left, note] : left.toSpliced(at, 0, note),
    done: `The ${messages} oldest messages were dropped.`,
  };
}

const isNote = (message: ContextMessage) => message.role === 'user' && message.kind === 'summary';

/**
 * The biggest tool result, or the biggest message that is not protected, down to what fits. A result inside of an open
 * reasoning loop may be cut too: providers check the reasoning, not the result.
 */
export function cutGiant(candidate: Candidate, target: number, facts: LadderFacts): LadderStep | null {
  let giant: { readonly at: number; readonly tokens: number } | null = null;
  candidate.forEach((slot, at) => {
    if (slot.kind === 'insert' || (slot.kind === 'change' && slot.by.stub)) return;
    const { message } = slot;
    if (message.protected && (message.role !== 'tool' || facts.items[slot.index]?.pinned)) return;
    const tokens = slotTokens(slot, countTokens);
    if (!giant || tokens > giant.tokens) giant = { at, tokens };
  });
  const found = giant as { readonly at: number; readonly tokens: number } | null;
  if (!found) return null;
  const slot = candidate[found.at] as Extract<Slot, { kind: 'keep' | 'change' }>;
  const what = `${slot.message.role === 'tool' ? slot.message.toolName : slot.message.role}, ${found.tokens} tokens`;
  if (slot.message.role === 'tool' && slot.message.truncated) {
    // C11: what was cut once is not cut again, but it may go behind a stub whole.
    const stub = makeStub(slot.message, 'hidden', facts.nonce, facts.now);
    const by = { text: stub.text, stub };
    const hidden: Slot = { kind: 'change', index: slot.index, message: slot.message, by };
    return { candidate: candidate.with(found.at, hidden), done: `The largest message (${what}) was hidden.` };
  }
  const over = candidateTokens(candidate) - target;
  const room = found.tokens - over - 40;
  const text = slot.kind === 'change' ? (slot.by.text ?? slot.message.text) : slot.message.text;
  if (room < 50 || over <= 0) return null;
  const short = cutMiddle(text, room);
  if (short.length >= text.length) return null;
  const by = { ...(slot.kind === 'change' ? slot.by : {}), text: short };
  return {
    candidate: candidate.with(found.at, { kind: 'change', index: slot.index, message: slot.message, by }),
    done: `The largest message (${what}) was cut to fit.`,
  };
}

function cutMiddle(text: string, tokens: number): string {
  const head = takeTokens(text, Math.floor(tokens * 0.6));
  let length = Math.min(text.length - head.length, head.length);
  while (length > 0 && countTokens(text.slice(-length)) > tokens * 0.35) length = Math.floor(length * 0.8);
  const tail = length > 0 ? wellFormedEnd(text, length) : '';
  return `${head}\n[… ${text.length - head.length - tail.length} characters cut to fit the context …]\n${tail}`;
}
