/**
 * Which blobs a session's entries refer to, and how long each must live: bodies that the model saw live as long as the
 * session; before-images of files, and full outputs of which the model saw a part, expire.
 */

import type { Message } from '../context/message.ts';
import type { Entry } from './entry.ts';

export type BlobClass = 'session' | 'output' | 'beforeImage';

/** The class that lives longest wins. */
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
