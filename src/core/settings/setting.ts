/**
 * A setting is one row of a table: what its value must be, its one default, and its English words. Each table stands
 * beside the code that owns it; values, checks, the manifest and the documentation are made from it.
 */

import * as z from 'zod';
import { isWords, verbatim, type Words, words } from '../words.ts';

export interface Setting<Value = unknown> {
  readonly schema: z.ZodType<Value>;
  readonly default: Value;
  /** Markdown, for the Settings editor and the documentation. */
  readonly description: string;
  /** Label and description of each value that can be chosen. */
  readonly choices?: Choices;
  /** `application`: a person's alone. Otherwise a workspace may set it too. */
  readonly scope?: 'application';
  /** Holds paths or local addresses, which mean nothing on another machine: left out of Settings Sync. */
  readonly ofThisMachine?: true;
  /** A workspace may set it only when it is trusted. */
  readonly restricted?: true;
  /** Edited in a field of several lines. */
  readonly multiline?: true;
  /** For the Settings editor, where the schema holds no pattern that it can use. */
  readonly pattern?: RegExp;
  /** What a value must look like, said when it does not match the pattern. */
  readonly patternHint?: string;
  /** Of a list or a table by name: an entry that cannot be used is left out and named, and the others are in force. */
  readonly eachAlone?: true;
  /** The Settings editor shows it only to those who ask for advanced settings, or for this one. */
  readonly advanced?: true;
  /** An earlier setting, which is still read where it is set: what to use instead. */
  readonly deprecated?: string;
}

/** By value: label, description. */
export type Choices<Value extends string = string> = Readonly<Record<Value, readonly [string, string]>>;

export type Settings = Readonly<Record<string, Setting>>;

export interface SettingSection<Fields extends Settings = Settings> {
  /** In front of each field's name, below `palimpsest.`; empty for none. */
  readonly name: string;
  readonly fields: Fields;
  /** All of its settings are. */
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

/** Of settings that are all advanced. */
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

/** An earlier setting: `instead` says what took its place. It counts where that is unset. */
export const earlier = <Value>(
  schema: z.ZodType<Value>,
  byDefault: NoInfer<Value>,
  instead: string,
  more: More<NoInfer<Value>> = {},
): Setting<Value> => setting(schema, byDefault, instead, { deprecated: instead, ...more });

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

/** Why a value does not fit its schema, for a person. The schema library's own messages are English and for the model. */
const TYPES: Readonly<Record<string, Words>> = {
  boolean: words('true or false'),
  number: words('a number'),
  int: words('a whole number'),
  string: words('a text'),
  array: words('a list'),
  record: words('an object'),
  object: words('an object'),
};

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
      // A check of our own brings its reason.
      return isWords(issue.params?.reason) ? issue.params.reason : words('It does not have the right form.');
    default:
      return words('It does not have the right form.');
  }
}

/** Of several forms, the faults of the one that was meant: whose kind of value it is. */
function nearest(forms: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] {
  const isMeant = ([first]: readonly z.core.$ZodIssue[]) =>
    first && !(first.code === 'invalid_type' && !first.path.length);
  return forms.find(isMeant) ?? forms[0] ?? [];
}

/**
 * Settings that differ for some names: by name or pattern, a short text such as `ratio 0.7, reserve 4000`. The most
 * specific one that fits is in force.
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

/** What is said for the name, and by which name or pattern; null when nothing is. */
export function ruleFor(
  rules: Rules,
  asked: string,
): { readonly name: string; readonly values: Readonly<Record<string, unknown>> } | null {
  const [name] = Object.keys(rules)
    .filter((pattern) => fitsPattern(pattern, asked))
    .sort((a, b) => weigh(b) - weigh(a));
  return name === undefined ? null : { name, values: Object.fromEntries(readRule(rules[name] ?? '')) };
}

/** Numbers as numbers; all else as text. */
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

/** `*` stands for any text, also for none. */
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

/** A whole name is more than any pattern. */
function weigh(pattern: string): number {
  const stars = pattern.split('*').length - 1;
  return stars === 0 ? Number.POSITIVE_INFINITY : pattern.length - stars;
}
