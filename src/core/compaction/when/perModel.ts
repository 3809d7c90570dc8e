/** Thresholds for some models: what a rule does not say stays as it is. */

import { type Rules, rulesSchema } from '../../settings/rules.ts';
import { type Setting, type Settings, setting } from '../../settings/setting.ts';

/** `fields` are the settings that a rule may name. */
export function perModelSetting(fields: Settings): Setting<Rules> {
  return setting(
    rulesSchema(fields),
    {},
    "Other thresholds for some models: by the model's name or a pattern with `*`, what differs, for example `ratio 0.7, reserve 4000`. Each setting of this group but this one and `holdGrowth` can be named. They go before what is set in general and for a strategy. Of several that fit, a whole name goes first, then the longest pattern.",
    { patternHint: 'Give names and values, for example `ratio 0.7, reserve 4000`.' },
  );
}
