/**
 * Replaces texts in an entry and keeps the journal's structure: field names, kinds, ids, times and blob names. A secret
 * that is also a word of the structure damages nothing, and the entry keeps its meaning.
 */

import { stretchesOf } from '../context/authorship.ts';
import { inEnglish, words } from '../words.ts';
import type { Entry, FileImage } from './entry.ts';
import { REDACTED, TextRedaction } from './redactText.ts';

interface RedactedEntry {
  readonly entry: Entry;
  readonly changed: boolean;
  /** Number of texts replaced; renamed blobs do not count. */
  readonly count: number;
  /** Number of values removed whole, because they are nested too deeply to inspect. */
  readonly cut: number;
  /** Number of encrypted or signed reasoning items removed: they cannot be inspected, and are useless once changed. */
  readonly sealed: number;
  /** Number of files that can no longer be restored, because their content or path was redacted. */
  readonly unrestorable: number;
}

/** Fields whose texts the journal itself assigns or knows. */
const STRUCTURE: ReadonlySet<string> = new Set(
  (
    'type time seq parent format id ids nonce engine session writer prunedAt ' +
    'role kind op by direction cause purpose level action trigger strategy mime field mode'
  ).split(' '),
);

/** Names of blobs. */
const BLOBS: ReadonlySet<string> = new Set(['blob', 'before', 'after', 'bodySha256']);

/** Names that a call and its result, or a tool and its calls, must share. */
const NAMES: ReadonlySet<string> = new Set(['toolCallId', 'toolName']);

/** The lists whose `id` and `name` are such names. */
const NAMED: ReadonlySet<string> = new Set(['toolCalls', 'tools']);

/** Values opaque to the journal; in a JSON Schema, a type is a word of the schema. */
const FOREIGN: ReadonlySet<string> = new Set(['parameters', 'extra']);

const DEEPEST = 500;

const WHY = words('The file’s contents or its path were redacted.');

/** `renamed` maps a blob's name to that of its redacted copy. */
export function redactEntry(
  entry: Entry,
  secrets: readonly string[],
  renamed: ReadonlyMap<string, string>,
): RedactedEntry {
  const redaction = new TextRedaction(secrets);
  let moved = 0;
  let cut = 0;
  let unrestorable = 0;

  const cleanText = (text: string, key: string, list: string): string => {
    if (BLOBS.has(key)) {
      const name = renamed.get(text);
      if (name !== undefined) moved++;
      return name ?? text;
    }
    if (NAMES.has(key) || (NAMED.has(list) && (key === 'id' || key === 'name'))) return redaction.cleanName(text);
    return STRUCTURE.has(key) ? text : redaction.clean(text);
  };
  const cleanForeign = (value: unknown, key: string, depth: number): unknown => {
    if (typeof value === 'string') return key === 'type' ? value : redaction.clean(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > DEEPEST) {
      cut++;
      return REDACTED;
    }
    if (Array.isArray(value)) return value.map((each) => cleanForeign(each, '', depth + 1));
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cleanForeign(each, name, depth + 1)]));
  };
  /** A strategy's details are opaque: numbers and field names may be secrets too. */
  const cleanDetails = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return redaction.clean(value);
    if (typeof value === 'number') return redaction.holds(String(value)) ? redaction.clean(String(value)) : value;
    if (typeof value !== 'object' || value === null) return value;
    if (depth > DEEPEST) {
      cut++;
      return REDACTED;
    }
    if (Array.isArray(value)) return value.map((each) => cleanDetails(each, depth + 1));
    const fields = Object.entries(value).map(([name, each]) => [redaction.clean(name), cleanDetails(each, depth + 1)]);
    return Object.fromEntries(fields);
  };
  /** `key` is the field that holds the value, `list` the field that holds the object with that field. */
  const clean = (value: unknown, key: string, list: string, depth: number): unknown => {
    if (key === 'value' && list === 'details') return cleanDetails(value, depth);
    if (typeof value === 'string') return cleanText(value, key, list);
    if (typeof value !== 'object' || value === null) return value;
    if (FOREIGN.has(key) || depth > DEEPEST) return cleanForeign(value, '', depth);
    if (Array.isArray(value)) return value.map((each) => clean(each, key, list, depth + 1));
    const cleaned = Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, clean(each, name, key, depth + 1)]),
    );
    return key === 'files' ? cleanImage(value as FileImage, cleaned as unknown as FileImage) : cleaned;
  };
  const cleanImage = (image: FileImage, cleaned: FileImage): FileImage => {
    const { path, before, newFolder } = cleaned;
    const same = path === image.path && before === image.before && newFolder === image.newFolder;
    if (same || !image.restorable) return cleaned;
    unrestorable++;
    return { ...cleaned, restorable: false, reason: inEnglish(WHY), reasonWords: WHY };
  };

  const { entry: open, sealed } = withoutSealed(entry);
  const cleaned = clean(open, '', '', 0) as Entry;
  const { count } = redaction;
  return {
    entry: withPartsOf(open, cleaned, secrets),
    changed: count + moved + cut + sealed > 0,
    count,
    cut,
    sealed,
    unrestorable,
  };
}

/** Its parts as long as they are now. Parts that no longer fit leave nothing of the text to the person. */
function withPartsOf(before: Entry, cleaned: Entry, secrets: readonly string[]): Entry {
  if (before.type !== 'message' || cleaned.type !== 'message') return cleaned;
  const [was, is] = [before.message, cleaned.message];
  if (was.role !== 'user' || is.role !== 'user' || !was.parts || was.text === is.text) return cleaned;
  const redaction = new TextRedaction(secrets);
  const parts = stretchesOf(was).map(({ by, text }) => ({ by, length: redaction.clean(text).length }));
  return { ...cleaned, message: { ...is, parts } };
}

function withoutSealed(entry: Entry): { readonly entry: Entry; readonly sealed: number } {
  if (entry.type !== 'message' || entry.message.role !== 'assistant') return { entry, sealed: 0 };
  const { reasoning } = entry.message;
  if (!reasoning?.items?.length) return { entry, sealed: 0 };
  const { items, origin, ...readable } = reasoning;
  return { entry: { ...entry, message: { ...entry.message, reasoning: readable } }, sealed: items.length };
}
