/** What other extensions hear of a compaction: numbers only, never text of the session. */

import type { CompactionEvent, CompactionPhase } from '../../../api/index.ts';
import type { CompactionSignal } from '../events.ts';

/** Null for what is no phase. */
export function toPublicPhase(signal: CompactionSignal): CompactionPhase | null {
  if (signal.type !== 'phase') return null;
  const { strategy, trigger, phase, tokensBefore, tokensAfter } = signal;
  return { strategy, trigger, phase, tokensBefore, tokensAfter };
}

/** Null for what is not told when a compaction is over. */
export function toPublicEvent(signal: CompactionSignal): CompactionEvent | null {
  switch (signal.type) {
    case 'compactionPerformed': {
      const { strategy, trigger, tokensBefore, tokensAfter, durationMs } = signal;
      return { kind: 'compacted', strategy, trigger, tokensBefore, tokensAfter, durationMs };
    }
    case 'compactionFailed': {
      const { strategy, trigger, tokens, durationMs } = signal;
      return { kind: 'failed', strategy, trigger, tokensBefore: tokens, tokensAfter: tokens, durationMs };
    }
    case 'compactionUndone': {
      const { strategy, trigger, tokensBefore, tokensAfter } = signal;
      return { kind: 'undone', strategy, trigger, tokensBefore, tokensAfter, durationMs: 0 };
    }
    case 'preCompact':
    case 'phase':
    case 'conversationReplaced':
    case 'contextCompacted':
      return null;
  }
}
