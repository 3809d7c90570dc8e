/** Thresholds for some models: what a rule does not say stays as it is. */

import { type Rules, rulesSchema } from '../../settings/rules.ts';
import { type Setting, type Settings, setting } from '../../settings/setting.ts';

/** `fields` are the settings that a rule may name. */
export function perModelSetting(fields: Settings): Setting<Rules> {
  return setting(
    rulesSchema(fields),
    {},
    'Different thresholds for some models: by the model’s name or a pattern with `*`, what differs, for example `ratio 0.7, reserve 4000`. Every setting of this group but this one and `holdGrowth` can be named. They take precedence over the general ones and over those of a strategy. If several match, a whole name wins, then the longest pattern.',
    { patternHint: 'Give names and values, for example `ratio 0.7, reserve 4000`.' },
  );
}
