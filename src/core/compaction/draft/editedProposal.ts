/**
 * Applies a person's changes to a proposal: returns an ordinary proposal, or the reason why it cannot be applied. Facts
 * are looked for again, so that the ledger matches the messages that really leave.
 */

import type { PersonsChanges } from '../../journal/entry.ts';
import { neutraliseNotes } from '../../tools/text/stripControls.ts';
import { type Words, words } from '../../words.ts';
import type { Proposal } from '../propose.ts';
import { requestTokens } from '../when/triggers.ts';
import { type Decision, DROP, type Draft, UNDECIDED } from './draft.ts';
import { addLedger } from './ledger.ts';
import {
  choiceAt,
  choose,
  type EditOutcome,
  isEdited,
  type PlanEdit,
  proposedStay,
  rewrite,
  shorten,
} from './planEdit.ts';
import { findBrokenRule, fixedMessages } from './rules.ts';
import { makeDropNote, makeStub, readDropNote } from './stub.ts';

export interface Edited {
  /** Provides the figures even when it cannot be applied. */
  readonly proposal: Proposal;
  /** Why it cannot be applied; null when it can. */
  readonly refused: Words | null;
}

export function editedProposal(edit: PlanEdit): Edited {
  const { start, proposal } = edit;
  if (!isEdited(edit)) return { proposal, refused: null };
  const { history, budget, finishing } = start;
  const bare = reword(proposal.bare.decide(listDecisions(edit)), edit);
  const tokens = (draft: Draft) => requestTokens(budget.reading, draft.freed);
  const problemOf = (draft: Draft): Words | null => {
    if (draft.dropped().length === history.messages.length && draft.inserts.length === 0)
      return words('Nothing would be left of the conversation.');
    if (draft.freed <= 0) return words('It would free nothing. Hide, shorten or drop something.');
    return findBrokenRule(draft, fixedMessages(history));
  };
  const verified = addLedger(bare, finishing.ledgerTokens, finishing);
  const draft = problemOf(verified) === null || bare === verified ? verified : bare;
  return {
    proposal: { ...proposal, draft, bare, tokensAfter: tokens(draft), changes: countChanges(edit) },
    refused: problemOf(draft),
  };
}

function listDecisions(edit: PlanEdit): [number, Decision][] {
  const { messages } = edit.start.history;
  const decisions: [number, Decision][] = [];
  if (edit.leaves.size + edit.stays.size === 0) return decisions;
  for (const [index, { block }] of messages.entries()) {
    if (edit.leaves.has(block) || edit.stays.has(index)) decisions.push([index, decide(edit, index)]);
  }
  return decisions;
}

function decide(edit: PlanEdit, index: number): Decision {
  const { bare } = edit.proposal;
  const choice = choiceAt(edit, index);
  if (choice === 'drop') return DROP;
  // The strategy's version is kept where the person wants the same.
  if (!bare.isDropped(index) && choice === proposedStay(bare, index)) return bare.at(index);
  const message = bare.history.messages[index];
  if (choice === 'keep' || !message) return UNDECIDED;
  if (choice === 'hide') return { kind: 'hide', stub: makeStub(message, 'hidden', edit.start.stamp) };
  return shorten(bare, index, edit.start.stamp) ?? UNDECIDED;
}

/** Inserts the person's words, sanitised, and the correct count into notes of dropped messages. */
function reword(draft: Draft, { texts, start, proposal }: PlanEdit): Draft {
  const { nonce } = start.stamp;
  const more = draft.dropped().length - proposal.bare.dropped().length;
  return draft.rewriteInserts((text, at) => {
    const own = texts.get(at);
    if (own !== undefined) return neutraliseNotes(own);
    const note = more === 0 ? null : readDropNote(text, nonce);
    if (!note) return text;
    const messages = note.messages + more;
    const freed = Math.max(0, note.tokens + (proposal.bare.tokens - draft.tokens));
    return messages > 0 ? makeDropNote(nonce, messages, freed) : null;
  });
}

/** Number of messages whose fate differs from the proposal, by new fate. */
function countChanges(edit: PlanEdit): PersonsChanges {
  const { bare } = edit.proposal;
  const changes = { kept: 0, hidden: 0, shortened: 0, dropped: 0, rewritten: edit.texts.size };
  for (const [index, { block }] of edit.start.history.messages.entries()) {
    if (!edit.leaves.has(block) && !edit.stays.has(index)) continue;
    const choice = choiceAt(edit, index);
    if (choice === (bare.isDropped(index) ? 'drop' : proposedStay(bare, index))) continue;
    changes[COUNTED[choice]] += 1;
  }
  return changes;
}

const COUNTED = { keep: 'kept', hide: 'hidden', shorten: 'shortened', drop: 'dropped' } as const;

/**
 * Transfers a person's changes to a newer preview of the same conversation, so that none is lost when it has grown.
 * Pure.
 */
interface Carried {
  readonly edit: PlanEdit;
  /** Number of changes that no longer fit. */
  readonly lost: number;
}

/** By message id; rewritten summary text goes to the summary in the same place. */
export function carryChanges(from: PlanEdit, to: PlanEdit): Carried {
  const { messages } = from.start.history;
  const indexOf = new Map(to.start.history.messages.map(({ id }, index) => [id, index]));
  let edit = to;
  let lost = 0;
  const take = (outcome: EditOutcome) => {
    if (outcome.kind === 'edit') edit = outcome.edit;
    else lost++;
  };
  for (const [index, choice] of from.stays) take(choose(edit, indexOf.get(messages[index]?.id ?? '') ?? -1, choice));
  for (const [block, leaves] of from.leaves) {
    const first = messages.find((message) => message.block === block);
    const index = indexOf.get(first?.id ?? '') ?? -1;
    if (leaves) take(choose(edit, index, 'drop'));
    // A message that was only restored is restored here too.
    else if (index >= 0 && to.proposal.bare.isDropped(index))
      take(choose(edit, index, from.stays.get(messages.findIndex((each) => each.block === block)) ?? 'keep'));
  }
  for (const [at, text] of from.texts) take(rewrite(edit, at, text));
  return { edit, lost };
}
