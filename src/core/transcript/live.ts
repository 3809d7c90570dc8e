/** What rows need besides the journal: how the model sees each item now, and what is running at this moment. */

import type { ApprovalCard } from '../../protocol/rows.ts';
import type { Projection } from '../context/projection.ts';

export type ContextView = Pick<Projection, 'slot' | 'isPinned' | 'activeCompactions' | 'undoneCompactions'>;

export interface LiveCall {
  readonly status: 'waiting' | 'approval' | 'running';
  /** In the tool's own words; empty until the call is prepared. */
  readonly title: string;
  readonly output: string;
  readonly approval: ApprovalCard | null;
}

/** The running turn. None of this is kept: after a reload the journal is all there is. */
export interface LiveTurn {
  /** Calls of the newest answer that have no result are waiting while a turn runs, and abandoned when none does. */
  readonly running: boolean;
  readonly answer: { readonly time: number; readonly text: string; readonly reasoning: string } | null;
  /** By the provider's id of the call. */
  readonly calls: ReadonlyMap<string, LiveCall>;
}

export const NOTHING_LIVE: LiveTurn = { running: false, answer: null, calls: new Map() };
