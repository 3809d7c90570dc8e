/**
 * What every candidate must keep, whoever made it (DESIGN §5.6, RELIABILITY §3). One repair is made, and recorded: the
 * latest user message comes back. Everything else that is wrong rejects the whole.
 */

import type { ContextMessage } from '../../api/index.ts';
import type { Candidate, Slot } from './candidate.ts';
import { neutraliseStubs } from './stub.ts';

export type Validation =
  | { readonly kind: 'valid'; readonly candidate: Candidate; readonly repairs: readonly string[] }
  | { readonly kind: 'invalid'; readonly reason: string };

/** Order, identity and unknown ids were checked when the candidate was read; tokens are checked on the plan. */
export function validateCandidate(history: readonly ContextMessage[], given: Candidate): Validation {
  const repairs: string[] = [];
  const candidate = mendText(restoreLatestUser(history, given, repairs), repairs);
  const reason = checkProtected(history, candidate) ?? checkBlocks(history, candidate) ?? checkText(candidate);
  return reason === null ? { kind: 'valid', candidate, repairs } : { kind: 'invalid', reason };
}

/** The faithful K7 and P strategies drop the latest user message at most triggers: it is put back where it stood. */
function restoreLatestUser(history: readonly ContextMessage[], candidate: Candidate, repairs: string[]): Candidate {
  const index = history.findLastIndex((message) => message.role === 'user' && message.kind === 'user');
  const message = history[index];
  if (!message) return candidate;
  const at = candidate.findIndex((slot) => slot.kind !== 'insert' && slot.index >= index);
  const found = candidate[at];
  if (found && found.kind !== 'insert' && found.index === index) return candidate;
  repairs.push('The latest user message was put back.');
  const slot: Slot = { kind: 'keep', index, message };
  // Without a later message of the history it stands last, behind the inserts: what it asks comes after what it sums up.
  return at < 0 ? [...candidate, slot] : candidate.toSpliced(at, 0, slot);
}

/** A body from outside can neither break UTF-16 nor pose as a stub; changed JSON must stay JSON, so it is not touched. */
function mendText(candidate: Candidate, repairs: string[]): Candidate {
  let mended = 0;
  const result = candidate.map((slot): Slot => {
    if (slot.kind === 'insert') {
      const text = neutraliseStubs(slot.text);
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
  repairs.push('Text that looked like a stub was made harmless.');
  return result;
}

function checkProtected(history: readonly ContextMessage[], candidate: Candidate): string | null {
  const kept = new Set<number>();
  for (const slot of candidate) if (slot.kind === 'keep' && slot.message.protected) kept.add(slot.index);
  for (let i = history.length - 1; i >= 0; i--) {
    const message = history[i] as ContextMessage;
    if (message.protected && !kept.has(i)) return `the protected message ${message.id} was dropped or changed`;
  }
  return null;
}

/** Blocks are adjacent in a history, so each must come back whole and without an insert inside. */
function checkBlocks(history: readonly ContextMessage[], candidate: Candidate): string | null {
  let last = -1;
  let inserted = false;
  for (const slot of candidate) {
    if (slot.kind === 'insert') {
      inserted = true;
      continue;
    }
    const { index, message } = slot;
    if (last === index - 1 && last >= 0) {
      if (inserted && history[last]?.block === message.block)
        return `a summary was put inside of the block of ${message.id}`;
    } else {
      if (endsInside(history, last)) return `the block of ${history[last]?.id} lost its end`;
      if (endsInside(history, index - 1)) return `the block of ${message.id} lost its beginning`;
    }
    last = index;
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
