/**
 * A setting is one row of a table: its schema, its default, and its English texts. Each table is next to the code that
 * owns it; values, validation, the manifest and the documentation are derived from it. When a section is read, every value
 * is checked once: an invalid one is reported, and the default is used instead.
 */

import * as z from 'zod';
import { isObject, type Json } from './json.ts';
import { hideInAddresses } from './urls.ts';
import { isWords, verbatim, type Words, words } from './words.ts';

export interface Setting<Value = unknown> {
  readonly schema: z.ZodType<Value>;
  readonly default: Value;
  /** Markdown, for the Settings editor and the documentation. */
  readonly description: string;
  /** Label and description of each possible value. */
  readonly choices?: Choices;
  /** Links in place of `{0}` in the description: the label of each, and the query that it gives the Settings editor. */
  readonly links?: readonly (readonly [label: string, query: string])[];
  /** `application`: only a person may set it. Otherwise a workspace may set it too. */
  readonly scope?: 'application';
  /** Holds paths or local addresses, which are meaningless on another machine: excluded from Settings Sync. */
  readonly ofThisMachine?: true;
  /** A workspace may set it only when trusted. */
  readonly restricted?: true;
  /** Edited in a multi-line field. */
  readonly multiline?: true;
  /** For the Settings editor, where it cannot use a pattern from the schema. */
  readonly pattern?: RegExp;
  /** Describes a valid value, shown when the pattern does not match. */
  readonly patternHint?: string;
  /** For a list or a table by name: an invalid entry is left out and reported, and the others are used. */
  readonly eachAlone?: true;
  /** The Settings editor shows it only when advanced settings, or this setting, are searched for. */
  readonly advanced?: true;
}

/** By value: label, description. */
export type Choices<Value extends string = string> = Readonly<Record<Value, readonly [string, string]>>;

export type Settings = Readonly<Record<string, Setting>>;

export interface SettingSection<Fields extends Settings = Settings> {
  /** Prefix of each field's name, below `palimpsest.`; empty for none. */
  readonly name: string;
  readonly fields: Fields;
  /** All of its settings are advanced. */
  readonly advanced?: true;
}

/** The values of a table's settings, by the names of the fields. */
export type ValuesOf<Fields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends Setting<infer Value> ? Value : never;
};

/** The values of a section, by the names of its fields. */
export type SectionValues<Section extends SettingSection> = ValuesOf<Section['fields']>;

type More<Value> = Omit<Setting<Value>, 'schema' | 'default' | 'description'>;

export const section = <Fields extends Settings>(name: string, fields: Fields): SettingSection<Fields> => ({
  name,
  fields,
});

/** A section of advanced settings only. */
export const advancedSection = <Fields extends Settings>(name: string, fields: Fields): SettingSection<Fields> => ({
  ...section(name, fields),
  advanced: true,
});

export const setting = <Value>(
  schema: z.ZodType<Value>,
  byDefault: NoInfer<Value>,
  description: string,
  more: More<NoInfer<Value>> = {},
): Setting<Value> => ({ schema, default: byDefault, description, ...more });

/** One of several values. */
export const choice = <Value extends string>(
  choices: Choices<Value>,
  byDefault: NoInfer<Value>,
  description: string,
  more: More<NoInfer<Value>> = {},
): Setting<Value> => setting(z.enum(Object.keys(choices) as Value[]), byDefault, description, { choices, ...more });

/** A number between two ends. */
export const share = (min: number, max: number) => z.number().min(min).max(max);

/** A whole number between two ends. */
export const count = (min = 0, max = 10_000_000) => z.number().int().min(min).max(max);

/** The name below `palimpsest.`, as the Settings editor shows it. */
export const keyOf = ({ name }: SettingSection, field: string): string => (name === '' ? field : `${name}.${field}`);

const TYPES: Readonly<Record<string, Words>> = {
  boolean: words('true or false'),
  number: words('a number'),
  int: words('a whole number'),
  string: words('a text'),
  array: words('a list'),
  record: words('an object'),
  object: words('an object'),
};

/**
 * Explains to a person why a value does not fit its schema. The schema library's own messages are in English and meant
 * for the model.
 */
export function describeIssue(issue: z.core.$ZodIssue | undefined): Words {
  switch (issue?.code) {
    case 'invalid_type':
      return words('It must be {0}.', TYPES[issue.expected] ?? verbatim(issue.expected));
    case 'invalid_value':
      return words('It must be one of these: {0}.', issue.values.map(String).join(', '));
    case 'too_small':
      return words('It must be at least {0}.', String(issue.minimum));
    case 'too_big':
      return issue.origin === 'string'
        ? words('It must have at most {0} characters.', String(issue.maximum))
        : words('It must be at most {0}.', String(issue.maximum));
    case 'unrecognized_keys':
      return words('{0} is not known there.', issue.keys.join(', '));
    case 'invalid_union':
      return describeIssue(nearest(issue.errors)[0]);
    case 'custom':
      // The product's own checks bring their reason.
      return isWords(issue.params?.reason) ? issue.params.reason : words('It does not have the right form.');
    default:
      return words('It does not have the right form.');
  }
}

/** Of several forms, the faults of the intended one: the one with the same kind of value. */
function nearest(forms: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] {
  const isMeant = ([first]: readonly z.core.$ZodIssue[]) =>
    first && !(first.code === 'invalid_type' && !first.path.length);
  return forms.find(isMeant) ?? forms[0] ?? [];
}

/**
 * Settings that differ by name: a name or pattern, and a short text such as `ratio 0.7, reserve 4000`. The most
 * specific match is used.
 */
export type Rules = Readonly<Record<string, string>>;

const RULE_PATTERN = /^\w+ [\w.]+(, \w+ [\w.]+)*$/;

/** `fields` are the settings that a rule may name. */
export function rulesSchema(fields: Settings): z.ZodType<Rules> {
  return z.record(z.string().min(1).max(200), z.string().max(500).regex(RULE_PATTERN)).superRefine((given, context) => {
    for (const rule of Object.values(given)) {
      const reason = findFault(rule, fields);
      if (reason) context.addIssue({ code: 'custom', params: { reason } });
    }
  });
}

/** The settings for the name, and the name or pattern that matched; null when none does. */
export function ruleFor(
  rules: Rules,
  asked: string,
): { readonly name: string; readonly values: Readonly<Record<string, unknown>> } | null {
  const [name] = Object.keys(rules)
    .filter((pattern) => fitsPattern(pattern, asked))
    .sort((a, b) => weigh(b) - weigh(a));
  return name === undefined ? null : { name, values: Object.fromEntries(readRule(rules[name] ?? '')) };
}

/** Numbers as numbers; everything else as text. */
function readRule(rule: string): (readonly [name: string, value: unknown])[] {
  return rule.split(', ').map((part) => {
    const [name = '', value = ''] = part.split(' ');
    return [name, Number.isNaN(Number(value)) ? value : Number(value)];
  });
}

/** Null when there is none. */
function findFault(rule: string, fields: Settings): Words | null {
  const seen = new Set<string>();
  for (const [name, value] of readRule(rule)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!field)
      return words('There is no setting {0} here. These can be given: {1}.', name, Object.keys(fields).join(', '));
    if (seen.has(name)) return words('{0} is given twice.', name);
    seen.add(name);
    const { error } = field.schema.safeParse(value);
    if (error) return [...words('{0} cannot be used.', `${name} ${value}`), ...describeIssue(error.issues[0])];
  }
  return null;
}

/** `*` matches any text, including none. */
export function fitsPattern(pattern: string, asked: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === asked;
  if (!asked.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = asked.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return asked.length - last.length >= at && asked.endsWith(last);
}

/** An exact name outweighs any pattern. */
function weigh(pattern: string): number {
  const stars = pattern.split('*').length - 1;
  return stars === 0 ? Number.POSITIVE_INFINITY : pattern.length - stars;
}

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
