/**
 * The compactor's reports during and after its work. Transient: durable facts are in the journal. Only
 * `contextCompacted` contains text of the session, and it stays inside the product.
 */

import type { CompactionEvent, CompactionReason } from '../../../api/index.ts';
import type { CompactionEntry, Trigger } from '../../journal/entry.ts';
import type { Words } from '../../words.ts';

export type Cost = Pick<CompactionEvent, 'modelCalls' | 'promptTokens' | 'completionTokens'>;

export const NO_COST: Cost = { modelCalls: 0, promptTokens: 0, completionTokens: 0 };

export type CompactionSignal =
  | {
      readonly type: 'preCompact';
      /** The one that runs. */
      readonly strategy: string;
      /** The chosen one, where it cannot be used, and why. */
      readonly insteadOf?: { readonly strategy: string; readonly reason: Words };
      readonly trigger: Trigger;
      readonly tokens: number;
      /** Tokens of the window; 0 when unknown. */
      readonly window: number;
    }
  /** A phase of the run, with the tokens before and after it. */
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
      /** In English; the words can be translated. */
      readonly reason: string;
      readonly reasonWords: Words;
      readonly code: CompactionReason;
      readonly tokens: number;
      readonly durationMs: number;
      readonly cost: Cost;
    }
  /** A run announced by `preCompact` had no result. */
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

/** The current activity, for a line in the panel; null when idle. */
export type CompactionProgress = { readonly text: string; readonly fraction: number | null } | null;
