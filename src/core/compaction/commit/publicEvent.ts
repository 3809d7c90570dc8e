/** What other extensions hear of a compaction: numbers only, never text of the session. */

import type { CompactionEvent } from '../../../api/index.ts';
import type { CompactionSignal } from '../events.ts';

/** Null for what stays inside the product. */
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
