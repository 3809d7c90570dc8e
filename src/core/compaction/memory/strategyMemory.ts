/**
 * What a strategy remembers of the session, read from the path of its journal: so undo, redo, revert and branches take it
 * back with the compactions that it came from.
 */

import type { CompactionContext, JsonValue } from '../../../api/index.ts';
import type { Projection } from '../../context/projection.ts';
import { BRANCH, type TreeEntry } from '../../journal/entry.ts';
import { sessionHash } from '../../journal/sessionHash.ts';
import type { CompactorPorts } from '../compactorPorts.ts';
import { LEDGER_HEADING } from '../draft/facts.ts';
import type { History } from '../draft/history.ts';
import { readDropNote } from '../draft/stub.ts';
import { findFiles } from './filesTouched.ts';
import { findPast } from './pastMessages.ts';
import { readDetails } from './readDetails.ts';

export type StrategyMemory = Pick<CompactionContext, 'details' | 'previousSummary' | 'files' | 'past' | 'sessionId'>;

/** Where it is read from. */
interface Remembered {
  readonly context: Projection;
  readonly history: History;
  /** The session's own word in stubs and drop notes. */
  readonly nonce: string;
  readonly sessionId: string;
  /** The newest entry that was imported; -1 when none was. */
  readonly importedTo: number;
  /** Entries of the path, newest first. */
  readonly newest: () => Iterable<TreeEntry>;
}

/** What the strategy with the id `strategy` is told. Files and past messages are looked for when it asks. */
export function readMemory(from: Remembered, strategy: string): StrategyMemory {
  let files: CompactionContext['files'] | null = null;
  let past: CompactionContext['past'] | null = null;
  return {
    sessionId: from.sessionId,
    details: findDetails(from.context, strategy, from.importedTo),
    previousSummary: findSummary(from.context, from.history, from.nonce),
    get files() {
      files ??= findFiles(from.newest());
      return files;
    },
    get past() {
      past ??= findPast(from.newest());
      return past;
    },
  };
}

/** What a session that has just begun has. */
export const NO_MEMORY: StrategyMemory = {
  sessionId: 'none',
  details: undefined,
  previousSummary: undefined,
  files: { read: [], changed: [] },
  past: [],
};

/** What strategies know the session by. */
export const publicSessionId = (ports: Pick<CompactorPorts, 'journal' | 'crypto'>): Promise<string> =>
  sessionHash(ports, 'strategies');

/**
 * What the strategy kept with its newest active compaction; undefined when that one kept nothing. What was imported may
 * be read and does not act here.
 */
function findDetails(context: Projection, strategy: string, importedTo: number): JsonValue | undefined {
  for (const { seq, strategy: name, details } of context.newestCompactions()) {
    if (seq <= importedTo) return undefined;
    if (name !== strategy && details?.by !== strategy) continue;
    // The file may have been changed by hand.
    const read = details?.by === strategy ? readDetails(details.value) : null;
    return read?.kind === 'details' ? read.value : undefined;
  }
  return undefined;
}

/** The newest summary in the history, whole where it is hidden: no ledger, no drop note, and not of a branch that was left. */
function findSummary(context: Projection, { items, original }: History, nonce: string): string | undefined {
  const isBranch = (seq: number) => context.activeCompaction(seq)?.trigger === BRANCH;
  const found = items.findLast(
    ({ kind, seq, message: { text } }) =>
      kind === 'summary' && !text.startsWith(LEDGER_HEADING) && !readDropNote(text, nonce) && !isBranch(seq),
  );
  return found && (found.hidden ? original(found.id).text : found.message.text);
}
