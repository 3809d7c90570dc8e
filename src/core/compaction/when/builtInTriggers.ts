/** The rules by which the built-in strategies decide when to compact, for a strategy's own `shouldCompact`. */

import type { BuiltInTriggers, ContextReading } from '../../../api/index.ts';
import { lookIn } from './beforeCold.ts';
import { type PaysRule, USUALLY_PAYS } from './triggerSettings.ts';
import { clausesOf } from './triggers.ts';

/** `pays`: whether compacting now costs less than going on, by a rule. */
export function triggersFor(reading: ContextReading, pays: (rule: PaysRule) => boolean): BuiltInTriggers {
  return Object.freeze<BuiltInTriggers>({
    limit: (when = {}) => {
      const { ratio = 0, reserve = 0, messages = 0, maxContextTokens = 0 } = when;
      if (Object.keys(when).length === 0) return reading.due;
      const tokens = reading.tokenCount + reading.comingTokens;
      const clauses = clausesOf({ ratio, reserve, messages, maxContextTokens }, reading.maxContextSize);
      return clauses.some(({ name, limit }) => (name === 'messages' ? reading.messages : tokens) >= limit);
    },
    pays: (rule = {}) => pays({ ...USUALLY_PAYS, ...rule }),
    cooling: () => {
      const { idleMs, cacheLivesMs: livesMs, reported } = reading;
      if (idleMs === null || !reported || reported.cached === 0) return false;
      return lookIn({ says: 'reported', usedAt: 0, livesMs, held: reported.cached }, idleMs) === 0;
    },
  });
}
