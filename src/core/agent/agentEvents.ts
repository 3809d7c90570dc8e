/** The reports of an agent at work, for display only: everything durable is in the journal. */

import type { CompactorPorts } from '../compaction/compactor.ts';

export interface AgentEvents {
  readonly onTurn: (event: TurnEvent) => void;
  readonly onProgress: CompactorPorts['onProgress'];
  readonly onCompaction: CompactorPorts['onEvent'];
}

export type TurnEvent =
  | { readonly type: 'answer'; readonly phase: 'begun' | 'ended' }
  | { readonly type: 'delta'; readonly text: string; readonly reasoning: string }
  /** The text of the answer so far was thinking. */
  | { readonly type: 'wasThinking' }
  | { readonly type: 'writingCall'; readonly name: string; readonly argumentsLength: number }
  | {
      readonly type: 'call';
      readonly toolCallId: string;
      readonly phase: 'preparing' | 'approval' | 'running';
      readonly title: string;
    }
  /** Live output of a call, as `markRedrawn` gives it. */
  | { readonly type: 'output'; readonly toolCallId: string; readonly text: string };
