/**
 * What the compactor reports while it works and afterwards. Transient: what must last is in the journal. Only
 * `contextCompacted` holds text of the session, and it stays inside the product.
 */

import type { CompactionEvent, CompactionReason } from '../../api/index.ts';
import type { CompactionEntry, Trigger } from '../journal/entry.ts';

/** What a compaction cost. */
export type Cost = Pick<CompactionEvent, 'modelCalls' | 'promptTokens' | 'completionTokens'>;

export const NO_COST: Cost = { modelCalls: 0, promptTokens: 0, completionTokens: 0 };

export type CompactionSignal =
  | {
      readonly type: 'preCompact';
      readonly strategy: string;
      readonly trigger: Trigger;
      readonly tokens: number;
      /** Tokens of the window; 0 when unknown. */
      readonly window: number;
    }
  /** With `emitMetaEvents`: a phase of the run, with the tokens before and after it. */
  | {
      readonly type: 'phase';
      readonly strategy: string;
      readonly trigger: Trigger;
      readonly phase: 'selective_start' | 'selective_done' | 'summary_start' | 'summary_done';
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    }
  | {
      readonly type: 'compactionPerformed';
      readonly strategy: string;
      readonly trigger: Trigger;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly roundsCompacted: number;
      readonly durationMs: number;
      readonly cost: Cost;
    }
  | { readonly type: 'conversationReplaced'; readonly items: number }
  | {
      readonly type: 'contextCompacted';
      readonly entry: CompactionEntry;
      readonly summary: string;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly roundsCompacted: number;
      /** 0–1. */
      readonly savedRatio: number;
    }
  | {
      readonly type: 'compactionFailed';
      readonly strategy: string;
      readonly trigger: Trigger;
      readonly reason: string;
      readonly code: CompactionReason;
      readonly tokens: number;
      readonly durationMs: number;
      readonly cost: Cost;
    }
  /** A run that `preCompact` told of came to nothing. */
  | {
      readonly type: 'compactionUnchanged';
      readonly strategy: string;
      readonly trigger: Trigger;
      readonly code: CompactionReason;
      readonly tokens: number;
      readonly durationMs: number;
      readonly cost: Cost;
    }
  | {
      readonly type: 'compactionUndone';
      readonly strategy: string;
      readonly trigger: Trigger;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    };

/** What is being done now, for a line in the panel; null when nothing is. */
export type CompactionProgress = { readonly text: string; readonly fraction: number | null } | null;
