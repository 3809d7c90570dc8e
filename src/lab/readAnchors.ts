/**
 * Reads the agent's needs at a step from the arguments of its calls: paths, identifiers and lines it had to know. New
 * content is excluded, because the agent invents it. Another module decides whether an anchor is grounded.
 */

import { parseJson } from '../core/json.ts';
import { type AnchorKind, type AnchorName, findPaths, findWords, isCodeLike, MIN_LINE, pathName } from './anchors.ts';
import type { RecordedCall } from './session.ts';

/** The anchors of one assistant message's calls, without duplicates, in order of appearance. */
export function readAnchors(calls: readonly RecordedCall[]): AnchorName[] {
  const found = new Map<string, AnchorName>();
  const add = (kind: AnchorKind, text: string) => found.set(`${kind} ${text}`, { kind, text });
  for (const call of calls) {
    for (const field of readFields(call.function.arguments)) addField(field, add);
  }
  return [...found.values()];
}

/** The lines that each edit of a call has to repeat, one list for an old text or for a file of a patch. */
export function readEdits(call: RecordedCall): string[][] {
  const edits: string[][] = [];
  const take = (texts: readonly string[]) => {
    const lines = new Set<string>();
    addLines(texts.join('\n'), (_, line) => lines.add(line));
    if (lines.size > 0) edits.push([...lines]);
  };
  for (const { use, text } of readFields(call.function.arguments)) {
    if (use === 'old') take([text]);
    if (use !== 'other') continue;
    let context: string[] = [];
    for (const line of patchOf(text)) {
      if (line.kind === 'file') {
        take(context);
        context = [];
      } else if (line.kind === 'context') context.push(line.text);
    }
    take(context);
  }
  return edits;
}

/** Files that one call changes, by path name. */
export function readEditedFiles(call: RecordedCall): string[] {
  const fields = readFields(call.function.arguments);
  const names = new Set<string>();
  if (fields.some((field) => field.use === 'new' || field.use === 'old')) {
    for (const field of fields) if (field.use === 'place') addName(field.text, (name) => names.add(name));
  }
  for (const { text } of fields) {
    for (const line of patchOf(text)) if (line.kind === 'file') addName(line.text, (name) => names.add(name));
  }
  return [...names];
}

function addField(field: Field, add: (kind: AnchorKind, text: string) => void): void {
  switch (field.use) {
    case 'new':
      return;
    case 'place':
      addName(field.text, (name) => add('path', name));
      return;
    case 'old':
      addLines(field.text, add);
      addNames(field.text, add);
      return;
    case 'other': {
      const outside: string[] = [];
      for (const line of patchOf(field.text)) {
        if (line.kind === 'file') addName(line.text, (name) => add('path', name));
        else if (line.kind === 'context') {
          addLines(line.text, add);
          addNames(line.text, add);
        } else if (line.kind === 'outside') outside.push(line.text);
      }
      addNames(outside.join('\n'), add);
    }
  }
}

function addNames(text: string, add: (kind: AnchorKind, text: string) => void): void {
  for (const segments of findPaths(text)) {
    const name = pathName(segments);
    if (name) add('path', name);
  }
  for (const word of findWords(text)) if (isCodeLike(word)) add('identifier', word);
}

function addLines(text: string, add: (kind: AnchorKind, text: string) => void): void {
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    if (trimmed.length >= MIN_LINE) add('line', trimmed);
  }
}

/** For a field that holds one path: a bare file name counts, a bare folder is too generic. */
function addName(place: string, add: (name: string) => void): void {
  const segments = place
    .replace(/^[A-Za-z]:/, '')
    .split(/[\\/]+/)
    .filter((segment) => segment !== '' && segment !== '.');
  const name = pathName(segments);
  if (name && (segments.length > 1 || /\w\.[A-Za-z]/.test(name))) add(name);
}

type PatchLine = { readonly kind: 'file' | 'context' | 'new' | 'outside'; readonly text: string };

/** The lines of a text, with those inside `*** Begin Patch … *** End Patch` marked. */
function* patchOf(text: string): Generator<PatchLine> {
  if (!text.includes('*** Begin Patch')) {
    yield { kind: 'outside', text };
    return;
  }
  let inside = false;
  for (const line of text.split('\n')) {
    const file = /^\*\*\* (?:Add|Update|Delete) File: (.*)|^\*\*\* Move to: (.*)/.exec(line);
    if (line.startsWith('*** Begin Patch')) inside = true;
    else if (line.startsWith('*** End Patch')) inside = false;
    else if (!inside) yield { kind: 'outside', text: line };
    else if (file) yield { kind: 'file', text: (file[1] ?? file[2] ?? '').trim() };
    else if (line.startsWith('+')) yield { kind: 'new', text: line.slice(1) };
    else if (line.startsWith('@@')) yield { kind: 'context', text: line.slice(2) };
    else yield { kind: 'context', text: line.slice(1) };
  }
}

/**
 * The strings inside a call's arguments, each with its use: new content is invented by the agent, old content must be
 * repeated exactly, a place names a file. Field names are those of common coding agents.
 */
type FieldUse = 'new' | 'old' | 'place' | 'other';

interface Field {
  readonly use: FieldUse;
  readonly text: string;
}

const NEW_CONTENT = new Set([
  'new_string',
  'new_str',
  'newText',
  'new_text',
  'content',
  'contents',
  'file_text',
  'replace',
  'replacement',
  'new_source',
  'insert_text',
]);

const OLD_CONTENT = new Set(['old_string', 'old_str', 'oldText', 'old_text', 'old_source', 'search', 'find']);
const PLACES = new Set(['file_path', 'path', 'filename', 'file_name', 'filePath', 'notebook_path']);

/** All string leaves in order. Arguments that are not a JSON object are one string of use `other`. */
export function readFields(args: string): Field[] {
  const fields: Field[] = [];
  // Codex writes a bare patch where others write JSON: the text itself is then the only field.
  collect(parseJson(args) ?? args, 'other', fields);
  return fields;
}

function collect(value: unknown, use: FieldUse, fields: Field[]): void {
  if (typeof value === 'string') fields.push({ use, text: value });
  else if (Array.isArray(value)) for (const one of value) collect(one, use, fields);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, one] of Object.entries(value)) collect(one, use === 'other' ? useOf(key) : use, fields);
  }
}

function useOf(key: string): FieldUse {
  if (NEW_CONTENT.has(key)) return 'new';
  if (OLD_CONTENT.has(key)) return 'old';
  return PLACES.has(key) ? 'place' : 'other';
}

/** A command that shows files, after one that only changes the folder. */
const SHOWS_FILES = /^\s*(?:cd\s+[^&;|]+(?:&&|;)\s*)?(?:cat|nl|sed\s+-n|head|tail|less|bat)\s/;

/** Files that one call shows, by path name. */
export function readShownFiles(call: RecordedCall): string[] {
  const fields = readFields(call.function.arguments);
  if (fields.some(({ use }) => use === 'new' || use === 'old')) return [];
  const names = new Set<string>();
  for (const { use, text } of fields) {
    if (use === 'place') addName(text, (name) => names.add(name));
    else if (SHOWS_FILES.test(text)) addNames(text, (kind, name) => kind === 'path' && names.add(name));
  }
  return [...names];
}
