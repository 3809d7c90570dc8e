/**
 * A person's changes to a plan before it is applied: the fate of each message, and rewritten summaries. An immutable
 * record of the changes, from which their outcome is made, so any of them can be taken back. A tool block leaves or stays
 * as a whole, and protected messages refuse with the reason.
 */

import type { ContextMessage } from '../../../api/index.ts';
import type { PersonsChanges } from '../../journal/entry.ts';
import { countTokens } from '../../tokens/estimate.ts';
import { neutraliseNotes } from '../../tools/text/neutralise.ts';
import { type Words, words } from '../../words.ts';
import { requestTokens } from '../draft/budget.ts';
import {
  type Change,
  type Decision,
  DROP,
  type Draft,
  type Insert,
  imageTokens,
  textTokens,
  UNDECIDED,
} from '../draft/draft.ts';
import { isDropNote, makeDropNote, readDropNote } from '../draft/dropNote.ts';
import { holdsImages, takeImages } from '../draft/images.ts';
import { addLedger } from '../draft/ledger.ts';
import { isLedger } from '../draft/ledgerLines.ts';
import { findBrokenRule, fixedMessages } from '../draft/rules.ts';
import { previewArguments, shortenMiddle } from '../draft/shortTexts.ts';
import { makeStub, type Stamp } from '../draft/stub.ts';
import type { Proposal } from '../proposal/proposal.ts';
import type { Start } from '../proposal/start.ts';

/** The choices for a message, mildest first. */
export const CHOICES = ['keep', 'hide', 'shorten', 'drop'] as const;

export type Choice = (typeof CHOICES)[number];

type Staying = Exclude<Choice, 'drop'>;

export class PlanEdit {
  readonly start: Start;
  readonly proposal: Proposal;
  /** By block: whether it leaves. Only where the person decided. */
  readonly leaves: ReadonlyMap<number, boolean>;
  /** By index of the message, while its block stays. */
  readonly stays: ReadonlyMap<number, Staying>;
  /** Rewritten text of the inserts at these indices. */
  readonly texts: ReadonlyMap<number, string>;

  /** Without `changes` nothing is changed yet. */
  constructor(
    start: Start,
    proposal: Proposal,
    { leaves, stays, texts }: Partial<Pick<PlanEdit, 'leaves' | 'stays' | 'texts'>> = {},
  ) {
    this.start = start;
    this.proposal = proposal;
    this.leaves = leaves ?? new Map();
    this.stays = stays ?? new Map();
    this.texts = texts ?? new Map();
  }

  get isEdited(): boolean {
    return this.leaves.size + this.stays.size + this.texts.size > 0;
  }

  /** The present fate of a message. */
  choiceAt(index: number): Choice {
    const draft = this.proposal.bare;
    const block = draft.history.messages[index]?.block ?? -1;
    if (this.leaves.get(block) ?? draft.isDropped(index)) return 'drop';
    return this.stays.get(index) ?? proposedStay(draft, index);
  }

  choose(index: number, choice: Choice): EditOutcome {
    return choose(this, index, choice);
  }

  /** Why a message can never have that choice, regardless of its length; null when it may. */
  refusal(index: number, choice: Choice): Words | null {
    return refuseAlways(this.proposal.bare, index, choice);
  }

  /** A person may change text written for the model, but not a program's counts. */
  static isRewritable({ text }: Pick<Insert, 'text'>): boolean {
    return !isLedger(text) && !isDropNote(text);
  }

  /** Rewrites a summary that the compaction inserts. */
  rewrite(at: number, text: string): EditOutcome {
    return rewrite(this, at, text);
  }

  /**
   * Applies the changes: an ordinary proposal, or the reason why it cannot be applied. Facts are looked for again, so that
   * the ledger matches the messages that really leave.
   */
  apply(): Edited {
    return editedProposal(this);
  }

  /**
   * Transfers the changes to a newer preview of the same conversation, so that none is lost when it has grown: by message
   * id; rewritten summary text goes to the summary in the same place.
   */
  carryTo(to: PlanEdit): Carried {
    return carryChanges(this, to);
  }
}

type EditOutcome =
  | { readonly kind: 'edit'; readonly edit: PlanEdit }
  | { readonly kind: 'refused'; readonly reason: Words };

const LONGEST_TEXT = 1_000_000;

/** The proposal's decision for a message, with `keep` for one that it drops. */
function proposedStay(draft: Draft, index: number): Staying {
  const { kind } = draft.at(index);
  return kind === 'hide' ? 'hide' : kind === 'replace' ? 'shorten' : 'keep';
}

function choose(edit: PlanEdit, index: number, choice: Choice): EditOutcome {
  const draft = edit.proposal.bare;
  const message = draft.history.messages[index];
  if (!message) return { kind: 'refused', reason: words('That message is no longer in the conversation.') };
  const reason = refusalOf(edit, index, choice);
  if (reason) return { kind: 'refused', reason };
  const leaves = new Map(edit.leaves);
  const drops = choice === 'drop';
  if (drops === draft.isDropped(index)) leaves.delete(message.block);
  else leaves.set(message.block, drops);
  const stays = new Map(edit.stays);
  if (!drops) {
    if (choice === proposedStay(draft, index)) stays.delete(index);
    else stays.set(index, choice);
  }
  return { kind: 'edit', edit: new PlanEdit(edit.start, edit.proposal, { ...edit, leaves, stays }) };
}

function rewrite(edit: PlanEdit, at: number, given: string): EditOutcome {
  const insert = edit.proposal.bare.inserts[at];
  if (!insert || !PlanEdit.isRewritable(insert))
    return { kind: 'refused', reason: words('That text is not part of the compaction.') };
  const text = given.toWellFormed();
  if (text.trim() === '')
    return { kind: 'refused', reason: words('A summary cannot be empty. Write something, or reset your changes.') };
  if (text.length > LONGEST_TEXT)
    return { kind: 'refused', reason: words('A summary has at most {0} characters.', LONGEST_TEXT) };
  const texts = new Map(edit.texts);
  if (text === insert.text) texts.delete(at);
  else texts.set(at, text);
  return { kind: 'edit', edit: new PlanEdit(edit.start, edit.proposal, { ...edit, texts }) };
}

function refuseAlways(draft: Draft, index: number, choice: Choice): Words | null {
  const message = draft.history.messages[index] as ContextMessage;
  switch (choice) {
    case 'keep':
      return null;
    case 'drop':
      return draft.isDropped(index) ? null : refuseToDrop(draft, message);
    case 'hide':
    case 'shorten':
      if (choice === proposedStay(draft, index)) return null;
      return message.hidden ? words('It is already hidden.') : refuseChange(draft, index);
  }
}

/** Why a message cannot have that choice; null when it can. */
function refusalOf(edit: PlanEdit, index: number, choice: Choice): Words | null {
  const draft = edit.proposal.bare;
  const always = refuseAlways(draft, index, choice);
  if (always || choice === 'keep' || choice === 'drop' || choice === proposedStay(draft, index)) return always;
  return choice === 'hide' ? refuseToHide(edit, index) : refuseToShorten(edit, index);
}

function refuseToDrop({ history }: Draft, { block }: ContextMessage): Words | null {
  const fixed = history.protectedAt.find((i) => history.messages[i]?.block === block);
  return fixed === undefined
    ? null
    : reasonToStay(history.messages[fixed] as ContextMessage, history.items[fixed]?.pinned);
}

/** A result in an open loop of reasoning may be hidden: providers verify the reasoning, not the result. */
function refuseChange({ history }: Draft, index: number): Words | null {
  const message = history.messages[index] as ContextMessage;
  const pinned = history.items[index]?.pinned;
  return message.protected && (message.role !== 'tool' || pinned) ? reasonToStay(message, pinned) : null;
}

function reasonToStay(message: ContextMessage, pinned = false): Words {
  if (pinned) return words('It is pinned. Unpin it first.');
  return message.role === 'user'
    ? words('Your latest message always stays.')
    : words('Its reasoning is still needed, and providers refuse it when it is changed.');
}

function refuseToHide({ start }: PlanEdit, index: number): Words | null {
  const message = start.history.messages[index] as ContextMessage;
  const stub = makeStub(message, 'hidden', start.stamp);
  if (imageTokens(message) > 0 || textTokens(message) > countTokens(stub.text)) return null;
  return message.role === 'assistant' && message.toolCalls.length > 0
    ? words('There is only the call, and no text to hide. Hide its result, or drop both.')
    : words('It is shorter than the line that would replace it.');
}

function refuseToShorten({ start, proposal: { bare } }: PlanEdit, index: number): Words | null {
  if (shorten(bare, index, start.stamp)) return null;
  return words('It is already short: only what has more than {0} tokens is shortened.', SHORTEST);
}

/** Minimum length in tokens: shorter texts are left alone, and a shortened text keeps at least as many. */
const SHORTEST = 100;
const SHARE = 1 / 4;

const NOTE = 20;

/** From the original message; null when nothing in it is long. */
function shorten(draft: Draft, index: number, stamp: Stamp): Change | null {
  const message = draft.history.messages[index] as ContextMessage;
  const untouched = draft.decide([[index, { kind: 'undecided' }]]);
  const images = holdsImages(untouched, index) ? takeImages(untouched, index, stamp).images : undefined;
  const text = cut(message.text, (kept) => neutraliseNotes(shortenMiddle(message.text, kept, countTokens)));
  const given = message.role === 'assistant' ? message.toolCalls.map((call) => call.arguments) : [];
  const json = given.map((each) => cut(each, (kept) => previewArguments(each, kept, countTokens)) ?? each);
  const inCalls = json.some((each, i) => each !== given[i]);
  if (text === null && !inCalls && images === undefined) return null;
  return {
    kind: 'replace',
    ...(text === null ? {} : { text }),
    ...(inCalls ? { arguments: json } : {}),
    ...(images === undefined ? {} : { images }),
  };
}

function cut(text: string, make: (tokens: number) => string): string | null {
  const tokens = countTokens(text);
  if (tokens <= SHORTEST + NOTE) return null;
  const made = make(Math.max(SHORTEST, Math.round(tokens * SHARE)));
  return countTokens(made) < tokens ? made : null;
}

interface Edited {
  /** Provides the figures even when it cannot be applied. */
  readonly proposal: Proposal;
  /** Why it cannot be applied; null when it can. */
  readonly refused: Words | null;
}

function editedProposal(edit: PlanEdit): Edited {
  const { start, proposal } = edit;
  if (!edit.isEdited) return { proposal, refused: null };
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
    proposal: {
      ...proposal,
      draft,
      bare,
      tokensAfter: tokens(draft),
      changes: countChanges(edit),
      proposed: [...edit.texts.keys()].flatMap((at) => proposal.bare.inserts[at]?.text ?? []),
    },
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
  const choice = edit.choiceAt(index);
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
  const more = draft.dropped().length - proposal.bare.dropped().length;
  return draft.rewriteInserts((text, at) => {
    const own = texts.get(at);
    if (own !== undefined) return neutraliseNotes(own);
    const note = more === 0 ? null : readDropNote(text, start.stamp.nonce);
    if (!note) return text;
    const messages = note.messages + more;
    const freed = Math.max(0, note.tokens + (proposal.bare.tokens - draft.tokens));
    return messages > 0 ? makeDropNote(start.stamp, messages, freed) : null;
  });
}

/** Number of messages whose fate differs from the proposal, by new fate. */
function countChanges(edit: PlanEdit): PersonsChanges {
  const { bare } = edit.proposal;
  const changes = { kept: 0, hidden: 0, shortened: 0, dropped: 0, rewritten: edit.texts.size };
  for (const [index, { block }] of edit.start.history.messages.entries()) {
    if (!edit.leaves.has(block) && !edit.stays.has(index)) continue;
    const choice = edit.choiceAt(index);
    if (choice === (bare.isDropped(index) ? 'drop' : proposedStay(bare, index))) continue;
    changes[COUNTED[choice]] += 1;
  }
  return changes;
}

const COUNTED = { keep: 'kept', hide: 'hidden', shorten: 'shortened', drop: 'dropped' } as const;

interface Carried {
  readonly edit: PlanEdit;
  /** Number of changes that no longer fit. */
  readonly lost: number;
}

function carryChanges(from: PlanEdit, to: PlanEdit): Carried {
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
