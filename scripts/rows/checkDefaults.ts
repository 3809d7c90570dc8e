/**
 * The defaults that rows document, compared with the tables of settings and proved: with another default in the table, a
 * test that names the row must fail.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Setting } from '../../src/core/settings/setting.ts';
import { SETTING_GROUPS, settingsOf } from '../manifest/describeSettings.ts';
import type { Row } from './readRows.ts';
import { runTests } from './runTests.ts';

const SETTINGS: ReadonlyMap<string, Setting> = new Map(SETTING_GROUPS.flatMap(settingsOf));

/** In words: defaults of the row that are not those of the tables. */
export function compareDefaults({ row, defaults = {} }: Row): readonly string[] {
  return Object.entries(defaults).flatMap(([key, documented]) => {
    const setting = SETTINGS.get(key);
    if (!setting) return [`${row}: there is no setting ${key}`];
    if (isDeepStrictEqual(setting.default, documented)) return [];
    return [`${row}: the default of ${key} is ${JSON.stringify(setting.default)}, not ${JSON.stringify(documented)}`];
  });
}

/** In words: defaults that can change without a test in `files` that names the row failing. */
export async function proveDefaults(
  { row, defaults = {}, instead = {} }: Row,
  files: readonly string[],
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const key of Object.keys(defaults)) {
    const other = instead[key] ?? changeDefault(SETTINGS.get(key) as Setting);
    const { failed, passed } = await runTests(row, files, { PALIMPSEST_DEFAULTS: JSON.stringify({ [key]: other }) });
    if (failed === 0) faults.push(`${row}: ${passed} tests name it and pass with ${key} ${JSON.stringify(other)}`);
  }
  return faults;
}

/** The nearest value that the setting could have by default instead. */
function changeDefault({ schema, choices, default: byDefault }: Setting): unknown {
  if (choices) return Object.keys(choices).find((value) => value !== byDefault);
  if (typeof byDefault === 'boolean') return !byDefault;
  if (typeof byDefault === 'string') return `${byDefault}x`;
  if (Array.isArray(byDefault)) return byDefault.slice(0, -1);
  if (typeof byDefault === 'object' && byDefault !== null)
    return Object.fromEntries(Object.entries(byDefault).slice(1));
  const next = Number(byDefault) + 1;
  return schema.safeParse(next).success ? next : Number(byDefault) + 0.01;
}
