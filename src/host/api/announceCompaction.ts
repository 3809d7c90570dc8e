/**
 * Announces the compactor's results: numbers to other extensions, a line to the log. Neither contains text of the
 * session.
 */

import { type CompactionSignal, toPublicEvent, toPublicPhase, toPublicStart } from '../../core/compaction/events.ts';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/ports.ts';
import type { PublicApi } from './publicApi.ts';

/** `showPhases`: phases are logged like everything else, and not only at the level Debug. */
export function announceCompaction(signal: CompactionSignal, api: PublicApi, log: Log, showPhases: boolean): void {
  log(signal.type === 'phase' && !showPhases ? 'debug' : 'info', describe(signal));
  const failed = (of: string) => (thrown: unknown) => log('warn', `a listener of ${of} failed: ${messageOf(thrown)}`);
  const start = toPublicStart(signal);
  if (start) api.started.tell(start, failed('onWillCompact'));
  const event = toPublicEvent(signal);
  if (event) api.compacted.tell(event, failed('onDidCompact'));
  const phase = toPublicPhase(signal);
  if (phase) api.progressed.tell(phase, failed('onDidProgress'));
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
    case 'compactionUnchanged':
      return `compactionUnchanged ${signal.strategy} (${signal.trigger}): ${signal.code}`;
    case 'compactionUndone':
      return `compactionUndone ${signal.strategy}: ${signal.tokensBefore} → ${signal.tokensAfter} tokens`;
  }
}
