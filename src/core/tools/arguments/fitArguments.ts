/**
 * Brings arguments into the form that a schema wants wherever that keeps their meaning: one pass, guided by the schema alone.
 * A value with two readings stays as it is, and its fault is named. Bounded in steps and depth.
 */

import { DEEPEST, isObject, isTooDeep, type Json, listOf, objectOf, ownOf, parseJson } from '../../json.ts';
import { readLooseJson } from './looseJson.ts';
import { allowedBy, isClosed, isOfType, isSame, requiredBy, SchemaReader, typesOf } from './schemaFaults.ts';
import { sentNames } from './sentNames.ts';
import { isAlias, isComment, isPlace, plainName } from './usualNames.ts';

export interface FitOptions {
  readonly toolName: string;
  /** The text that the model wrote. */
  readonly written: string;
  /** Leaving out a field, or a part of a number, changes nothing outside: the tool only reads. */
  readonly onlyReads: boolean;
}

export interface Fitted {
  readonly value: unknown;
  /** Names what was left out, in words for the model. */
  readonly remarks: readonly string[];
}

/** Fields in one object that are looked up by another name. */
const MOST_STRAYS = 50;
const MOST_WRAPPERS = 4;

const WRAPPERS: ReadonlySet<string> = new Set([
  'arguments',
  'args',
  'input',
  'inputs',
  'parameters',
  'params',
  'toolinput',
  'toolarguments',
  'kwargs',
  'payload',
]);
const NAMING: ReadonlySet<string> = new Set([
  'name',
  'tool',
  'toolname',
  'function',
  'functionname',
  'recipientname',
  'type',
  'id',
]);

export function fitArguments(given: unknown, schema: Json, options: FitOptions): Fitted {
  const fitter = new Fitter(schema, options);
  const value = fitter.fit(unwrap(given, schema, options.toolName), schema);
  return { value, remarks: fitter.remarks };
}

/** Takes off what models put around arguments: text, a list of one, a field of their own. */
function unwrap(given: unknown, schema: Json, toolName: string): unknown {
  let value = given;
  for (let layer = 0; layer < MOST_WRAPPERS; layer++) {
    const inner = innerOf(value, schema, toolName);
    if (inner === undefined) break;
    value = inner;
  }
  return value;
}

function innerOf(value: unknown, schema: Json, toolName: string): unknown {
  if (typeof value === 'string') return structureIn(value);
  if (Array.isArray(value)) return value.length === 1 && isObject(value[0]) ? value[0] : undefined;
  if (!isObject(value)) return undefined;
  const properties = objectOf(schema.properties);
  const names = Object.keys(value);
  if (names.length === 0 || names.length > 4 || names.some((name) => Object.hasOwn(properties, name))) {
    // `name` may be a field of the tool and the name of the tool.
    if (!names.some((name) => WRAPPERS.has(plainName(name)) && !Object.hasOwn(properties, name))) return undefined;
  }
  const wrappers = names.filter(
    (name) => !Object.hasOwn(properties, name) && (WRAPPERS.has(plainName(name)) || name === toolName),
  );
  const [wrapper] = wrappers;
  if (wrapper === undefined || wrappers.length > 1) return undefined;
  const around = names.filter((name) => name !== wrapper);
  if (!around.every((name) => NAMING.has(plainName(name)) && namesCall(value[name], toolName))) return undefined;
  const inner = value[wrapper];
  if (isObject(inner)) return inner;
  return typeof inner === 'string' ? structureIn(inner) : undefined;
}

const namesCall = (value: unknown, toolName: string): boolean =>
  value === toolName || value === 'function' || value === 'tool_use' || value === `functions.${toolName}`;

/** The object or list that a text holds as JSON; undefined when it holds none. */
function structureIn(text: string): unknown {
  const trimmed = text.trim();
  if (!/^(?:[[{"]|```)/.test(trimmed)) return undefined;
  const value = parseJson(trimmed) ?? readLooseJson(trimmed);
  if (typeof value === 'string') return value === text ? undefined : structureIn(value);
  return typeof value === 'object' && value !== null ? value : undefined;
}

class Fitter {
  readonly remarks: string[] = [];
  readonly #schema: SchemaReader;
  readonly #options: FitOptions;
  #depth = 0;

  constructor(root: Json, options: FitOptions) {
    this.#schema = new SchemaReader(root);
    this.#options = options;
  }

  fit(value: unknown, schema: unknown): unknown {
    if (this.#depth >= DEEPEST) return value;
    this.#depth++;
    try {
      return this.#fit(value, this.#schema.follow(schema));
    } finally {
      this.#depth--;
    }
  }

  #fit(value: unknown, schema: Json): unknown {
    let fitted = this.#fitType(value, schema);
    if (isObject(fitted)) fitted = this.#fitObject(fitted, schema);
    else if (Array.isArray(fitted) && isObject(schema.items))
      fitted = fitted.map((each) => this.fit(each, schema.items));
    for (const part of listOf(schema.allOf)) fitted = this.fit(fitted, part);
    for (const choices of [listOf(schema.anyOf), listOf(schema.oneOf)]) fitted = this.#fitChoice(fitted, choices);
    return fitted;
  }

  /** The only reading that fits one of the choices. */
  #fitChoice(value: unknown, choices: readonly unknown[]): unknown {
    if (choices.length === 0 || choices.some((choice) => this.#schema.fits(value, choice))) return value;
    const readings: unknown[] = [];
    for (const choice of choices) {
      const kept = this.remarks.length;
      const reading = this.fit(value, choice);
      if (this.#schema.fits(reading, choice) && !readings.some((each) => isSame(each, reading))) readings.push(reading);
      else this.remarks.length = kept;
    }
    return readings.length === 1 ? readings[0] : value;
  }

  #fitType(value: unknown, schema: Json): unknown {
    const types = typesOf(schema);
    const allowed = allowedBy(schema);
    if (allowed && !allowed.some((each) => isSame(each, value))) {
      const found = allowed.filter((each) => saysTheSame(each, value));
      if (found.length === 1) return found[0];
    }
    if (types.length === 0) return value;
    if (types.some((type) => isOfType(value, type))) {
      return typeof value === 'number' ? this.#fitRange(value, schema) : value;
    }
    const readings = this.#readings(value, types, schema);
    return readings.length === 1 ? readings[0] : value;
  }

  /** Different readings of a value that is of no wanted type. */
  #readings(value: unknown, types: readonly string[], schema: Json): readonly unknown[] {
    const readings: unknown[] = [];
    const add = (reading: unknown) => {
      if (reading !== undefined && !readings.some((each) => isSame(each, reading))) readings.push(reading);
    };
    for (const type of types) {
      if (typeof value === 'string') add(readText(value, type));
      else if (type === 'string') add(this.#asText(value));
      if (type === 'array' && !Array.isArray(value))
        add(readings.length === 0 ? this.#asList(value, schema) : undefined);
    }
    if (readings.length > 0 || !Array.isArray(value) || value.length !== 1) return readings;
    const [only] = value;
    if (types.some((type) => isOfType(only, type))) add(only);
    return readings;
  }

  /** Undefined for a number that was written in another way, as in a version `1.10`. */
  #asText(value: unknown): string | undefined {
    if (typeof value === 'boolean') return String(value);
    if (typeof value !== 'number' || !isWrittenAs(String(value), this.#options.written)) return undefined;
    return String(value);
  }

  #asList(value: unknown, schema: Json): readonly unknown[] | undefined {
    if (value === null || value === '') return undefined;
    // It may be several in one text.
    if (typeof value === 'string' && /[\n,;]/.test(value) && !value.includes('{')) return undefined;
    const one = isObject(schema.items) ? this.fit(value, schema.items) : value;
    return this.#schema.fits(one, schema.items ?? {}) ? [one] : undefined;
  }

  /** More than there can be is as much as there can be, for a tool that only reads. */
  #fitRange(value: number, { maximum }: Json): number {
    if (!this.#options.onlyReads || typeof maximum !== 'number' || value <= maximum) return value;
    this.remarks.push(`${value} is more than the most that is allowed here: ${maximum} was taken.`);
    return maximum;
  }

  #fitObject(value: Json, schema: Json): Json {
    const named = this.#rename(value, schema);
    const properties = objectOf(schema.properties);
    const required = new Set(requiredBy(schema));
    const entries: [string, unknown][] = [];
    for (const [name, each] of Object.entries(named)) {
      const declared = ownOf(properties, name);
      if (declared === undefined) {
        if (!isClosed(schema) || contradicts(name, named, properties) || !this.#leaveOut(name, each))
          entries.push([name, each]);
        continue;
      }
      const isNothing = each === null || (typeof each === 'string' && /^(?:null|None)$/.test(each.trim()));
      if (isNothing && !required.has(name) && !this.#schema.fits(each, declared)) continue;
      // No path is a truth value.
      const isMistaken = isPlace(name) && (Array.isArray(each) ? each : [each]).some((one) => typeof one === 'boolean');
      entries.push([name, isMistaken ? each : this.fit(each, declared)]);
    }
    return Object.fromEntries(entries);
  }

  /** Whether the schema's tool can do without a field that it does not know. */
  #leaveOut(name: string, value: unknown): boolean {
    if (name === '__proto__') return false;
    if (value === null) return true;
    if (!this.#options.onlyReads && !isComment(name)) return false;
    this.remarks.push(`"${name}" is no field of ${this.#options.toolName}; it was ignored.`);
    return true;
  }

  /** Fields under another name get their own, where only one can be meant. */
  #rename(value: Json, schema: Json): Json {
    const properties = objectOf(schema.properties);
    const strays = Object.keys(value).filter((name) => !Object.hasOwn(properties, name));
    if (strays.length === 0 || strays.length > MOST_STRAYS) return value;
    const required = new Set(requiredBy(schema));
    const closed = isClosed(schema);
    const renamed = new Map<string, string>();
    const taken = new Set(Object.keys(value));
    const targetsOf = (stray: string): readonly string[] => {
      const open = Object.keys(properties).filter((name) => !taken.has(name));
      const sent = [...sentNames(Object.keys(properties))].flatMap(([own, name]) => (name === stray ? [own] : []));
      if (sent.length > 0) return sent.filter((name) => !taken.has(name));
      const same = open.filter((name) => plainName(name) === plainName(stray) && plainName(name) !== '');
      if (same.length > 0) return same;
      // A tool that takes any field may mean this one.
      const aliases = open.filter((name) => (closed || required.has(name)) && isAlias(stray, name));
      const needed = aliases.filter((name) => required.has(name));
      return needed.length > 0 ? needed : aliases;
    };
    // Each that is settled may settle another.
    for (let settled = true; settled; ) {
      settled = false;
      const left = strays.filter((stray) => !renamed.has(stray));
      const wanted = new Map<string, string[]>();
      for (const stray of left) {
        const targets = targetsOf(stray);
        const [target] = targets;
        if (target !== undefined && targets.length === 1) wanted.set(target, [...(wanted.get(target) ?? []), stray]);
      }
      for (const [target, by] of wanted) {
        const [stray] = by;
        if (stray === undefined || by.some((each) => !isSame(value[each], value[stray]))) continue;
        for (const each of by) renamed.set(each, target);
        taken.add(target);
        settled = true;
      }
    }
    // The same said twice under two names.
    const entries = Object.entries(value).flatMap(([name, each]): [string, unknown][] => {
      const target = renamed.get(name) ?? name;
      const twin =
        strays.includes(name) &&
        target === name &&
        Object.keys(properties).find(
          (own) =>
            Object.hasOwn(value, own) &&
            isSame(value[own], each) &&
            (plainName(own) === plainName(name) || isAlias(name, own)),
        );
      return twin && closed ? [] : [[target, each]];
    });
    return Object.fromEntries(entries);
  }
}

/** It names an argument that was given under its own name: which of the two is meant cannot be known. */
function contradicts(stray: string, given: Json, properties: Json): boolean {
  return Object.keys(properties).some((own) => Object.hasOwn(given, own) && isAlias(stray, own) && !isComment(stray));
}

function readText(text: string, type: string): unknown {
  const trimmed = text.trim();
  switch (type) {
    case 'integer':
    case 'number': {
      if (!/^-?(?:0|[1-9]\d{0,30})(?:\.\d{1,30})?$/.test(trimmed)) return undefined;
      const number = Number(trimmed);
      if (type === 'integer' && !Number.isSafeInteger(number)) return undefined;
      // More digits than a number keeps.
      return trimmed.replace(/^-|\./g, '').replace(/^0+/, '').length > 15 ? undefined : number;
    }
    case 'boolean':
      return /^true$/i.test(trimmed) ? true : /^false$/i.test(trimmed) ? false : undefined;
    case 'array':
    case 'object': {
      const value = structureIn(trimmed);
      return value !== undefined && isOfType(value, type) && !isTooDeep(value) ? value : undefined;
    }
    default:
      return undefined;
  }
}

/** Whether the number stands in the text as these digits. */
function isWrittenAs(digits: string, written: string): boolean {
  for (let at = written.indexOf(digits); at >= 0; at = written.indexOf(digits, at + digits.length)) {
    const [before = '', after = ''] = [written[at - 1], written[at + digits.length]];
    if (!/[\w.+-]/.test(before) && !/[\w.+-]/.test(after)) return true;
  }
  return false;
}

/** A choice in other letters, quotes or as a number. */
function saysTheSame(choice: unknown, value: unknown): boolean {
  if (typeof choice === 'string' && typeof value === 'string') {
    const plain = (text: string) =>
      text
        .trim()
        .replace(/^(["'`])(.*)\1$/s, '$2')
        .replace(/[\s_-]+/g, '_')
        .toLowerCase();
    return value.length < 1_000 && plain(choice) === plain(value);
  }
  if (typeof choice === 'string')
    return (typeof value === 'number' || typeof value === 'boolean') && String(value) === choice;
  return (
    typeof value === 'string' &&
    (typeof choice === 'number' || typeof choice === 'boolean') &&
    value.trim() === String(choice)
  );
}
