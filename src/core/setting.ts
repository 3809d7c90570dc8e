/**
 * A setting is one row of a table: its schema, its default, and its English texts. Each table is next to the code that
 * owns it; values, validation, the manifest and the documentation are derived from it. When a section is read, every value
 * is checked once: an invalid one is reported, and the default is used instead. Of a list or a table by name only the invalid
 * entries are left out.
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
  /** Words that its description lacks, by which the Settings editor finds it. */
  readonly keywords?: readonly string[];
  /** Name of a list in each entry of the list: an invalid entry of it is left out by itself, too. */
  readonly inner?: string;
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
    case 'invalid_key':
      return [...words('{0} is not known there.', show(issue.path.at(-1))), ...describeIssue(issue.issues[0])];
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
    for (const [name, rule] of Object.entries(given)) {
      const reason = findFault(rule, fields);
      if (reason) context.addIssue({ code: 'custom', path: [name], params: { reason } });
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
  readonly message: Words;
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
  const kept = Array.isArray(value)
    ? keepEntries(key, setting, value)
    : isObject(value)
      ? keepNames(key, setting, value)
      : null;
  if (kept) {
    problems.push(...kept.problems);
    return { value: kept.value, explicit };
  }
  problems.push(describeSettingProblem(key, value, describeFault(parsed.error), setting.default));
  return byDefault;
}

/** The usable entries; null where there is none. */
interface Kept {
  readonly value: unknown;
  readonly problems: readonly SettingProblem[];
}

/** Each entry is checked against the ones before it, because some fields must be unique. */
function keepEntries(key: string, setting: Setting, entries: readonly unknown[]): Kept | null {
  const { schema } = setting;
  const problems: SettingProblem[] = [];
  let kept: readonly unknown[] = [];
  let value: unknown;
  for (const [i, given] of entries.entries()) {
    const { entry, left } = withoutInner(setting, given, kept);
    const parsed = schema.safeParse([...kept, entry]);
    const place = (path: readonly PropertyKey[]) => [i, ...path.slice(1)];
    if (parsed.success) {
      kept = [...kept, entry];
      value = parsed.data;
      for (const issue of left)
        problems.push(
          describeEntryProblem(key, valueAt(given, issue.path.slice(1, 3)), describeAt(issue, place(issue.path))),
        );
    } else {
      const [issue] = parsed.error.issues;
      problems.push(describeEntryProblem(key, given, issue ? describeAt(issue, place(issue.path)) : []));
    }
  }
  return kept.length > 0 ? { value, problems } : null;
}

/** The entry without the invalid entries of its inner list, and their faults. The whole entry where nothing of the list would be left. */
function withoutInner(
  { schema, inner }: Setting,
  entry: unknown,
  kept: readonly unknown[],
): { readonly entry: unknown; readonly left: readonly z.core.$ZodIssue[] } {
  const list = inner !== undefined && isObject(entry) ? entry[inner] : undefined;
  const whole = { entry, left: [] };
  if (inner === undefined || !isObject(entry) || !Array.isArray(list)) return whole;
  const issues = schema.safeParse([...kept, entry]).error?.issues ?? [];
  const faults = new Map<number, z.core.$ZodIssue>();
  for (const issue of issues) {
    const [at, name, i] = issue.path;
    if (at !== kept.length || name !== inner || typeof i !== 'number') return whole;
    if (!faults.has(i)) faults.set(i, issue);
  }
  const usable = list.filter((_, i) => !faults.has(i));
  if (usable.length === 0) return whole;
  return { entry: { ...entry, [inner]: usable }, left: [...faults.values()] };
}

/** Of a table by name: each entry by itself. */
function keepNames(key: string, { schema }: Setting, entries: Json): Kept | null {
  const problems: SettingProblem[] = [];
  const usable: (readonly [string, unknown])[] = [];
  for (const [name, entry] of Object.entries(entries)) {
    const parsed = schema.safeParse({ [name]: entry });
    if (parsed.success) usable.push(...Object.entries(parsed.data as Json));
    else {
      const [issue] = parsed.error.issues;
      const isDeeper = issue !== undefined && issue.path.length > 1;
      problems.push(describeEntryProblem(key, { [name]: entry }, isDeeper ? describeAt(issue) : describeIssue(issue)));
    }
  }
  return usable.length > 0 ? { value: Object.fromEntries(usable), problems } : null;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inside, name) => (inside as Readonly<Record<PropertyKey, unknown>>)[name], value);
}

const MOST_FAULTS = 5;

/** The reasons why a value does not fit, each after the place of the fault in the value. */
export const describeFault = ({ issues }: z.ZodError): Words =>
  issues.slice(0, MOST_FAULTS).flatMap((issue) => describeAt(issue));

/** The reason, after the place of the fault in the value. */
function describeAt(issue: z.core.$ZodIssue, path: readonly PropertyKey[] = issue.path): Words {
  const place = path.map((name, i) => (typeof name === 'number' ? `[${name}]` : `${i > 0 ? '.' : ''}${String(name)}`));
  return place.length === 0 ? describeIssue(issue) : [...words('At {0}:', place.join('')), ...describeIssue(issue)];
}

/** Of a list or table: the entry is left out. `key` is without the `palimpsest.` prefix. */
export function describeEntryProblem(key: string, entry: unknown, reason: Words): SettingProblem {
  return {
    key: `palimpsest.${key}`,
    message: [
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
    message: [
      ...words('The setting {0} has the value {1}, which cannot be used.', `palimpsest.${key}`, show(value)),
      ...reason,
      ...words('The default {0} is used.', JSON.stringify(byDefault)),
    ],
  };
}
