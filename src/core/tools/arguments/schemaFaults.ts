/**
 * Whether a value fits a JSON schema, as far as a call needs it: types, fields, lists, choices and ranges. What it does not
 * know, such as patterns and formats, it leaves to the tool's own program. Foreign schemas are read without trust: bounded
 * steps, and no pattern of theirs is run.
 */

import { asText, isObject, type Json, listOf, objectOf, ownOf } from '../../json.ts';
import { showInOneLine } from '../text/showHidden.ts';
import { findReferenced, MOST_REFERENCES } from './schemaReference.ts';

export interface SchemaFault {
  /** Names and indexes from the arguments to the value. */
  readonly path: readonly (string | number)[];
  /** Says what is wanted, and what came. */
  readonly message: string;
}

/** Comparisons of a value with a schema in one call. */
const MOST_STEPS = 100_000;
const MOST_FAULTS = 10;
const LONGEST_SHOWN = 80;

/** A schema with the root that its references are looked up in. */
export class SchemaReader {
  readonly #root: Json;
  #steps = 0;

  constructor(root: Json) {
    this.#root = root;
  }

  /** The schema itself, with a local reference followed. A schema that cannot be read allows everything. */
  follow(schema: unknown): Json {
    let at = objectOf(schema);
    for (let hops = 0; typeof at.$ref === 'string'; hops++) {
      if (hops === MOST_REFERENCES) return {};
      const { $ref, ...beside } = at;
      const found = findReferenced(this.#root, asText($ref));
      if (!found) return {};
      at = { ...found, ...beside };
    }
    return at;
  }

  fits(value: unknown, schema: unknown): boolean {
    return this.faults(value, schema).length === 0;
  }

  /** The first faults; none when the value fits. */
  faults(value: unknown, schema: unknown, path: SchemaFault['path'] = []): readonly SchemaFault[] {
    if (++this.#steps > MOST_STEPS) return [];
    if (schema === false) return [{ path, message: 'is not allowed' }];
    const read = this.follow(schema);
    const fault = this.#faultOf(value, read);
    if (fault) return [{ path, message: fault }];
    const inside = Array.isArray(value)
      ? this.#inList(value, read, path)
      : isObject(value)
        ? this.#inObject(value, read, path)
        : [];
    const parts = listOf(read.allOf).flatMap((part) => this.faults(value, part, path));
    return [...inside, ...parts, ...this.#inChoices(value, read, path)].slice(0, MOST_FAULTS);
  }

  #faultOf(value: unknown, schema: Json): string | null {
    const types = typesOf(schema);
    if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
      return `expected ${types.join(' or ')}, received ${describe(value)}`;
    }
    const allowed = allowedBy(schema);
    if (allowed && !allowed.some((each) => isSame(each, value)) && !(value === null && schema.nullable === true)) {
      return `expected one of ${showValues(allowed)}, received ${describe(value)}`;
    }
    if (typeof value === 'number') return rangeFault(value, schema);
    return null;
  }

  #inList(values: readonly unknown[], schema: Json, path: SchemaFault['path']): readonly SchemaFault[] {
    const faults: SchemaFault[] = [];
    const least = Number(schema.minItems ?? 0);
    if (values.length < least)
      faults.push({ path, message: `expected at least ${least} items, received ${values.length}` });
    if (!isObject(schema.items)) return faults;
    for (const [index, each] of values.entries()) {
      if (faults.length >= MOST_FAULTS) break;
      faults.push(...this.faults(each, schema.items, [...path, index]));
    }
    return faults;
  }

  #inObject(value: Json, schema: Json, path: SchemaFault['path']): readonly SchemaFault[] {
    const properties = objectOf(schema.properties);
    const faults: SchemaFault[] = requiredBy(schema)
      .filter((name) => !Object.hasOwn(value, name))
      .map((name) => ({ path: [...path, name], message: 'is required, and was not given' }));
    for (const [name, each] of Object.entries(value)) {
      if (faults.length >= MOST_FAULTS) break;
      const declared = ownOf(properties, name);
      if (declared !== undefined) faults.push(...this.faults(each, declared, [...path, name]));
      else if (isClosed(schema)) {
        const known = Object.keys(properties).join(', ') || 'none';
        faults.push({
          path,
          message: `has no field "${showInOneLine(name.slice(0, LONGEST_SHOWN))}"; its fields are: ${known}`,
        });
      }
    }
    return faults;
  }

  #inChoices(value: unknown, schema: Json, path: SchemaFault['path']): readonly SchemaFault[] {
    for (const choices of [listOf(schema.anyOf), listOf(schema.oneOf)]) {
      if (choices.length === 0) continue;
      const all = choices.map((choice) => this.faults(value, choice, path));
      if (all.some((faults) => faults.length === 0)) continue;
      // The nearest choice explains most: its faults lie deepest.
      const depth = (faults: readonly SchemaFault[]) => Math.max(...faults.map((fault) => fault.path.length));
      return all.toSorted((one, other) => depth(other) - depth(one))[0] ?? [];
    }
    return [];
  }
}

const TYPES: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

/** The types that the schema allows; none when it names none, or one that does not exist. */
export function typesOf(schema: Json): readonly string[] {
  const named = (Array.isArray(schema.type) ? schema.type : schema.type === undefined ? [] : [schema.type]).map(asText);
  if (named.some((type) => !TYPES.has(type))) return [];
  return schema.nullable === true && named.length > 0 ? [...named, 'null'] : named;
}

export function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number';
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

/** The values that the schema names; null when it names none. */
export function allowedBy(schema: Json): readonly unknown[] | null {
  if (Object.hasOwn(schema, 'const')) return [schema.const];
  return Array.isArray(schema.enum) && schema.enum.length > 0 ? schema.enum : null;
}

export function requiredBy(schema: Json): readonly string[] {
  return listOf(schema.required).filter((name) => typeof name === 'string');
}

/** Takes no field beside its own. */
export const isClosed = (schema: Json): boolean =>
  schema.additionalProperties === false && !isObject(schema.patternProperties);

function rangeFault(value: number, schema: Json): string | null {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const came = `received ${value}`;
  if (typeof minimum === 'number' && value < minimum) return `expected at least ${minimum}, ${came}`;
  if (typeof maximum === 'number' && value > maximum) return `expected at most ${maximum}, ${came}`;
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum)
    return `expected more than ${exclusiveMinimum}, ${came}`;
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum)
    return `expected less than ${exclusiveMaximum}, ${came}`;
  return null;
}

export function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** A value in a few words, for a model. */
export function describe(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  const kind = Array.isArray(value) ? 'array' : typeof value;
  const text = JSON.stringify(value) ?? '';
  const shown = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN).toWellFormed()}…` : text;
  return `${kind} ${showInOneLine(shown)}`;
}

const showValues = (values: readonly unknown[]): string => {
  const shown = values.slice(0, 30).map((value) => JSON.stringify(value));
  return [...shown, ...(values.length > shown.length ? ['…'] : [])].join(', ');
};
