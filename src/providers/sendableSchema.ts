/**
 * A tool's schema in a form that OpenAI and Anthropic both take: an object at the top without alternatives, in the words of
 * JSON Schema 2020-12, with references that resolve. What the form cannot say becomes a note for the tool's description.
 * A schema that has the form already stays letter for letter. Pure; bounded in depth and size.
 */

import { isObject, type Json, listOf, objectOf, ownOf } from '../core/json.ts';
import { findReferenced, MOST_REFERENCES } from '../core/tools/arguments/schemaReference.ts';
import { sentNames } from '../core/tools/arguments/sentNames.ts';

export interface SendableSchema {
  readonly parameters: Json;
  /** Empty when the schema says everything itself. */
  readonly note: string;
}

const DEEPEST = 24;
/** Tried in turn until the schema is small enough. */
const SHALLOWER = [6, 3, 1];
/** Characters of JSON. */
const LARGEST = 100_000;
const MOST_NODES = 20_000;
const LONGEST_NOTE = 1_000;
const MOST_INLINED = 3;
const LONGEST_PATTERN = 1_000;

const KNOWN = new WeakMap<Json, SendableSchema>();

export function sendableSchema(schema: Json): SendableSchema {
  let known = KNOWN.get(schema);
  if (!known) {
    known = make(schema);
    KNOWN.set(schema, known);
  }
  return known;
}

function make(schema: Json): SendableSchema {
  let made = new Maker(schema, DEEPEST).make();
  for (const deepest of SHALLOWER) {
    if (JSON.stringify(made.parameters).length <= LARGEST) break;
    made = new Maker(schema, deepest).make();
  }
  return made;
}

/** Schemas in a map by name. */
const MAPS: ReadonlySet<string> = new Set(['$defs', 'definitions', 'dependentSchemas', 'patternProperties']);
const SCHEMAS: ReadonlySet<string> = new Set([
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
]);
const LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const COUNTS: ReadonlySet<string> = new Set([
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minContains',
  'maxContains',
]);
const TEXTS: ReadonlySet<string> = new Set(['title', 'description', 'format', 'contentEncoding', 'contentMediaType']);
const FLAGS: ReadonlySet<string> = new Set(['uniqueItems', 'deprecated', 'readOnly', 'writeOnly']);
/** They say where a schema is from, or are written in another way below. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  '$recursiveRef',
  '$recursiveAnchor',
  '$vocabulary',
  '$comment',
  'nullable',
  'additionalItems',
]);

const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const OTHER_TYPES: Readonly<Record<string, string>> = {
  str: 'string',
  text: 'string',
  int: 'integer',
  long: 'integer',
  float: 'number',
  double: 'number',
  bool: 'boolean',
  dict: 'object',
  map: 'object',
  list: 'array',
  tuple: 'array',
  none: 'null',
};

class Maker {
  readonly #root: Json;
  readonly #deepest: number;
  #nodes = 0;
  #inlined = 0;
  readonly #notes: string[] = [];

  constructor(root: Json, deepest: number) {
    this.#root = root;
    this.#deepest = deepest;
  }

  make(): SendableSchema {
    const flat = this.#flatten(this.#root, true);
    // Above the others, where it is missing.
    const typed = flat.type === 'object' ? flat : { ...flat, type: 'object' };
    const parameters = isObject(typed.properties) ? typed : { ...typed, properties: {} };
    return { parameters, note: this.#notes.join(' ').slice(0, LONGEST_NOTE).toWellFormed() };
  }

  /** An object's schema without alternatives, parts or references of its own. */
  #flatten(given: Json, tell: boolean, depth = 0): Json {
    const schema = this.#follow(given);
    if (depth > MOST_INLINED) return this.#node(objectOf(schema), depth);
    const { anyOf, oneOf, allOf, not, enum: _, const: __, if: condition, then, else: otherwise, ...rest } = schema;
    const hidden = { not, if: condition, then, else: otherwise };
    if (tell && Object.values(hidden).some((each) => each !== undefined)) {
      this.#notes.push(`The arguments must also fit this JSON schema: ${JSON.stringify(hidden)}`);
    }
    let base = this.#node(rest, depth);
    for (const part of listOf(allOf)) base = together(base, this.#flatten(objectOf(part), tell, depth + 1));
    for (const choices of [listOf(anyOf), listOf(oneOf)]) {
      if (choices.length === 0) continue;
      const flat = choices.map((choice) => this.#flatten(objectOf(choice), false, depth + 1));
      if (tell && flat.length > 1) this.#notes.push(describeChoices(flat));
      base = either(base, flat);
    }
    return base;
  }

  /** A local reference replaced by its target. */
  #follow(given: Json): Json {
    let at = given;
    for (let hops = 0; typeof at.$ref === 'string'; hops++) {
      const { $ref, ...beside } = at;
      const target = hops < MOST_REFERENCES ? findReferenced(this.#root, at.$ref) : null;
      at = target && target !== this.#root ? { ...target, ...beside } : beside;
    }
    return at;
  }

  #schema(given: unknown, depth: number): unknown {
    if (typeof given === 'boolean') return given;
    return this.#node(objectOf(given), depth);
  }

  #node(given: Json, depth: number): Json {
    if (depth > this.#deepest || ++this.#nodes > MOST_NODES) return {};
    if (given.$ref !== undefined) return this.#reference(given, depth);
    const made: Record<string, unknown> = {};
    const remarks: string[] = [];
    for (const [key, value] of Object.entries(given)) {
      if (LEFT_OUT.has(key) || key === '__proto__') continue;
      const read = this.#keyword(key, value, given, depth, remarks);
      if (read !== undefined) made[key] = read;
    }
    return this.#finish(made, given, depth, remarks);
  }

  /** Undefined where the value means nothing. */
  #keyword(key: string, value: unknown, given: Json, depth: number, remarks: string[]): unknown {
    if (key === 'properties') return this.#properties(objectOf(value), depth);
    if (key === 'type') return typesFrom(value);
    if (key === 'required') return requiredFrom(value, given);
    if (MAPS.has(key)) return this.#map(value, depth, key === 'patternProperties');
    if (LISTS.has(key)) {
      const schemas = listOf(value).map((each) => this.#schema(each, depth + 1));
      return schemas.length > 0 ? schemas : undefined;
    }
    if (SCHEMAS.has(key)) return isSchema(value) ? this.#schema(value, depth + 1) : undefined;
    if (key === 'items')
      return Array.isArray(value) ? undefined : isSchema(value) ? this.#schema(value, depth + 1) : undefined;
    if (key === 'enum') return Array.isArray(value) && value.length > 0 ? distinct(value) : undefined;
    if (key === 'minimum' || key === 'maximum') {
      // The older way: the limit itself is not allowed.
      const isExcluded = given[key === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum'] === true;
      return typeof value === 'number' && !isExcluded ? value : undefined;
    }
    if (key === 'exclusiveMinimum') return value === true ? numberOr(given.minimum) : numberOr(value);
    if (key === 'exclusiveMaximum') return value === true ? numberOr(given.maximum) : numberOr(value);
    if (key === 'multipleOf') return typeof value === 'number' && value > 0 ? value : undefined;
    if (COUNTS.has(key)) return Number.isInteger(value) && Number(value) >= 0 ? value : undefined;
    if (TEXTS.has(key)) return typeof value === 'string' ? value : undefined;
    if (FLAGS.has(key)) return typeof value === 'boolean' ? value : undefined;
    if (key === 'pattern') {
      if (isPattern(value)) return value;
      if (typeof value === 'string') remarks.push(`Pattern: ${value.slice(0, LONGEST_PATTERN)}`);
      return undefined;
    }
    if (key === 'default' && value === null) return undefined;
    if (key === 'examples') return Array.isArray(value) ? value : undefined;
    return value;
  }

  #properties(own: Json, depth: number): Json {
    const sent = sentNames(Object.keys(own));
    return Object.fromEntries(
      Object.entries(own).map(([name, schema]) => {
        // A boolean here is understood by few.
        const made = objectOf(this.#schema(isObject(schema) ? schema : {}, depth + 1));
        const shown = sent.get(name) ?? name;
        return [shown, shown === name ? made : withRemarks(made, [`Named ${JSON.stringify(name)}.`])];
      }),
    );
  }

  #map(value: unknown, depth: number, byPattern: boolean): Json | undefined {
    if (!isObject(value)) return undefined;
    const entries = Object.entries(value).filter(([name]) => name !== '__proto__' && (!byPattern || isPattern(name)));
    return Object.fromEntries(entries.map(([name, schema]) => [name, this.#schema(schema, depth + 1)]));
  }

  #finish(made: Record<string, unknown>, given: Json, depth: number, remarks: readonly string[]): Json {
    if (Array.isArray(given.items)) {
      made.prefixItems = given.items.map((each) => this.#schema(each, depth + 1));
      if (isSchema(given.additionalItems)) made.items = this.#schema(given.additionalItems, depth + 1);
    }
    if (given.exclusiveMinimum === true && made.exclusiveMinimum === undefined) delete made.exclusiveMinimum;
    if (given.nullable === true && made.type !== undefined) made.type = distinct([made.type, 'null'].flat());
    if (Array.isArray(made.enum) && given.nullable === true) made.enum = distinct([...made.enum, null]);
    if (Array.isArray(made.enum) && made.type !== undefined) {
      const types = [made.type].flat();
      const more = made.enum
        .map(typeOf)
        .filter((type) => !types.includes(type) && !(type === 'integer' && types.includes('number')));
      if (more.length > 0) made.type = distinct([...types, ...more]);
    }
    if ([made.type].flat().includes('array') && made.items === undefined) made.items = {};
    const needed = Object.entries(objectOf(given.properties)).flatMap(([name, each]) =>
      objectOf(each).required === true ? [name] : [],
    );
    const required = distinct([...listOf(made.required), ...needed]);
    if (required.length > 0) {
      const sent = sentNames(Object.keys(objectOf(given.properties)));
      made.required = required.map((name) => sent.get(String(name)) ?? name);
    }
    if (isObject(made.properties) && required.length > 0) {
      const undeclared = listOf(made.required).filter(
        (name) => !Object.hasOwn(objectOf(made.properties), String(name)),
      );
      if (undeclared.length > 0) {
        made.properties = { ...made.properties, ...Object.fromEntries(undeclared.map((name) => [String(name), {}])) };
      }
    }
    return withRemarks(made, remarks);
  }

  /** Kept where it will resolve; its target otherwise. */
  #reference({ $ref, ...beside }: Json, depth: number): Json {
    const target = typeof $ref === 'string' ? findReferenced(this.#root, $ref) : null;
    const rest = this.#node(beside, depth);
    if (!target) return typeof $ref === 'string' ? withRemarks(rest, [`As ${$ref.slice(0, 200)} says.`]) : rest;
    if ($ref === '#' || /^#\/(?:\$defs|definitions)\/[^/]+$/.test(String($ref))) return { $ref, ...rest };
    if (this.#inlined >= MOST_INLINED) return rest;
    this.#inlined++;
    const made = this.#node(target, depth + 1);
    this.#inlined--;
    return { ...made, ...rest };
  }
}

const isSchema = (value: unknown): boolean => typeof value === 'boolean' || isObject(value);

const numberOr = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

function typesFrom(value: unknown): unknown {
  const named = [value].flat().map((type) => {
    return typeof type === 'string' && !TYPES.has(type)
      ? (ownOf(OTHER_TYPES, type.toLowerCase()) ?? type.toLowerCase())
      : type;
  });
  const types = distinct(named.filter((type) => TYPES.has(type)));
  // One that does not exist allows anything.
  if (types.length < distinct(named).length || types.length === 0) return undefined;
  return Array.isArray(value) && types.length > 1 ? types : types[0];
}

function requiredFrom(value: unknown, given: Json): unknown {
  if (!Array.isArray(value)) return undefined;
  const names = distinct(value.filter((name) => typeof name === 'string'));
  return names.length > 0 || isObject(given.properties) ? names : undefined;
}

/** It compiles, and other languages have its parts too. */
function isPattern(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > LONGEST_PATTERN || /\\[pPzZGKQE]|\(\?[<P>#+i-]|\[\[:/.test(value))
    return false;
  try {
    new RegExp(value, 'u');
    return true;
  } catch {
    return false;
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function distinct<T>(values: readonly T[]): T[] {
  const seen = new Set<string>();
  return values.filter((value) => {
    const text = JSON.stringify(value);
    return !seen.has(text) && seen.add(text);
  });
}

function withRemarks(schema: Json, remarks: readonly string[]): Json {
  if (remarks.length === 0) return schema;
  const said = typeof schema.description === 'string' ? [schema.description] : [];
  return { ...schema, description: [...said, ...remarks].join(' ') };
}

/** Both hold. */
function together(one: Json, other: Json): Json {
  const [first, second] = [objectOf(one.properties), objectOf(other.properties)];
  const properties: Record<string, unknown> = { ...first };
  for (const [name, schema] of Object.entries(second)) {
    const before = ownOf(first, name);
    properties[name] = before === undefined || isEqual(before, schema) ? schema : { allOf: [before, schema] };
  }
  // Closed parts would exclude each other's fields.
  const { additionalProperties: _, ...rest } = { ...other, ...one };
  const required = distinct([...listOf(one.required), ...listOf(other.required)]);
  return { ...rest, properties, ...(required.length > 0 ? { required } : {}) };
}

/** The fields of all choices; those that each needs are needed. */
function either(base: Json, choices: readonly Json[]): Json {
  const byName = new Map<string, unknown[]>();
  for (const { properties } of choices) {
    for (const [name, schema] of Object.entries(objectOf(properties))) {
      const known = byName.get(name) ?? [];
      if (!known.some((each) => isEqual(each, schema))) byName.set(name, [...known, schema]);
    }
  }
  const own = objectOf(base.properties);
  const properties: Record<string, unknown> = { ...own };
  for (const [name, schemas] of byName) {
    if (Object.hasOwn(own, name)) continue;
    properties[name] = schemas.length === 1 ? schemas[0] : { anyOf: schemas };
  }
  const [first, ...others] = choices.map(({ required }) => listOf(required));
  const everywhere = (first ?? []).filter((name) => others.every((names) => names.includes(name)));
  const required = distinct([...listOf(base.required), ...everywhere]);
  const { additionalProperties, ...rest } = base;
  const isClosed = additionalProperties !== undefined && byName.size === 0;
  return {
    ...rest,
    properties,
    ...(required.length > 0 ? { required } : {}),
    ...(isClosed ? { additionalProperties } : {}),
  };
}

function describeChoices(choices: readonly Json[]): string {
  const sets = choices.map(({ required, properties }) => {
    const names = listOf(required).length > 0 ? listOf(required) : Object.keys(objectOf(properties));
    return `(${names.map(String).join(', ')})`;
  });
  return `Give the fields of one of these sets: ${distinct(sets).join(' or ')}.`;
}

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
