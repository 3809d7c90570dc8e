/**
 * What every candidate must keep, whoever made it (DESIGN §5.6, RELIABILITY §3). One repair is made, and recorded: the
 * latest user message comes back. Everything else that is wrong rejects the whole.
 */

import type { ContextMessage } from '../../../api/index.ts';
import { type Candidate, rangeOf, type Slot } from './candidate.ts';
import { neutraliseLedger } from './facts.ts';
import { neutraliseStubs } from './stub.ts';

export type Validation =
  | { readonly kind: 'valid'; readonly candidate: Candidate; readonly repairs: readonly string[] }
  | { readonly kind: 'invalid'; readonly reason: string };

/**
 * Order, identity and unknown ids were checked when the candidate was read; tokens are checked on the plan. `guarded` are
 * the indices of protected messages, in order.
 */
export function validateCandidate(
  history: readonly ContextMessage[],
  given: Candidate,
  guarded: readonly number[],
): Validation {
  const repairs: string[] = [];
  const candidate = mendText(restoreLatestUser(history, given, repairs), repairs);
  const reason = checkProtected(history, candidate, guarded) ?? checkBlocks(history, candidate) ?? checkText(candidate);
  return reason === null ? { kind: 'valid', candidate, repairs } : { kind: 'invalid', reason };
}

/** The faithful K7 and P strategies drop the latest user message at most triggers: it is put back where it stood. */
function restoreLatestUser(history: readonly ContextMessage[], candidate: Candidate, repairs: string[]): Candidate {
  const index = history.findLastIndex((message) => message.role === 'user' && message.kind === 'user');
  if (index < 0) return candidate;
  const at = candidate.findIndex((slot) => (rangeOf(slot)?.[1] ?? 0) > index);
  const found = candidate[at];
  if (found && (rangeOf(found)?.[0] ?? index + 1) <= index) return candidate;
  repairs.push('The latest user message was put back.');
  const slot: Slot = { kind: 'keep', from: index, to: index + 1 };
  // Without a later message of the history it stands last, behind the inserts: what it asks comes after what it sums up.
  return at < 0 ? [...candidate, slot] : candidate.toSpliced(at, 0, slot);
}

/** A body from outside can neither break UTF-16 nor pose as a stub; changed JSON must stay JSON, so it is not touched. */
function mendText(candidate: Candidate, repairs: string[]): Candidate {
  let mended = 0;
  const result = candidate.map((slot): Slot => {
    if (slot.kind === 'insert') {
      const text = neutraliseLedger(neutraliseStubs(slot.text));
      if (text === slot.text) return slot;
      mended++;
      return { ...slot, text };
    }
    if (slot.kind !== 'change' || slot.by.stub || slot.by.text === undefined) return slot;
    const text = slot.message.text.includes(slot.by.text) ? slot.by.text : neutraliseStubs(slot.by.text);
    if (text === slot.by.text) return slot;
    mended++;
    return { ...slot, by: { ...slot.by, text } };
  });
  if (mended === 0) return candidate;
  repairs.push('Text that looked like a stub or a ledger was made harmless.');
  return result;
}

function checkProtected(
  history: readonly ContextMessage[],
  candidate: Candidate,
  guarded: readonly number[],
): string | null {
  const runs = candidate.filter((slot) => slot.kind === 'keep');
  let at = 0;
  for (const index of guarded) {
    while (at < runs.length && (runs[at]?.to ?? 0) <= index) at++;
    const run = runs[at];
    if (!run || run.from > index) return `the protected message ${history[index]?.id} was dropped or changed`;
  }
  return null;
}

/** Blocks are adjacent in a history, so each must come back whole and without an insert inside. */
function checkBlocks(history: readonly ContextMessage[], candidate: Candidate): string | null {
  let last = -1;
  let inserted = false;
  for (const slot of candidate) {
    const range = rangeOf(slot);
    if (!range) {
      inserted = true;
      continue;
    }
    const [from, to] = range;
    if (last === from - 1 && last >= 0) {
      if (inserted && endsInside(history, last)) return `a summary was put inside of the block of ${history[from]?.id}`;
    } else {
      if (endsInside(history, last)) return `the block of ${history[last]?.id} lost its end`;
      if (endsInside(history, from - 1)) return `the block of ${history[from]?.id} lost its beginning`;
    }
    last = to - 1;
    inserted = false;
  }
  return endsInside(history, last) ? `the block of ${history[last]?.id} lost its end` : null;
}

function endsInside(history: readonly ContextMessage[], index: number): boolean {
  return index >= 0 && index + 1 < history.length && history[index + 1]?.block === history[index]?.block;
}

function checkText(candidate: Candidate): string | null {
  for (const slot of candidate) {
    if (slot.kind === 'keep') continue;
    if (slot.kind === 'insert') {
      if (!slot.text.isWellFormed()) return 'a summary is not well-formed Unicode';
      continue;
    }
    const { message, by } = slot;
    if (by.text !== undefined && !by.text.isWellFormed()) return `the text of ${message.id} is not well-formed Unicode`;
    if (!by.arguments || message.role !== 'assistant') continue;
    for (const [i, json] of by.arguments.entries()) {
      if (json === message.toolCalls[i]?.arguments) continue;
      if (!json.isWellFormed()) return `the arguments of ${message.id} are not well-formed Unicode`;
      if (!isJson(json)) return `the arguments of ${message.id} are no longer JSON`;
    }
  }
  return null;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
