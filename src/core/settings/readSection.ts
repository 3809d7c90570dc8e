/**
 * Reads sections of the settings: every value is checked once, here. An invalid value is reported, and the default is
 * used instead.
 */

import { hideInAddresses } from '../hideInAddresses.ts';
import { isObject, type Json } from '../json.ts';
import { type Words, words } from '../words.ts';
import {
  describeIssue,
  keyOf,
  type SectionValues,
  type Setting,
  type SettingSection,
  type Settings,
  type ValuesOf,
} from './setting.ts';

export interface SettingValue {
  readonly value: unknown;
  /** Set by a person or a workspace, not by default. */
  readonly explicit: boolean;
}

/** `key` is without the `palimpsest.` prefix. An undefined value means the default. */
export type SettingReader = (key: string) => SettingValue;

export interface SettingProblem {
  /** With the `palimpsest.` prefix. */
  readonly key: string;
  /** Names the setting, the value, the reason and the value used instead. */
  readonly said: Words;
}

/** Problems are added to `problems`. */
export function readSection<Section extends SettingSection>(
  section: Section,
  read: SettingReader,
  problems: SettingProblem[],
): SectionValues<Section> {
  const values = Object.entries(section.fields).map(([name, setting]) => {
    const key = keyOf(section, name);
    return [name, checkSetting(key, setting, read(key), problems).value];
  });
  return Object.fromEntries(values) as SectionValues<Section>;
}

/** The valid values of `record`, and the defaults of all others. */
export function completeValues<Fields extends Settings>(
  fields: Fields,
  record: Readonly<Record<string, unknown>>,
): ValuesOf<Fields> {
  const values = Object.entries(fields).map(([name, setting]) => {
    const parsed = setting.schema.safeParse(record[name]);
    return [name, parsed.success ? parsed.data : setting.default];
  });
  return Object.fromEntries(values) as ValuesOf<Fields>;
}

/** The effective value of one setting: the value that was read, or the default. */
export function checkSetting(
  key: string,
  setting: Setting,
  { value, explicit }: SettingValue,
  problems: SettingProblem[],
): SettingValue {
  const byDefault = { value: setting.default, explicit: false };
  if (value === undefined) return byDefault;
  const parsed = setting.schema.safeParse(value);
  if (parsed.success) return { value: parsed.data, explicit };
  if (setting.eachAlone && Array.isArray(value)) {
    return { value: keepUsable(key, setting, value, problems), explicit };
  }
  if (setting.eachAlone && isObject(value)) {
    return { value: keepUsableNames(key, setting, value, problems), explicit };
  }
  problems.push(describeSettingProblem(key, value, describeIssue(parsed.error.issues[0]), setting.default));
  return byDefault;
}

/** The valid entries, each checked against the ones before it, because some fields must be unique. */
function keepUsable(
  key: string,
  { schema }: Setting,
  entries: readonly unknown[],
  problems: SettingProblem[],
): unknown {
  let kept: readonly unknown[] = [];
  let usable: unknown = kept;
  for (const entry of entries) {
    const parsed = schema.safeParse([...kept, entry]);
    if (parsed.success) {
      kept = [...kept, entry];
      usable = parsed.data;
    } else problems.push(describeEntryProblem(key, entry, describeIssue(parsed.error.issues[0])));
  }
  return usable;
}

/** For a table by name: checks each entry by itself. */
function keepUsableNames(key: string, { schema }: Setting, entries: Json, problems: SettingProblem[]): unknown {
  const usable = Object.entries(entries).flatMap(([name, entry]) => {
    const parsed = schema.safeParse({ [name]: entry });
    if (parsed.success) return Object.entries(parsed.data as Json);
    problems.push(describeEntryProblem(key, { [name]: entry }, describeIssue(parsed.error.issues[0])));
    return [];
  });
  return Object.fromEntries(usable);
}

function describeEntryProblem(key: string, entry: unknown, reason: Words): SettingProblem {
  return {
    key: `palimpsest.${key}`,
    said: [
      ...words('An entry in the setting {0} cannot be used: {1}.', `palimpsest.${key}`, show(entry)),
      ...reason,
      ...words('The other entries are used.'),
    ],
  };
}

const show = (value: unknown): string =>
  hideInAddresses((JSON.stringify(value) ?? 'undefined').slice(0, 5_000)).slice(0, 200);

/** `key` is without the `palimpsest.` prefix. */
export function describeSettingProblem(key: string, value: unknown, reason: Words, byDefault: unknown): SettingProblem {
  return {
    key: `palimpsest.${key}`,
    said: [
      ...words('The setting {0} has the value {1}, which cannot be used.', `palimpsest.${key}`, show(value)),
      ...reason,
      ...words('The default {0} is used.', JSON.stringify(byDefault)),
    ],
  };
}
