/** Why a compaction ran, in words for a person. */

import { COOLING, type CompactionEntry } from '../journal/entry.ts';
import { ownOf } from '../json.ts';
import { verbatim, type Words, words } from '../words.ts';

/** Why it ran before the limit; null where it did not. */
export function earlyWords(early: CompactionEntry['early']): Words | null {
  if (!early) return null;
  const [idle, lives] = [minutes(early.idleMs), minutes(early.livesMs)];
  switch (early.why) {
    case 'model':
      return words('before the limit: another model was chosen, and has nothing of it in its cache');
    case 'idle':
      return lives === null
        ? words("before the limit: idle for {0} min, and the provider's cache was cold", idle ?? '?')
        : words('before the limit: idle for {0} min, and the provider keeps its cache for {1} min', idle ?? '?', lives);
    case 'resumed':
      return words(
        "before the limit: the session was opened again after {0} min, and the provider's cache was cold",
        idle ?? '?',
      );
    case COOLING:
      return words(
        "before the provider's cache went cold: idle for {0} of {1} min, and reading all of it anew would have cost more",
        idle ?? '?',
        lives ?? '?',
      );
    case 'changed':
      return words("before the limit: the context had changed, and was no longer in the provider's cache");
    default:
      return words('before the limit: the strategy found that going on would cost more');
  }
}

/** Whole minutes; null for an invalid duration. */
const minutes = (ms: unknown): number | null =>
  typeof ms === 'number' && Number.isFinite(ms) ? Math.round(ms / 60_000) : null;

/** An unknown trigger is shown by its name. */
export function triggerWords(trigger: string): Words {
  return ownOf(TRIGGERS, trigger) ?? verbatim(trigger);
}

const TRIGGERS: Readonly<Record<string, Words>> = {
  threshold: words('context nearly full'),
  precheck: words('before a request'),
  overflow: words('the provider said it was too long'),
  manual: words('asked for by you'),
  agent: words('asked for by the agent'),
  ahead: words('prepared ahead'),
  [COOLING]: words('before the provider’s cache expired'),
  ephemeral: words('results marked as short-lived'),
  recorded: words('before the import'),
  branch: words('you went back and took a summary along'),
  handoff: words('this session continues from another one'),
};

/** Names of steps that run without a strategy: a compaction's entry records their id as its strategy. */
export const STEP_NAMES: Readonly<Record<string, Words>> = {
  fallback: words('Fallback without a model'),
  partial: words('Part done before a failure'),
  'drop-oldest': words('Drop oldest'),
  ephemeral: words('Expired results'),
  recorded: words('By the program that recorded it'),
  'branch-summary': words('Summary of a branch'),
  'session-summary': words('Summary of a session'),
};
