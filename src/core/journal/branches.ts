/**
 * Abandoned branches: what a revert left behind. Nothing of them is lost, so each can be listed and returned to.
 * Pure: reads the journal, changes nothing.
 */

import { isTreeEntry, type RevertCause } from './entry.ts';
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

/** Newest first. Branches without a message of their own are not worth returning to and are left out. */
export function listBranches(journal: Journal): Branch[] {
  const current = new Set(journal.path().map(({ seq }) => seq));
  const parents = new Set<number>();
  const causes = new Map<number, RevertCause>();
  let head: number | null = null;
  for (const entry of journal.entries) {
    if (isTreeEntry(entry)) {
      head = entry.seq;
      if (entry.parent !== null) parents.add(entry.parent);
    } else if (entry.type === 'revert') {
      if (head !== null) causes.set(head, entry.cause);
      head = entry.target;
    }
  }
  const branches: Branch[] = [];
  for (const entry of journal.entries) {
    if (!isTreeEntry(entry) || parents.has(entry.seq) || current.has(entry.seq)) continue;
    const own = journal.path(entry.seq).filter(({ seq }) => !current.has(seq));
    const messages = own.flatMap((each) => (each.type === 'message' ? [each.message] : []));
    const first = messages.find((message) => message.role === 'user' && message.kind === 'user') ?? messages[0];
    if (!first) continue;
    branches.push({
      tip: entry.seq,
      fork: own[0]?.parent ?? null,
      messages: messages.length,
      time: Date.parse(entry.time),
      label: labelOf(first.text),
      cause: causes.get(entry.seq) ?? null,
    });
  }
  return branches.sort((a, b) => b.tip - a.tip);
}

function labelOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > LABEL_LENGTH ? `${line.slice(0, LABEL_LENGTH).toWellFormed()}…` : line;
}
