/**
 * A setting is one row of a table: what its value must be, its one default, and its English words. Each table stands
 * beside the code that owns it; values, checks, the manifest and the documentation are made from it.
 */

import * as z from 'zod';

export interface Setting<Value = unknown> {
  readonly schema: z.ZodType<Value>;
  readonly default: Value;
  /** Markdown, for the Settings editor and the documentation. */
  readonly description: string;
  /** Label and description of each value that can be chosen. */
  readonly choices?: Choices;
  /** `application`: a person's alone. Otherwise a workspace may set it too. */
  readonly scope?: 'application';
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
  /** What to use instead. */
  readonly deprecated?: string;
}

/** By value: label, description. */
export type Choices<Value extends string = string> = Readonly<Record<Value, readonly [string, string]>>;

export type Settings = Readonly<Record<string, Setting>>;

export interface SettingSection<Fields extends Settings = Settings> {
  /** In front of each field's name, below `palimpsest.`; empty for none. */
  readonly name: string;
  readonly fields: Fields;
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
