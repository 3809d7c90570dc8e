/** The branches that moves of the head left behind. Each can be listed, inspected and returned to. */

import type { RevertCause, TreeEntry } from './entry.ts';
import type { Journal } from './journal.ts';

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
  /** Number of messages that only this branch has, calls' results and reminders included. */
  readonly parts: number;
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
    const facts = { parts: own.length, time: Date.parse(newest.time), label, cause: causes.get(tip) ?? null };
    const end = newest.type === 'files' && newest.cause === 'restore' ? tip - 1 : tip;
    found.set(tip, { tip, end, from, depth, fork, after: lastMessageBefore(journal, fork), ...facts });
  }
  const leaving = (from: number | null): Branch[] =>
    [...found.values()]
      .filter((branch) => branch.from === from)
      .sort((a, b) => b.tip - a.tip)
      .flatMap((branch) => [branch, ...leaving(branch.tip)]);
  return leaving(null);
}

function lastMessageBefore(journal: Journal, head: number | null): string {
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
