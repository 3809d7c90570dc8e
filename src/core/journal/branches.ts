/**
 * Abandoned branches: what a revert left. Nothing of them is lost, so each can be listed, looked at and returned to. They
 * are a tree: each leaves the current path, or a branch that was left before it. Pure: reads the journal, changes nothing.
 */

import type { RevertCause, TreeEntry } from './entry.ts';
import type { Journal } from './journal.ts';

export interface Branch {
  /** Newest entry of the branch: returning to it brings the branch back whole. */
  readonly tip: number;
  /** The moment whose files are those of its end: going back with files restores them before the branch is left. */
  readonly end: number;
  /** The branch that it leaves, by its tip; null for the current path. */
  readonly from: number | null;
  /** How many branches lie between it and the current path. */
  readonly depth: number;
  /** The entry after which it leaves; null when it shares none. */
  readonly fork: number | null;
  /** Start of what the person had said last where it leaves; empty at the beginning. */
  readonly after: string;
  /** Messages of its own. */
  readonly messages: number;
  /** Milliseconds since the epoch of its newest entry. */
  readonly time: number;
  /** Start of its first message that a person wrote, else of its first message. */
  readonly label: string;
  /** Why it was left; null when the entry that says so was lost. */
  readonly cause: RevertCause | null;
}

/** The entries of a branch itself, from where it leaves. */
export function listOwn(journal: Journal, { tip, fork }: Pick<Branch, 'tip' | 'fork'>): readonly TreeEntry[] {
  const path = journal.path(tip);
  return path.slice(path.findIndex(({ seq }) => seq === fork) + 1);
}

const LABEL_LENGTH = 80;
/** Entries. */
const LOOK_BACK = 500;

/**
 * As a tree: the newest first, each followed by those that leave it. Branches without a message of their own are not worth
 * returning to and are left out. Reads the start and the end of each branch, nothing else.
 */
export function listBranches(journal: Journal): Branch[] {
  const { tree, head } = journal;
  /** Which branch an entry belongs to; null for the current path. */
  const owners = new Map<number, number | null>();
  for (const seq of tree.chain(head)) owners.set(seq, null);
  const { tips, causes } = findTips(journal);
  const found = new Map<number, Branch>();
  // What was left first is what later ones leave.
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

/** Entries that nothing follows, and why the head left those that it left. */
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

/** Null when the branch has no message that can be read. */
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
