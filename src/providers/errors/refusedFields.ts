/**
 * Reads which fields of a request a refusal names: pydantic's `loc`, Google's `fieldViolations`, OpenAI's `param`, JSON
 * Schema's paths, and the same written into a text. Pure, bounded, linear; never throws.
 */

import type { RefusedField } from '../../core/errors.ts';
import { asRecord, asText, type Json, listOf, parseJson } from '../../core/json.ts';

const MOST_FIELDS = 50;
const MOST_VALUES = 2_000;
const LONGEST_PATH = 300;
const LONGEST_REMARK = 500;
/** Characters of one text. */
const LONGEST_TEXT = 65_536;
/** JSON inside of a text inside of JSON. */
const DEEPEST_TEXT = 4;

/** Copies of the request, and addresses. */
const ECHOES = /^(input|ctx|url|request|headers|documentation_url|request_?id|stack|trace)$/i;

/** In the order in which the refusal names them; `path` is written `messages.0.content`, without `body`. */
export function readRefusedFields(body: unknown): readonly RefusedField[] {
  const found: RefusedField[] = [];
  const add = (given: string, says: string) => {
    const path = plainPath(given);
    if (path === '' || found.length >= MOST_FIELDS || found.some((field) => field.path === path)) return;
    found.push({ path, says: says.slice(0, LONGEST_REMARK) });
  };
  let left = MOST_VALUES;
  const texts: { readonly text: string; readonly depth: number }[] = [];
  let level: { readonly value: unknown; readonly depth: number }[] = [{ value: body, depth: 0 }];
  while (level.length > 0 && left > 0) {
    const next: typeof level = [];
    for (const { value, depth } of level) {
      if (left-- <= 0) break;
      if (typeof value === 'string') texts.push({ text: value, depth });
      if (typeof value !== 'object' || value === null) continue;
      const record = asRecord(value);
      if (record) readRecord(record, add);
      for (const [key, held] of Object.entries(value).slice(0, left)) {
        if (!ECHOES.test(key)) next.push({ value: held, depth });
      }
    }
    level = next;
    // A gateway's message may hold the whole refusal of another server.
    if (level.length > 0) continue;
    for (const { text, depth } of texts.splice(0)) {
      const inner = depth < DEEPEST_TEXT ? jsonIn(text) : undefined;
      if (inner === undefined) readText(text, add);
      else level.push({ value: inner, depth: depth + 1 });
    }
  }
  return found;
}

type Add = (path: string, says: string) => void;

/** The entry of a list of errors, with its place. */
export function describeEntry(entry: Json): string {
  const fields: RefusedField[] = [];
  readRecord(entry, (path, says) => fields.push({ path: plainPath(path), says }));
  return withPlaces(
    asText(entry.msg) || asText(entry.message),
    fields.filter(({ path }) => path !== ''),
  );
}

function readRecord(record: Json, add: Add): void {
  const says = asText(record.msg) || asText(record.message) || asText(record.description) || asText(record.reason);
  const place = [record.loc, record.path, record.instancePath ?? record.dataPath ?? record.pointer].find(isPlace);
  const extra = asText(asRecord(record.params)?.additionalProperty);
  const keys = listOf(record.keys).filter((key) => typeof key === 'string');
  const path = place === undefined ? '' : pathOf(place);
  for (const key of extra ? [extra] : keys) add([path, key].filter(Boolean).join('.'), says);
  if (path && !extra && keys.length === 0) add(path, says);
  // Keyed by field, as ASP.NET and Rails report them.
  for (const [field, texts] of Object.entries(asRecord(record.errors) ?? {}))
    if (listOf(texts).length > 0 && listOf(texts).every((each) => typeof each === 'string'))
      add(field, listOf(texts).join('; '));
  for (const name of ['param', 'parameter', 'field', 'property', 'argument', 'attribute']) {
    const held = asText(record[name]);
    if (/^[\w$.[\]/-]{1,300}$/.test(held)) add(held, says);
  }
}

/** Not the address of the request, which some servers report as `path`. */
function isPlace(value: unknown): boolean {
  if (Array.isArray(value))
    return value.length > 0 && value.every((part) => ['string', 'number'].includes(typeof part));
  return (
    /^[\w$.[\]#/-]{1,300}$/.test(asText(value)) &&
    !/^\/?(v\d|api|openai|chat\/completions|responses$|messages$)/.test(asText(value))
  );
}

/** The text with the places that it does not mention. */
export function withPlaces(text: string, fields: readonly RefusedField[]): string {
  const missing = fields.map(({ path }) => path).filter((path) => !text.includes(path.split('.').at(-1) ?? path));
  if (missing.length === 0) return text;
  const places = missing.slice(0, MOST_SHOWN).join(', ');
  if (text === '') return places;
  return text.length > LONG_TEXT ? `${places}: ${text}` : `${text} (${places})`;
}

const MOST_SHOWN = 5;
/** Such a text may be cut when it is shown. */
const LONG_TEXT = 200;

function pathOf(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join('.') : asText(value);
}

/** `body.messages[0].content`, `/messages/0/content` and `$.messages[0]['content']` alike. */
function plainPath(given: string): string {
  return given
    .slice(0, LONGEST_PATH)
    .replace(/[[\]/#$'"]+/g, '.')
    .split('.')
    .filter(Boolean)
    .join('.')
    .replace(/^(body|request|requestBody|root|json|query)\.(?=.)/i, '')
    .replace(/^body$/i, '');
}

/** JSON that a text consists of, or that follows some words. */
function jsonIn(text: string): unknown {
  const from = text.search(/[[{]/);
  if (from < 0) return undefined;
  const to = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  const parsed = parseJson(text.slice(from, to + 1));
  return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
}

/** Of Python's or JSON's form, whole or cut off. */
const LOC = /['"](?:loc|path)['"]\s*:\s*[[(]([^\])]{1,300})[\])]/g;
const REMARK = /['"]msg['"]\s*:\s*(?:'([^']{0,300})|"([^"]{0,300}))/;
/** The lines of a pydantic error that was printed. */
const PRINTED = /(?:^|\n)([\w.[\]-]{1,200})\n {1,8}([^\n]{1,300}?) ?\[type=/g;
const NAMED = /['"](?:param|field|parameter)['"]\s*:\s*['"]([\w.[\]-]{1,300})['"]/g;

/** A path with a colon at the beginning of a text or of a line. */
const LEADING = /(?:^|\n)((?:[a-z]\w{0,60})(?:\.[\w-]{1,60}){1,12}): ([^\n]{0,300})/gi;

function readText(whole: string, add: Add): void {
  const text = whole.slice(0, LONGEST_TEXT);
  for (const [, path = '', says = ''] of text.matchAll(LEADING)) add(path, says);
  for (const { 1: inside = '', index } of text.matchAll(LOC)) {
    const [, single, double] = REMARK.exec(text.slice(index, index + 800)) ?? [];
    add(
      inside
        .split(',')
        .map((part) => part.replace(/['"\s]/g, ''))
        .join('.'),
      single ?? double ?? '',
    );
  }
  for (const [, path = '', says = ''] of text.matchAll(PRINTED)) add(path, says);
  for (const [, path = ''] of text.matchAll(NAMED)) add(path, '');
}
