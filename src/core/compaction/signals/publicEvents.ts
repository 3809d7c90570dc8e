/** The compactor's signals as other extensions receive them. Invariant: no text of the session is in them. */

import type { CompactionEvent, CompactionPhase, CompactionStart } from '../../../api/index.ts';
import { type CompactionSignal, NO_COST } from './compactionSignal.ts';

type PublicEvent =
  /** Before a compaction. */
  | { readonly of: 'start'; readonly event: CompactionStart }
  | { readonly of: 'phase'; readonly event: CompactionPhase }
  /** After one. */
  | { readonly of: 'end'; readonly event: CompactionEvent };

/** Null for signals that are not published. */
export function publicEventOf(signal: CompactionSignal): PublicEvent | null {
  switch (signal.type) {
    case 'preCompact': {
      const { strategy, trigger, tokens, window } = signal;
      return { of: 'start', event: { strategy, trigger, tokensBefore: tokens, maxContextSize: window } };
    }
    case 'phase': {
      const { strategy, trigger, phase, tokensBefore, tokensAfter } = signal;
      return { of: 'phase', event: { strategy, trigger, phase, tokensBefore, tokensAfter } };
    }
    case 'compactionPerformed': {
      const { strategy, trigger, tokensBefore, tokensAfter, roundsCompacted, durationMs, cost } = signal;
      const rounds = roundsCompacted > 0 ? { roundsCompacted } : {};
      const figures = { strategy, trigger, tokensBefore, tokensAfter, ...rounds, durationMs, ...cost };
      return { of: 'end', event: { kind: 'compacted', ...figures } };
    }
    case 'compactionFailed':
    case 'compactionUnchanged': {
      const { strategy, trigger, code: reason, tokens, durationMs, cost } = signal;
      const kind = signal.type === 'compactionFailed' ? 'failed' : 'unchanged';
      const figures = { strategy, trigger, reason, tokensBefore: tokens, tokensAfter: tokens, durationMs, ...cost };
      return { of: 'end', event: { kind, ...figures } };
    }
    case 'compactionUndone': {
      const { strategy, trigger, tokensBefore, tokensAfter } = signal;
      const figures = { strategy, trigger, tokensBefore, tokensAfter, durationMs: 0, ...NO_COST };
      return { of: 'end', event: { kind: 'undone', ...figures } };
    }
    case 'conversationReplaced':
    case 'contextCompacted':
      return null;
  }
}
