/**
 * Announces what the compactor did: numbers to other extensions, a line to the log. Neither contains text of the
 * session.
 */

import { toPublicEvent } from '../../core/compaction/commit/publicEvent.ts';
import type { CompactionSignal } from '../../core/compaction/events.ts';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/ports.ts';
import type { PublicApi } from './publicApi.ts';

export function announceCompaction(signal: CompactionSignal, api: PublicApi, log: Log): void {
  log('info', describe(signal));
  const event = toPublicEvent(signal);
  if (event) api.tell(event, (thrown) => log('warn', `a listener of onDidCompact failed: ${messageOf(thrown)}`));
}

function describe(signal: CompactionSignal): string {
  switch (signal.type) {
    case 'preCompact':
      return `preCompact ${signal.strategy} (${signal.trigger}): ${signal.tokens} tokens`;
    case 'phase':
      return `phase=${signal.phase}, tokens_before=${signal.tokensBefore}, tokens_after=${signal.tokensAfter}`;
    case 'compactionPerformed':
      return `compactionPerformed ${signal.strategy} (${signal.trigger}): ${signal.tokensBefore} → ${signal.tokensAfter} tokens in ${signal.durationMs} ms`;
    case 'conversationReplaced':
      return `conversationReplaced with ${signal.items} items`;
    case 'contextCompacted':
      return `contextCompacted: ${signal.roundsCompacted} rounds, ${Math.round(signal.savedRatio * 100)} % saved`;
    case 'compactionFailed':
      return `compactionFailed ${signal.strategy} (${signal.trigger}): ${signal.reason}`;
    case 'compactionUndone':
      return `compactionUndone ${signal.strategy}: ${signal.tokensBefore} → ${signal.tokensAfter} tokens`;
  }
}
