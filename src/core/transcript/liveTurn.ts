/** The running turn, as rows show it. None of it is stored: after a reload only the journal remains. */

import type { ApprovalCard } from '../../protocol/rows.ts';

export interface LiveCall {
  readonly status: 'waiting' | 'approval' | 'running';
  /** The tool's own description; empty until the call is prepared. */
  readonly title: string;
  readonly output: string;
  readonly approval: ApprovalCard | null;
}

export interface LiveTurn {
  /** Calls of the newest answer without a result are waiting while a turn runs, and abandoned otherwise. */
  readonly running: boolean;
  readonly answer: { readonly time: number; readonly text: string; readonly reasoning: string } | null;
  /** By the provider's id of the call. */
  readonly calls: ReadonlyMap<string, LiveCall>;
}

export const NOTHING_LIVE: LiveTurn = { running: false, answer: null, calls: new Map() };
