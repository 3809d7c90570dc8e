/**
 * A strategy's memory of the session, read from the path of its journal: undo, redo, revert and branches therefore
 * apply to it as to the compactions it came from.
 */

import type { CompactionContext, JsonValue } from '../../../api/index.ts';
import type { Projection } from '../../context/projection.ts';
import type { Crypto } from '../../crypto.ts';
import { BRANCH, type TreeEntry } from '../../journal/entry.ts';
import type { Journal } from '../../journal/journal.ts';
import { sessionHash } from '../../journal/sessionHash.ts';
import { readDropNote } from '../draft/dropNote.ts';
import type { History } from '../draft/history.ts';
import { LEDGER_HEADING } from '../draft/ledgerLines.ts';
import { findPast } from '../draft/past.ts';
import { readDetails } from './details.ts';
import { findFiles } from './touchedFiles.ts';

export type StrategyMemory = Pick<CompactionContext, 'details' | 'previousSummary' | 'files' | 'past' | 'sessionId'>;

/** Sources of the memory. */
interface Remembered {
  readonly context: Projection;
  readonly history: History;
  /** The session's secret word in stubs and drop notes. */
  readonly nonce: string;
  readonly sessionId: string;
  /** The newest imported entry; -1 without an import. */
  readonly importedTo: number;
  /** Entries of the path, newest first. */
  readonly newest: () => Iterable<TreeEntry>;
}

/** The memory of the strategy with the id `strategy`. Files and past messages are computed on access. */
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

/** The session's identifier for strategies. */
export const publicSessionId = (ports: { readonly journal: Journal; readonly crypto: Crypto }): Promise<string> =>
  sessionHash(ports, 'strategies');

/**
 * Details that the strategy stored with its newest active compaction; undefined if that stored none. Imported entries
 * may be read but trigger no action.
 */
function findDetails(context: Projection, strategy: string, importedTo: number): JsonValue | undefined {
  for (const { seq, strategy: name, details } of context.newestCompactions()) {
    if (seq <= importedTo) return undefined;
    if (name !== strategy && details?.by !== strategy) continue;
    // The file may have been edited by hand.
    const read = details?.by === strategy ? readDetails(details.value) : null;
    return read?.kind === 'details' ? read.value : undefined;
  }
  return undefined;
}

/**
 * The newest summary in the history, in full even if hidden: not a ledger, a drop note, or a summary of an abandoned
 * branch.
 */
function findSummary(context: Projection, { items, original }: History, nonce: string): string | undefined {
  const isBranch = (seq: number) => context.activeCompaction(seq)?.trigger === BRANCH;
  const found = items.findLast(
    ({ kind, seq, message: { text } }) =>
      kind === 'summary' && !text.startsWith(LEDGER_HEADING) && !readDropNote(text, nonce) && !isBranch(seq),
  );
  return found && (found.hidden ? original(found.id).text : found.message.text);
}
