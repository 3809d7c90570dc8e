/**
 * Moves the head back and forward: every move appends one entry, and none removes anything. Callers make sure that no turn
 * is running; a refusal is an outcome with its reason, not an error. What a move leaves behind is a branch, and each can be
 * listed, inspected and returned to.
 */

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
  /** The person's messages, and answers with a text. */
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

/** Previews moving the head to `target`. */
export function previewMove(journal: Journal, target: number | null): TravelPreview {
  const there = messagesOf(journal, target);
  const leaving = [...messagesOf(journal, journal.head)].filter((seq) => !there.has(seq));
  return { messages: leaving.filter((seq) => isSaid(journal.entry(seq))).length, items: leaving.length };
}

function isSaid(entry: TreeEntry | null): boolean {
  if (entry?.type !== 'message') return false;
  const { message } = entry;
  return message.role === 'user' ? message.kind === 'user' : message.role === 'assistant' && message.text !== '';
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
    const reminder = entry.type === 'message' && entry.message.role === 'user' && entry.message.kind === 'reminder';
    if (!reminder && entry.type !== 'checkpoint') break;
    before = entry.parent;
    if (entry.type === 'checkpoint') break;
    entry = before === null ? null : journal.entry(before);
  }
  return before;
}

/** Found without reading the messages. */
function messagesOf({ tree }: Journal, head: number | null): Set<number> {
  const messages = new Set<number>();
  for (const seq of tree.chain(head)) if (tree.typeOf(seq) === 'message') messages.add(seq);
  return messages;
}

/** An abandoned branch. It starts from the current path or from an earlier abandoned branch, so they form a tree. */
export interface Branch {
  /** Newest entry of the branch; returning to it restores the whole branch. */
  readonly tip: number;
  /** The moment whose files match its end: a return with files restores those before leaving the branch. */
  readonly end: number;
  /** The branch it starts from, by tip; null for the current path. */
  readonly from: number | null;
  /** Number of branches between it and the current path. */
  readonly depth: number;
  /** The entry it forks after; null when it shares none. */
  readonly fork: number | null;
  /** Start of the person's last message before the fork; empty at the beginning. */
  readonly after: string;
  /** Number of messages that only this branch has. */
  readonly messages: number;
  /** Milliseconds since the epoch of its newest entry. */
  readonly time: number;
  /** Start of its first message by a person, else of its first message. */
  readonly label: string;
  /** Why it was abandoned; null when that entry was lost. */
  readonly cause: RevertCause | null;
}

/** The branch's own entries, from the fork on. */
export function listOwn(journal: Journal, { tip, fork }: Pick<Branch, 'tip' | 'fork'>): readonly TreeEntry[] {
  const path = journal.path(tip);
  return path.slice(path.findIndex(({ seq }) => seq === fork) + 1);
}

const LABEL_LENGTH = 80;
/** In entries. */
const LOOK_BACK = 500;

/**
 * As a tree: newest first, each followed by the branches that start from it. Branches without messages are omitted.
 * Reads only the start and the end of each branch.
 */
export function listBranches(journal: Journal): Branch[] {
  const { tree, head } = journal;
  /** The branch that each entry belongs to; null for the current path. */
  const owners = new Map<number, number | null>();
  for (const seq of tree.chain(head)) owners.set(seq, null);
  const { tips, causes } = findTips(journal);
  const found = new Map<number, Branch>();
  // Later branches start from earlier ones.
  for (const tip of [...tips].sort((a, b) => a - b)) {
    const chain: number[] = [];
    let fork: number | null = null;
    for (const seq of tree.chain(tip)) {
      if (owners.has(seq)) {
        fork = seq;
        break;
      }
      chain.push(seq);
    }
    const own = chain.filter((seq) => tree.typeOf(seq) === 'message').reverse();
    const label = labelOf(journal, own);
    const newest = journal.entry(tip);
    if (label === null || !newest) continue;
    for (const seq of chain) owners.set(seq, tip);
    const from = (fork === null ? null : owners.get(fork)) ?? null;
    const depth = from === null ? 0 : (found.get(from)?.depth ?? 0) + 1;
    const facts = { messages: own.length, time: Date.parse(newest.time), label, cause: causes.get(tip) ?? null };
    const end = newest.type === 'files' && newest.cause === 'restore' ? tip - 1 : tip;
    found.set(tip, { tip, end, from, depth, fork, after: saidLast(journal, fork), ...facts });
  }
  const leaving = (from: number | null): Branch[] =>
    [...found.values()]
      .filter((branch) => branch.from === from)
      .sort((a, b) => b.tip - a.tip)
      .flatMap((branch) => [branch, ...leaving(branch.tip)]);
  return leaving(null);
}

function saidLast(journal: Journal, head: number | null): string {
  let looked = 0;
  for (const seq of journal.tree.chain(head)) {
    if (looked++ > LOOK_BACK) break;
    const entry = journal.tree.typeOf(seq) === 'message' ? journal.entry(seq) : null;
    if (entry?.type === 'message' && entry.message.role === 'user' && entry.message.kind === 'user')
      return shorten(entry.message.text);
  }
  return '';
}

/** Entries without a successor, and why the head left each. */
function findTips(journal: Journal): {
  readonly tips: ReadonlySet<number>;
  readonly causes: ReadonlyMap<number, RevertCause>;
} {
  const { tree } = journal;
  const reverts = new Map([...journal.ofType('revert')].map((entry) => [entry.seq, entry]));
  const tips = new Set<number>();
  const causes = new Map<number, RevertCause>();
  let head: number | null = null;
  for (let seq = 0; seq < tree.nextSeq; seq++) {
    const parent = tree.parentOf(seq);
    const revert = reverts.get(seq);
    if (revert) {
      if (head !== null) causes.set(head, revert.cause);
      head = revert.target;
    } else if (parent !== undefined) {
      head = seq;
      tips.add(seq);
      if (parent !== null) tips.delete(parent);
    }
  }
  return { tips, causes };
}

/** Null when no message of the branch can be read. */
function labelOf(journal: Journal, messages: readonly number[]): string | null {
  let first: string | null = null;
  for (const seq of messages) {
    const entry = journal.entry(seq);
    if (entry?.type !== 'message') continue;
    const { message } = entry;
    first ??= shorten(message.text);
    if (message.role === 'user' && message.kind === 'user') return shorten(message.text);
  }
  return first;
}

function shorten(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > LABEL_LENGTH ? `${line.slice(0, LABEL_LENGTH).toWellFormed()}…` : line;
}
