/**
 * Options that another program gives to the packages. They are checked once, where they come in, and refused in words that
 * name the option, its value and what it must be.
 */

import { isObject } from './json.ts';

export interface OptionRule {
  readonly is: (value: unknown) => boolean;
  /** Reads on from "It must be"; or a sentence about a value that it is not. */
  readonly wanted: string | ((value: unknown) => string);
  /** True when it cannot be left out. */
  readonly needed?: true;
  /** True when a value may be a secret: an error does not repeat it. */
  readonly secret?: true;
}

/** A rule for each option. */
export type OptionRules<Options> = { readonly [Name in keyof Required<Options>]: OptionRule };

/**
 * Throws `TypeError` for anything but an object with known options and usable values. `of`: the function that takes them;
 * `within`: the option that they belong to, with a dot behind it.
 */
export function checkOptions(
  of: string,
  given: unknown,
  rules: Readonly<Record<string, OptionRule>>,
  within = '',
): void {
  const known = Object.keys(rules)
    .map((name) => within + name)
    .join(', ');
  if (!isObject(given)) {
    const what = within === '' ? `The options of ${of} are` : `The option ${within.slice(0, -1)} of ${of} is`;
    throw new TypeError(`${what} ${show(given)}, not an object with ${known}.`);
  }
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(rules, name));
  if (unknown !== undefined) throw new TypeError(`${of} has no option ${within}${unknown}: it has ${known}.`);
  for (const [name, { is, wanted, needed, secret }] of Object.entries(rules)) {
    const value = given[name];
    const sentence = typeof wanted === 'function' ? wanted(value) : `It must be ${wanted}.`;
    if (value === undefined && needed) throw new TypeError(`${of} needs the option ${within}${name}. ${sentence}`);
    if (value !== undefined && !is(value))
      throw new TypeError(
        `The option ${within}${name} of ${of} is ${secret ? 'not usable' : show(value)}. ${sentence}`,
      );
  }
}

/** The value of an option in an error: short, and nothing of what an object holds. */
function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

export const TEXT: OptionRule = {
  is: (value) => typeof value === 'string' && value.trim() !== '',
  wanted: 'a text that is not blank',
};

export const AMOUNT: OptionRule = {
  is: (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
  wanted: 'a number, 0 or more',
};

export const YES_OR_NO: OptionRule = { is: (value) => typeof value === 'boolean', wanted: 'true or false' };

export const LIST: OptionRule = { is: Array.isArray, wanted: 'a list' };

export const FUNCTION: OptionRule = { is: (value) => typeof value === 'function', wanted: 'a function' };

export const OBJECT: OptionRule = { is: isObject, wanted: 'an object' };

export const needed = (rule: OptionRule): OptionRule => ({ ...rule, needed: true });

export const oneOf = (values: readonly string[]): OptionRule => ({
  is: (value) => typeof value === 'string' && values.includes(value),
  wanted: `one of ${values.join(', ')}`,
});

/** An object, also of a class, with these functions. */
export const objectWith = (...names: readonly string[]): OptionRule => ({
  is: (value) =>
    typeof value === 'object' &&
    value !== null &&
    names.every((name) => typeof (value as Readonly<Record<string, unknown>>)[name] === 'function'),
  wanted: `an object with the functions ${names.join(', ')}`,
});
