/** Puts the defaults in `PALIMPSEST_DEFAULTS` into the tables of settings, before a test file is loaded. */

import { SETTING_GROUPS, settingsOf } from '../../scripts/manifest/describeSettings.ts';

const settings = new Map(SETTING_GROUPS.flatMap(settingsOf));
for (const [key, value] of Object.entries(JSON.parse(process.env.PALIMPSEST_DEFAULTS ?? '{}'))) {
  const setting = settings.get(key);
  if (!setting) throw new Error(`There is no setting ${key}.`);
  Object.assign(setting, { default: value });
}
