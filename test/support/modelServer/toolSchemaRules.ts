/**
 * The rules of a tool's schema, as OpenAI ("Function calling", errors of `invalid_function_parameters`) and Anthropic ("Tool
 * use", errors of `tools.0.custom.input_schema`) enforce them. Pure: a schema goes in, the broken rules come out.
 */

import { Ajv2020 } from 'ajv/dist/2020.js';
import { isObject, type Json, listOf, objectOf } from '../../../src/core/json.ts';

const meta = new Ajv2020({ strict: false, logger: false, validateFormats: false });
const FIELD = /^[a-zA-Z0-9_.-]{1,64}$/;

export function findSchemaViolations(schema: unknown): string[] {
  const { $schema: _, ...root } = objectOf(schema);
  const found: string[] = [];
  if (root.type !== 'object') found.push(`schema must be a JSON Schema of 'type: "object"'`);
  if (!isObject(root.properties)) found.push('object schema missing properties');
  for (const key of ['oneOf', 'anyOf', 'allOf', 'enum', 'not'])
    if (key in root) found.push(`schema must not have '${key}' at the top level`);
  if (!meta.validateSchema(root))
    found.push(`it must match JSON Schema draft 2020-12: ${meta.errorsText(meta.errors)}`);
  walk(root, root, '', found);
  return found;
}

function walk(schema: Json, root: Json, at: string, found: string[]): void {
  if (typeof schema.$ref === 'string' && !resolves(schema.$ref, root))
    found.push(`${at}: reference ${schema.$ref} not found`);
  if ([schema.type].flat().includes('array') && schema.items === undefined)
    found.push(`${at}: array schema missing items`);
  if (Array.isArray(schema.enum) && typeof schema.type === 'string') {
    const fits = meta.compile({ type: schema.type });
    for (const value of schema.enum)
      if (!fits(value)) found.push(`${at}: enum value ${JSON.stringify(value)} does not fit`);
  }
  for (const [name, each] of Object.entries(objectOf(schema.properties))) {
    if (!FIELD.test(name)) found.push(`${at}.properties: Property keys should match pattern: ${name}`);
    walk(objectOf(each), root, `${at}.${name}`, found);
  }
  for (const name of listOf(schema.required))
    if (isObject(schema.properties) && !(String(name) in schema.properties))
      found.push(`${at}: required ${name} is not declared`);
  for (const key of ['$defs', 'definitions', 'patternProperties'])
    for (const [name, each] of Object.entries(objectOf(schema[key])))
      walk(objectOf(each), root, `${at}.${key}.${name}`, found);
  for (const key of ['anyOf', 'oneOf', 'allOf', 'prefixItems'])
    for (const [index, each] of listOf(schema[key]).entries())
      walk(objectOf(each), root, `${at}.${key}.${index}`, found);
  for (const key of ['items', 'not', 'additionalProperties', 'contains']) {
    if (isObject(schema[key])) walk(objectOf(schema[key]), root, `${at}.${key}`, found);
  }
}

function resolves(reference: string, root: Json): boolean {
  if (!reference.startsWith('#')) return false;
  let at: unknown = root;
  for (const step of reference.slice(1).split('/').slice(1)) at = objectOf(at)[step] ?? listOf(at)[Number(step)];
  return at !== undefined;
}

/** Any text with half of a surrogate pair or a NUL, also one that JSON inside of a text spells as an escape. */
export function findBrokenTexts(body: unknown, at = ''): string[] {
  if (typeof body === 'string') {
    const inner = /^[[{].*[\]}]$/s.test(body) ? read(body) : undefined;
    const own = body.isWellFormed() && !body.includes('\0') ? [] : [`${at}: not a valid text`];
    return [...own, ...(typeof inner === 'object' ? findBrokenTexts(inner, `${at}(JSON)`) : [])];
  }
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([name, each]) => [
    ...findBrokenTexts(name, `${at} name`),
    ...findBrokenTexts(each, `${at}.${name}`),
  ]);
}

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
