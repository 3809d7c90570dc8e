/** Asks a strategy's own `shouldCompact` once, with the rules by which the built-in strategies decide. */

import type { BuiltInTriggers, CompactionStrategy, ContextReading } from '../../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { messageOf } from '../../errors.ts';
import { type Words, words } from '../../words.ts';
import { type PaysRule, USUALLY_PAYS } from '../sections/generalSettings.ts';
import { millisUntilDue } from './beforeCold.ts';
import { TriggerClauses } from './triggers.ts';

/** A slower answer would delay every request. */
const LONGEST_MS = 200;

type Answer =
  /** Undefined leaves it to the settings. */
  | { readonly kind: 'answered'; readonly compact: boolean | undefined }
  | { readonly kind: 'broken'; readonly reason: Words };

/** Asks once. Nothing can end a strategy that does not return. `pays`: whether compacting costs less, by a rule. */
export function askWhen(
  strategy: CompactionStrategy,
  reading: ContextReading,
  clock: Pick<Clock, 'now'>,
  pays: (rule: PaysRule) => boolean,
): Answer {
  const begun = clock.now();
  try {
    const compact: unknown = strategy.shouldCompact?.(Object.freeze(reading), triggersFor(reading, pays));
    const took = clock.now() - begun;
    if (took > LONGEST_MS)
      return { kind: 'broken', reason: words('shouldCompact took {0} ms of {1}', took, LONGEST_MS) };
    if (compact === undefined || typeof compact === 'boolean') return { kind: 'answered', compact };
    return { kind: 'broken', reason: words('shouldCompact answered neither true, false nor undefined') };
  } catch (thrown) {
    return { kind: 'broken', reason: words('shouldCompact failed: {0}', messageOf(thrown).slice(0, 300)) };
  }
}

/**
 * The rules by which the built-in strategies decide when to compact, for a strategy's own `shouldCompact`. `pays`: whether
 * compacting now costs less than going on, by a rule.
 */
function triggersFor(reading: ContextReading, pays: (rule: PaysRule) => boolean): BuiltInTriggers {
  return Object.freeze<BuiltInTriggers>({
    limit: (when = {}) => {
      const { ratio = 0, reserve = 0, messages = 0, maxContextTokens = 0 } = when;
      if (Object.keys(when).length === 0) return reading.due;
      const tokens = reading.tokenCount + reading.comingTokens;
      const clauses = new TriggerClauses({ ratio, reserve, messages, maxContextTokens }, reading.maxContextSize);
      return clauses.holding(tokens, reading.messages).length > 0;
    },
    pays: (rule = {}) => pays({ ...USUALLY_PAYS, ...rule }),
    cooling: () => {
      const { idleMs, cacheLivesMs: livesMs, reported } = reading;
      if (idleMs === null || !reported || reported.cached === 0) return false;
      return millisUntilDue({ says: 'reported', usedAt: 0, livesMs, held: reported.cached }, idleMs) === 0;
    },
  });
}
