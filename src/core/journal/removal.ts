/** Reads from a compaction's entry the fate of each message that it names. Foreign journals are read as far as they make sense. */

import type { Fate } from '../fates.ts';
import type { CompactionEntry, DroppedRun } from './entry.ts';

/** The part of an entry that tells the fates of messages. */
export type Removal = Pick<CompactionEntry, 'plan' | 'dropped'>;

export interface NamedFate {
  readonly id: string;
  readonly fate: Exclude<Fate, 'kept'>;
  /** Share of its text that a summary was written from: 0–1. */
  readonly share: number;
  /** All of its text was read. */
  readonly whole: boolean;
  /** Uncalibrated tokens of what replaces it. */
  readonly left: number;
}

/** In the order of the plan. */
export function* fatesIn({ plan, dropped }: Removal): Generator<NamedFate> {
  const runs = eachOf(dropped);
  for (const op of plan) {
    if (op.op === 'drop') {
      for (const id of op.ids) {
        const [fate, share] = runs.next().value ?? ['removed', 0];
        yield { id, fate, share, whole: share === 1, left: 0 };
      }
    } else if (op.op === 'replace') {
      yield { id: op.id, fate: op.by.hidden ? 'hidden' : 'shortened', share: 0, whole: false, left: op.by.tokens };
    }
  }
}

function* eachOf(runs: unknown): Generator<readonly [fate: DroppedRun[1], share: number], undefined> {
  if (!Array.isArray(runs)) return;
  for (const run of runs as readonly unknown[]) {
    if (!Array.isArray(run) || !Number.isSafeInteger(run[0])) return;
    const [messages, fate, percent] = run as unknown as DroppedRun;
    const known = fate === 'inLines' || fate === 'read' || fate === 'unread';
    const share =
      fate === 'read' ? (Number.isFinite(percent) ? Math.min(1, Math.max(0, Number(percent) / 100)) : 1) : 0;
    if (!known) return;
    for (let left = messages; left > 0; left--) yield [fate, share];
  }
}

/** The number of messages that a plan names. */
export function countNamed({ plan }: Removal): number {
  let named = 0;
  for (const op of plan) named += op.op === 'drop' ? op.ids.length : op.op === 'replace' ? 1 : 0;
  return named;
}
