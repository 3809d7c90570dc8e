/** Facts about a run of the lab in English, for its reports. */

import { formatPercent } from '../core/figures.ts';
import { inEnglish } from '../core/words.ts';
import type { OtherRuns, RunCounts } from './runAccount.ts';

/** A strategy without figures. */
export interface IdleStrategy {
  readonly id: string;
  /** Over all sessions that could be replayed. */
  readonly runs: RunCounts;
  /** Why sessions could not be replayed at all, the most frequent first. */
  readonly broken: readonly string[];
}

/** In English: why a strategy has no row. */
export function describeIdle({ id, runs, broken }: IdleStrategy): string {
  return `${id}: it never compacted. ${[...(runs.due > 0 ? noteRuns(runs) : []), ...broken].join('; ')}`;
}

/** In English, a line each: how many runs of how many failed, were replaced or went in part, and why. */
export function noteRuns({ due, own, others, warnings }: RunCounts): string[] {
  const warned = warnings.map(({ text, count }) => `it says (${count}): ${inEnglish(text)}`);
  if (due === 0) return ['no run was due', ...warned];
  if (others.length === 0) return warned;
  const fates = (['failed', 'replaced', 'partial'] as const).flatMap((fate) => {
    const runs = others.filter((each) => each.fate === fate);
    const count = runs.reduce((total, each) => total + each.count, 0);
    return count > 0 ? [`${count} ${FATES[fate]}: ${runs.map(noteReason).join(', ')}`] : [];
  });
  return [`${own} of ${due} runs were its own`, ...fates, ...warned];
}

const FATES: Readonly<Record<OtherRuns['fate'], string>> = {
  failed: 'failed, and nothing was compacted',
  replaced: 'were replaced',
  partial: 'were made in part',
};

function noteReason({ fate, by, reason, count }: OtherRuns): string {
  const instead = fate === 'replaced' ? `by ${by || 'the compactor’s own steps'}, because ` : '';
  return `${instead}${inEnglish(reason)} (${count})`;
}

interface Timed {
  /** Sessions whose recording says when its messages were said, their requests, and of these those with a cold cache. */
  readonly timed: { readonly sessions: number; readonly steps: number; readonly cold: number };
  /** Names of all. */
  readonly sessions: readonly string[];
}

/** By which clock the sessions went, and how often it let a cache go cold. */
export function describeTimes({ timed, sessions }: Timed): string {
  if (timed.sessions === 0)
    return 'No session says when its messages were said: all follow an even clock, and no cache goes cold.';
  const share = formatPercent((100 * timed.cold) / Math.max(1, timed.steps), 1);
  const others =
    timed.sessions < sessions.length ? ' The others follow an even clock, and their caches never go cold.' : '';
  return `${timed.sessions} of ${sessions.length} sessions say when their messages were said: ${share} of their requests came more than five minutes after the one before, and found a cold cache.${others}`;
}
