/**
 * The files that the conversation has read and changed, from the calls on the journal's path and their recorded
 * effects, including calls that compactions removed from the context.
 */

import type { CompactionContext } from '../../../api/index.ts';
import type { TreeEntry } from '../../journal/entry.ts';
import { pathsIn, plainPath, READS, WRITES } from '../draft/filesInCalls.ts';

type Files = CompactionContext['files'];

/** Maximum entries of a path that are examined, and files that are named: a session may be of any length. */
const MOST_ENTRIES = 20_000;

const MOST_FILES = 1_000;

/** `entries` of the path, newest first. For a file touched several times the newest counts. */
export function findFiles(entries: Iterable<TreeEntry>): Files {
  const read = new Set<string>();
  const changed = new Set<string>();
  const add = (files: Set<string>, path: string) => {
    if (files.size < MOST_FILES) files.add(plainPath(path));
  };
  /** Calls whose results report failure. */
  const failed = new Set<string>();
  let left = MOST_ENTRIES;
  for (const entry of entries) {
    if (left-- === 0) break;
    if (entry.type === 'files' && (entry.cause === 'tool' || entry.cause === 'command'))
      for (const { path } of entry.files) add(changed, path);
    if (entry.type !== 'message') continue;
    const { message } = entry;
    if (message.role === 'tool' && message.isError) failed.add(message.toolCallId);
    if (message.role !== 'assistant' || message.interrupted) continue;
    for (const { id, name, arguments: json } of message.toolCalls ?? []) {
      const files = WRITES.test(name) ? changed : READS.test(name) ? read : null;
      if (files && !failed.has(id)) for (const path of pathsIn(json)) add(files, path);
    }
    failed.clear();
  }
  return Object.freeze({ read: oldestFirst(read), changed: oldestFirst(changed) });
}

const oldestFirst = (paths: ReadonlySet<string>): readonly string[] => Object.freeze([...paths].reverse());
