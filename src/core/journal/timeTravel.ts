/**
 * Going back, and coming forward again: every function here ends in one appended entry, and none removes anything.
 * Callers make sure that no turn is running; what does not fit is an outcome with its reason, not an error.
 */

import type { Context } from '../context/item.ts';
import type { Message } from '../context/message.ts';
import { type Words, words } from '../words.ts';
import type { CheckpointEntry, RevertCause, TreeEntry } from './entry.ts';
import type { Journal } from './journal.ts';

export type Travel =
  | { readonly kind: 'done' }
  /** Nothing was appended; `reason` is fit to be shown. */
  | { readonly kind: 'refused'; readonly reason: Words };

const DONE: Travel = { kind: 'done' };
const refused = (reason: Words): Travel => ({ kind: 'refused', reason });

/** What a move would do to the context, in uncalibrated tokens: shown before it is done. */
export interface TravelPreview {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Messages that would leave the path, and come onto it. */
  readonly messagesLeft: number;
  readonly messagesBack: number;
}

/** Any checkpoint of the file, also one on an abandoned branch; null when there is none with this id. */
export function findCheckpoint(journal: Journal, id: number): CheckpointEntry | null {
  for (const entry of journal.ofType('checkpoint')) if (entry.id === id) return entry;
  return null;
}

/** The conversation as it was at the checkpoint, also across compactions. */
export function revertToCheckpoint(journal: Journal, id: number, cause: RevertCause = 'user'): Promise<Travel> {
  const checkpoint = findCheckpoint(journal, id);
  return checkpoint
    ? move(journal, checkpoint.seq, cause)
    : Promise.resolve(refused(words('There is no checkpoint {0}.', id)));
}

/** The conversation up to and including the entry; inside of a tool block, up to the block's end. */
export function revertToEntry(journal: Journal, seq: number, cause: RevertCause = 'user'): Promise<Travel> {
  const target = endOfBlock(journal, seq);
  return target === null
    ? Promise.resolve(refused(words('There is no entry {0}.', seq)))
    : move(journal, target, cause);
}

/** Makes the branch that ends in `tip` the current one (see `listBranches`). */
export function returnToBranch(journal: Journal, tip: number): Promise<Travel> {
  return journal.entry(tip)
    ? move(journal, tip, 'user')
    : Promise.resolve(refused(words('There is no entry {0}.', tip)));
}

/** The message and what came after it leave; the caller then runs a turn with the new text. */
export function revertBeforeMessage(journal: Journal, seq: number): Promise<Travel> {
  const entry = journal.entry(seq);
  if (entry?.type !== 'message' || entry.message.role !== 'user' || entry.message.kind !== 'user') {
    return Promise.resolve(refused(words('Only a message that you wrote can be edited and sent again.')));
  }
  return move(journal, beforeTurn(journal, entry), 'edit');
}

/** An empty context; the old one is a branch. */
export function clearConversation(journal: Journal): Promise<Travel> {
  return journal.head === null
    ? Promise.resolve(refused(words('The conversation is empty already.')))
    : move(journal, null, 'clear');
}

/** Why a compaction cannot be undone or redone. */
export const NOTHING_TO_STEP: Readonly<Record<'undo' | 'redo', Words>> = {
  undo: words('There is no compaction to undo.'),
  redo: words('There is no compaction to redo.'),
};

/** Undoes the newest active compaction, or redoes the one undone last. */
export async function stepCompaction(journal: Journal, step: 'undo' | 'redo'): Promise<Travel> {
  const { activeCompactions, undoneCompactions } = journal.context;
  const target = (step === 'undo' ? activeCompactions : undoneCompactions).at(-1)?.seq;
  if (target === undefined) return refused(NOTHING_TO_STEP[step]);
  await journal.append({ type: step === 'undo' ? 'compactionUndone' : 'compactionRedone', target });
  return DONE;
}

export type Mark = 'expanded' | 'collapsed' | 'pinned' | 'unpinned';

/** Expand, collapse, pin and unpin work on the whole tool block of the item. A mark already there is no entry. */
export async function markItem(journal: Journal, id: string, mark: Mark): Promise<Travel> {
  const { context } = journal;
  const slot = context.slot(id);
  if (!slot || slot.shown === 'absent') return refused(words('This message is not part of the current conversation.'));
  const ids = context.blockOf(id);
  const pinned = ids.some((each) => context.isPinned(each));
  const whole = ids.every((each) => context.slot(each)?.shown === 'whole');
  switch (mark) {
    case 'expanded':
      if (whole) return refused(words('The message is shown to the model whole already.'));
      break;
    case 'collapsed':
      if (pinned) return refused(words('The message is pinned. Unpin it first.'));
      if (!ids.some((each) => context.canCollapse(each)))
        return refused(words('No active compaction hides this message.'));
      break;
    case 'pinned':
      if (pinned) return refused(words('The message is pinned already.'));
      break;
    case 'unpinned':
      if (!pinned) return refused(words('The message is not pinned.'));
      break;
  }
  await journal.append({ type: mark, ids });
  return DONE;
}

/** What moving the head to `target` would do. */
export function previewMove(journal: Journal, target: number | null): TravelPreview {
  const here = messagesOf(journal, journal.head);
  const there = messagesOf(journal, target);
  return {
    tokensBefore: tokensOf(journal.context),
    tokensAfter: tokensOf(journal.contextAt(target)),
    messagesLeft: [...here].filter((seq) => !there.has(seq)).length,
    messagesBack: [...there].filter((seq) => !here.has(seq)).length,
  };
}

/** The context's size after an undo or redo, before it is done; null when there is nothing to step. */
export function previewStep(journal: Journal, step: 'undo' | 'redo'): TravelPreview | null {
  const context = journal.contextAt(journal.head);
  const target = (step === 'undo' ? context.activeCompactions : context.undoneCompactions).at(-1)?.seq;
  if (target === undefined) return null;
  const tokensBefore = tokensOf(context);
  const type = step === 'undo' ? 'compactionUndone' : 'compactionRedone';
  context.apply({ type, target, seq: Number.MAX_SAFE_INTEGER, parent: context.head, time: '' });
  return { tokensBefore, tokensAfter: tokensOf(context), messagesLeft: 0, messagesBack: 0 };
}

async function move(journal: Journal, target: number | null, cause: RevertCause): Promise<Travel> {
  if (target === journal.head) return refused(words('The conversation is there already.'));
  await journal.revert(target, cause);
  return DONE;
}

/**
 * The entry before a turn: the turn's message is preceded by its checkpoint and, where the model is told, a reminder.
 */
function beforeTurn(journal: Journal, message: TreeEntry): number | null {
  let before = message.parent;
  for (let entry = before === null ? null : journal.entry(before); entry; ) {
    const reminder = entry.type === 'message' && entry.message.role === 'user' && entry.message.kind === 'reminder';
    if (!reminder && entry.type !== 'checkpoint') break;
    before = entry.parent;
    if (entry.type === 'checkpoint') break;
    entry = before === null ? null : journal.entry(before);
  }
  return before;
}

/** `seq` itself, or the last entry of the tool block it stands in, so that no call is cut off from its results. */
function endOfBlock(journal: Journal, seq: number): number | null {
  if (!journal.entry(seq)) return null;
  const path = [...journal.tree.chain(journal.head)].reverse();
  const at = path.indexOf(seq);
  if (at < 0) return seq;
  const open = new Set<string>();
  let end = seq;
  for (let i = startOfBlock(journal, path, at); i < path.length; i++) {
    const each = path[i] ?? seq;
    const message = messageAt(journal, each);
    if (message) {
      if (message.role === 'tool') open.delete(message.toolCallId);
      else {
        if (i > at) break;
        open.clear();
        if (message.role === 'assistant' && !message.interrupted)
          for (const { id } of message.toolCalls ?? []) open.add(id);
      }
      if (i > at) end = each;
    }
    if (i >= at && open.size === 0) break;
  }
  return end;
}

/** Place in `path` of the newest message up to `at` that is no result. */
function startOfBlock(journal: Journal, path: readonly number[], at: number): number {
  for (let i = at; i >= 0; i--) {
    const message = messageAt(journal, path[i] ?? -1);
    if (message && message.role !== 'tool') return i;
  }
  return 0;
}

function messageAt(journal: Journal, seq: number): Message | null {
  const entry = journal.tree.typeOf(seq) === 'message' ? journal.entry(seq) : null;
  return entry?.type === 'message' ? entry.message : null;
}

/** Reads none of them. */
function messagesOf({ tree }: Journal, head: number | null): Set<number> {
  const messages = new Set<number>();
  for (const seq of tree.chain(head)) if (tree.typeOf(seq) === 'message') messages.add(seq);
  return messages;
}

function tokensOf({ header, conversation }: Context): number {
  return conversation.reduce((sum, item) => sum + item.tokens, header?.tokens ?? 0);
}
