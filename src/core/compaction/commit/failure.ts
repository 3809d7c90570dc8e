/** A failed compaction is told and journaled: the context is as before, and the cool-down reads it from there (C6, C7). */

import type { Usage } from '../../context/message.ts';
import type { Trigger } from '../../journal/entry.ts';
import type { CompactorPorts } from '../compactorPorts.ts';

export interface FailureFacts {
  readonly reason: string;
  readonly by: 'strategy' | 'model';
  /** What was done instead, in words. */
  readonly instead: string;
  /** Milliseconds since the epoch. */
  readonly begun: number;
  /** What the summariser cost, where no compaction carries it. */
  readonly usage: Usage | null;
}

export interface FailedRun {
  readonly strategy: string;
  readonly trigger: Trigger;
  /** Of the context as it stays. */
  readonly tokens: number;
}

export async function recordFailure(
  { journal, log, clock, onEvent }: CompactorPorts,
  { strategy, trigger, tokens }: FailedRun,
  { reason, instead, begun, usage }: FailureFacts,
): Promise<void> {
  log('warn', `compaction with ${strategy} failed, nothing was changed by it: ${reason}`);
  onEvent({ type: 'compactionFailed', strategy, trigger, reason, tokens, durationMs: clock.now() - begun });
  const cost = usage ? { usage } : {};
  await journal.append({ type: 'compactionFailed', strategy, trigger, reason, attempt: 1, instead, ...cost });
}
