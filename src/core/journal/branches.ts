/**
 * Abandoned branches: what a revert left. Nothing of them is lost, so each can be listed and returned to.
 * Pure: reads the journal, changes nothing.
 */

import type { RevertCause } from './entry.ts';
import type { Journal } from './journal.ts';

export interface Branch {
  /** Newest entry of the branch: returning to it brings the branch back whole. */
  readonly tip: number;
  /** Where it leaves the current path; null when they share nothing. */
  readonly fork: number | null;
  /** Messages that the current path does not have. */
  readonly messages: number;
  /** Milliseconds since the epoch of its newest entry. */
  readonly time: number;
  /** Start of its first message that a person wrote, else of its first message. */
  readonly label: string;
  /** Why it was left; null when the entry that says so was lost. */
  readonly cause: RevertCause | null;
}

const LABEL_LENGTH = 80;

/**
 * Newest first. Branches without a message of their own are not worth returning to and are left out. Reads the start and
 * the end of each branch, nothing else.
 */
export function listBranches(journal: Journal): Branch[] {
  const { tree, head } = journal;
  const current = new Set(tree.chain(head));
  const { tips, causes } = findTips(journal);
  const branches: Branch[] = [];
  for (const tip of tips) {
    if (current.has(tip)) continue;
    const own: number[] = [];
    let fork: number | null = null;
    for (const seq of tree.chain(tip)) {
      if (current.has(seq)) {
        fork = seq;
        break;
      }
      if (tree.typeOf(seq) === 'message') own.push(seq);
    }
    const label = labelOf(journal, own.reverse());
    const newest = journal.entry(tip);
    if (label === null || !newest) continue;
    const cause = causes.get(tip) ?? null;
    branches.push({ tip, fork, messages: own.length, time: Date.parse(newest.time), label, cause });
  }
  return branches.sort((a, b) => b.tip - a.tip);
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
