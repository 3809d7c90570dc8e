/**
 * The strings inside a call's arguments, each with what it is for: new content is what the agent makes up, old content
 * is what it must repeat to the letter, a place names a file. Field names are those of the usual coding agents.
 */

import { parseJson } from '../../core/json.ts';

type FieldUse = 'new' | 'old' | 'place' | 'other';

export interface Field {
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
