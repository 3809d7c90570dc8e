/** The compactor's signals as other extensions receive them. Invariant: no text of the session is in them. */

import type { CompactionEvent, CompactionPhase, CompactionStart } from '../../../api/index.ts';
import { type CompactionSignal, NO_COST } from './compactionSignal.ts';

/** Null for other signals than phases. */
export function toPublicPhase(signal: CompactionSignal): CompactionPhase | null {
  if (signal.type !== 'phase') return null;
  const { strategy, trigger, phase, tokensBefore, tokensAfter } = signal;
  return { strategy, trigger, phase, tokensBefore, tokensAfter };
}

/** Null for other signals than starts. */
export function toPublicStart(signal: CompactionSignal): CompactionStart | null {
  if (signal.type !== 'preCompact') return null;
  const { strategy, trigger, tokens, window } = signal;
  return { strategy, trigger, tokensBefore: tokens, maxContextSize: window };
}

/** Null for signals that are not published after a compaction. */
export function toPublicEvent(signal: CompactionSignal): CompactionEvent | null {
  switch (signal.type) {
    case 'compactionPerformed': {
      const { strategy, trigger, tokensBefore, tokensAfter, roundsCompacted, durationMs, cost } = signal;
      const rounds = roundsCompacted > 0 ? { roundsCompacted } : {};
      return { kind: 'compacted', strategy, trigger, tokensBefore, tokensAfter, ...rounds, durationMs, ...cost };
    }
    case 'compactionFailed':
    case 'compactionUnchanged': {
      const { strategy, trigger, code: reason, tokens, durationMs, cost } = signal;
      const kind = signal.type === 'compactionFailed' ? 'failed' : 'unchanged';
      return { kind, strategy, trigger, reason, tokensBefore: tokens, tokensAfter: tokens, durationMs, ...cost };
    }
    case 'compactionUndone': {
      const { strategy, trigger, tokensBefore, tokensAfter } = signal;
      return { kind: 'undone', strategy, trigger, tokensBefore, tokensAfter, durationMs: 0, ...NO_COST };
    }
    case 'preCompact':
    case 'phase':
    case 'conversationReplaced':
    case 'contextCompacted':
      return null;
  }
}
