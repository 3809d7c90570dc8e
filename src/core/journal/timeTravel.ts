/**
 * Moves the head back and forward: every move appends one entry, and none removes anything. Callers make sure that no turn
 * is running; a refusal is an outcome with its reason, not an error.
 */

import { isSaid, type UserMessage } from '../context/message.ts';
import { type Words, words } from '../words.ts';
import type { CheckpointEntry, RevertCause, TreeEntry } from './entry.ts';
import type { Journal } from './journal.ts';

export type Travel =
  | { readonly kind: 'done' }
  /** Nothing was appended; `reason` can be shown to a person. */
  | { readonly kind: 'refused'; readonly reason: Words };

const DONE: Travel = { kind: 'done' };
const refused = (reason: Words): Travel => ({ kind: 'refused', reason });

/** The part of the path that a move leaves, shown before it. */
export interface TravelPreview {
  /** As `isSaid` counts them. */
  readonly messages: number;
  /** Everything that the model would no longer see, also calls, results and reminders. */
  readonly items: number;
}

/** Any checkpoint of the file, even on an abandoned branch; null for an unknown id. */
export function findCheckpoint(journal: Journal, id: number): CheckpointEntry | null {
  for (const entry of journal.ofType('checkpoint')) if (entry.id === id) return entry;
  return null;
}

/** Restores the conversation as it was at the checkpoint, also across compactions. */
export function revertToCheckpoint(journal: Journal, id: number, cause: RevertCause = 'user'): Promise<Travel> {
  const checkpoint = findCheckpoint(journal, id);
  return checkpoint
    ? move(journal, checkpoint.seq, cause)
    : Promise.resolve(refused(words('There is no checkpoint {0}.', id)));
}

/** Makes the branch that ends in `tip` the current one. */
export function returnToBranch(journal: Journal, tip: number): Promise<Travel> {
  return journal.entry(tip)
    ? move(journal, tip, 'user')
    : Promise.resolve(refused(words('There is no entry {0}.', tip)));
}

/** The message and everything after it leave the path; the caller then runs a turn with the new text. */
export function revertBeforeMessage(journal: Journal, seq: number): Promise<Travel> {
  const entry = journal.entry(seq);
  if (entry?.type !== 'message' || entry.message.role !== 'user' || entry.message.kind !== 'user') {
    return Promise.resolve(refused(words('Only a message that you wrote can be edited and sent again.')));
  }
  return move(journal, beforeTurn(journal, entry), 'edit');
}

/** Empties the context; the previous one becomes a branch. */
export function clearConversation(journal: Journal): Promise<Travel> {
  return journal.head === null
    ? Promise.resolve(refused(words('The conversation is already empty.')))
    : move(journal, null, 'clear');
}

export type Mark = 'expanded' | 'collapsed' | 'pinned' | 'unpinned';

/** Expand, collapse, pin and unpin apply to the whole tool block of the item. Repeating a mark appends nothing. */
export async function markItem(journal: Journal, id: string, mark: Mark): Promise<Travel> {
  const { context } = journal;
  const slot = context.slot(id);
  if (!slot || slot.shown === 'absent') return refused(words('This message is not part of the current conversation.'));
  const ids = context.blockOf(id);
  const pinned = ids.some((each) => context.isPinned(each));
  const whole = ids.every((each) => context.slot(each)?.shown === 'whole');
  switch (mark) {
    case 'expanded':
      if (whole) return refused(words('The model already sees this message in full.'));
      break;
    case 'collapsed':
      if (pinned) return refused(words('The message is pinned. Unpin it first.'));
      if (!ids.some((each) => context.canCollapse(each)))
        return refused(words('No active compaction hides this message.'));
      break;
    case 'pinned':
      if (pinned) return refused(words('The message is already pinned.'));
      break;
    case 'unpinned':
      if (!pinned) return refused(words('The message is not pinned.'));
      break;
  }
  await journal.append({ type: mark, ids });
  return DONE;
}

/** Previews moving the head to `target`. `since`: only what was appended after that entry is counted. */
export function previewMove(journal: Journal, target: number | null, since = -1): TravelPreview {
  const there = messagesOf(journal, target);
  const leaving = [...messagesOf(journal, journal.head)].filter((seq) => seq > since && !there.has(seq));
  return { messages: leaving.filter((seq) => isOfPeople(journal.entry(seq))).length, items: leaving.length };
}

const isOfPeople = (entry: TreeEntry | null): boolean => entry?.type === 'message' && isSaid(entry.message);

/**
 * The person's message that a move from `from` to `to` takes out of the conversation: the first after a checkpoint that
 * was set before it. Null where the move goes back to another place.
 */
export function messageTakenOut(journal: Journal, from: number, to: number): UserMessage | null {
  const kept = new Set(journal.tree.chain(to));
  const at = [...journal.tree.chain(from)].find((seq) => kept.has(seq));
  const fork = at === undefined ? null : journal.entry(at);
  if (fork && (fork.type !== 'checkpoint' || fork.afterMessage)) return null;
  return firstLeaving(journal, from, to);
}

/** The person's message with which what a move takes out begins; null where it begins otherwise. */
export function firstLeaving(journal: Journal, from: number, to: number): UserMessage | null {
  const there = messagesOf(journal, to);
  const leaving = [...messagesOf(journal, from)].filter((seq) => !there.has(seq));
  for (const seq of leaving.reverse()) {
    const entry = journal.entry(seq);
    if (!entry || isReminder(entry)) continue;
    const message = entry.type === 'message' ? entry.message : null;
    return message?.role === 'user' && message.kind === 'user' ? message : null;
  }
  return null;
}

async function move(journal: Journal, target: number | null, cause: RevertCause): Promise<Travel> {
  if (target === journal.head) return refused(words('The conversation is already there.'));
  await journal.revert(target, cause);
  return DONE;
}

/** The entry before a turn: the turn's message follows its checkpoint and any reminder. */
function beforeTurn(journal: Journal, message: TreeEntry): number | null {
  let before = message.parent;
  for (let entry = before === null ? null : journal.entry(before); entry; ) {
    if (!isReminder(entry) && entry.type !== 'checkpoint') break;
    before = entry.parent;
    if (entry.type === 'checkpoint') break;
    entry = before === null ? null : journal.entry(before);
  }
  return before;
}

function isReminder(entry: TreeEntry): boolean {
  return entry.type === 'message' && entry.message.role === 'user' && entry.message.kind === 'reminder';
}

/** Found without reading the messages. */
function messagesOf({ tree }: Journal, head: number | null): Set<number> {
  const messages = new Set<number>();
  for (const seq of tree.chain(head)) if (tree.typeOf(seq) === 'message') messages.add(seq);
  return messages;
}
