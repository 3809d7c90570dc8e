/**
 * Looks for violations of a sound journal's invariants, beyond checksums. Pure; reports everything, changes nothing.
 */

import type { Message } from '../context/message.ts';
import { Projection } from '../context/projection.ts';
import { type Words, words } from '../words.ts';
import { type Entry, isTreeEntry } from './entry.ts';
import type { Journal } from './journal.ts';

export interface EntryFinding {
  readonly seq: number;
  readonly said: Words;
}

/** Findings in file order: the tree first, then the current branch as the fold sees it. */
export function checkEntries(journal: Journal): EntryFinding[] {
  const findings: EntryFinding[] = [];
  const known = new Set(journal.entries.filter(isTreeEntry).map(({ seq }) => seq));
  const checkpoints = new Set<number>();
  for (const entry of journal.entries) {
    const { seq } = entry;
    if (isTreeEntry(entry) && entry.parent !== null && !known.has(entry.parent)) {
      findings.push({
        seq,
        said: words(
          'Entry {0} follows entry {1}, which is lost; the entry before that is used instead.',
          seq,
          entry.parent,
        ),
      });
    }
    if (entry.type === 'revert' && entry.target !== null && !known.has(entry.target)) {
      findings.push({ seq, said: words('Entry {0} goes back to entry {1}, which is lost.', seq, entry.target) });
    }
    if (entry.type === 'checkpoint') {
      if (checkpoints.has(entry.id))
        findings.push({ seq, said: words('The id of checkpoint {0} is used twice.', entry.id) });
      checkpoints.add(entry.id);
    }
  }
  const projection = new Projection();
  for (const entry of journal.path()) {
    const whole = entry.parent === projection.head;
    const refusal = whole ? projection.refusalOf(entry) : null;
    if (refusal)
      findings.push({
        seq: entry.seq,
        said: words('Entry {0} ({1}) does not fit: {2}.', entry.seq, entry.type, refusal),
      });
    projection.apply(entry);
  }
  return findings;
}

/**
 * The blobs that a session's entries refer to, and how long each must be kept: bodies that the model saw as long as the
 * session; before-images of files, and full outputs of which the model saw a part, expire.
 */
export type BlobClass = 'session' | 'output' | 'beforeImage';

/** The longest-lived class wins. */
const RANK: Readonly<Record<BlobClass, number>> = { session: 2, beforeImage: 1, output: 0 };

export function addReferences(entry: Entry, references: Map<string, BlobClass>): void {
  const add = (blob: string | null | undefined, kind: BlobClass) => {
    if (typeof blob !== 'string') return;
    const known = references.get(blob);
    if (!known || RANK[kind] > RANK[known]) references.set(blob, kind);
  };
  const addMessage = (message: Message) => {
    if (message.role === 'assistant') return;
    for (const attachment of message.attachments ?? []) add(attachment.blob, 'session');
    if (message.role !== 'tool') return;
    add(message.offload?.blob, 'session');
    add(message.truncation?.blob, 'output');
  };
  switch (entry.type) {
    case 'message':
      addMessage(entry.message);
      break;
    case 'compaction':
      for (const op of entry.plan) {
        if (op.op === 'insert') addMessage(op.message);
        if (op.op === 'replace') add(op.by.offload?.blob, 'session');
      }
      break;
    case 'request':
      if (entry.purpose === 'summary') add(entry.bodySha256, 'session');
      break;
    case 'files':
      for (const image of entry.files) add(image.before, 'beforeImage');
      break;
    default:
      break;
  }
}

export function listReferences(entries: Iterable<Entry>): Map<string, BlobClass> {
  const references = new Map<string, BlobClass>();
  for (const entry of entries) addReferences(entry, references);
  return references;
}
