/**
 * A projection in small: what is visible, by id, without bodies. It is derived and never trusted over the journal; it
 * only says where to look.
 */

import type { StoredEntries } from '../journal/storedEntries.ts';
import type { Message, Usage } from './message.ts';
import type { Projection } from './projection.ts';

export interface ShownSlot {
  readonly id: string;
  readonly block: number;
  readonly round: number;
  /** The compaction whose replacement is shown. */
  readonly replacedBy?: number;
}

export interface ProjectionSnapshot {
  readonly head: number | null;
  readonly epoch: number;
  readonly shape: number;
  readonly lastUsage: { readonly usage: Usage; readonly seq: number; readonly model: string } | null;
  /** `seq` of the entries in force. */
  readonly header: number | null;
  readonly configured: number | null;
  readonly block: number;
  readonly blocks: number;
  readonly round: number;
  readonly pins: readonly string[];
  readonly stack: readonly number[];
  readonly undone: readonly number[];
  readonly view: readonly ShownSlot[];
}

/** Entries of a path, one after the other, that change nothing visible: they move the head and take their places. */
export interface PassedEntries {
  readonly type: 'passed';
  /** Of the last of them. */
  seq: number;
  /** Blocks and rounds that its messages began. */
  blocks: number;
  rounds: number;
}

/** Where a restored projection finds what the snapshot only names. */
export interface SnapshotSource {
  readonly stored: StoredEntries;
  /** The head when the projection began to know only what is visible. */
  readonly begun: number | null;
  /** The full fold of the path to `head`. */
  fold(head: number | null): Projection;
  /** A message of the path that is not visible; null when the id names none. */
  hiddenMessage(id: string): { readonly message: Message; readonly tokens: number } | null;
}
