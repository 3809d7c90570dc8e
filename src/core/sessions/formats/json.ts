/** Reads values of foreign files: no value is trusted to have the expected shape. */

import type { ToolCall, Usage } from '../../context/message.ts';
import { asText, isObject, type Json, listOf, objectOf, parseObject } from '../../json.ts';
import type { RecordedAnswer, RecordedMessage } from '../recorded.ts';

export function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

/** JSON text of a call's arguments, which some programs store as text and some as a value. */
export function argumentsOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? {});
}

export function callOf(id: unknown, name: unknown, args: unknown): ToolCall {
  return { id: asText(id), name: asText(name), arguments: argumentsOf(args) };
}

/** An answer, without the fields that are empty. */
export function answerOf(text: string, reasoning: string, toolCalls: readonly ToolCall[]): RecordedAnswer {
  return {
    role: 'assistant',
    text,
    ...(reasoning ? { reasoning } : {}),
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
  };
}

export function resultOf(
  toolCallId: unknown,
  text: string,
  failed: boolean,
): Extract<RecordedMessage, { role: 'tool' }> {
  return { role: 'tool', toolCallId: asText(toolCallId), text, ...(failed ? { isError: true } : {}) };
}

/**
 * Of a provider that counts tokens read from the cache and written to it beside the others: here they are part of the
 * input. Null where nothing was counted.
 */
export function usageOf(input: unknown, read: unknown, written: unknown, output: unknown): Usage | null {
  const cached = countOf(read);
  const all = countOf(input) + cached + countOf(written);
  return all > 0 ? { input: all, cached, output: countOf(output), reasoning: 0 } : null;
}

/** A message's content: text, or parts with a text each; a part without text is replaced by its type. */
export function contentOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (isObject(value)) return contentOf(value.content ?? value.text ?? JSON.stringify(value));
  const texts = listOf(value).map((part) => {
    if (typeof part === 'string') return part;
    const { type, text } = objectOf(part);
    return typeof text === 'string' ? text : `[${asText(type) || 'part'}]`;
  });
  return texts.join('\n');
}

/** Parts of a content that hold what was typed. */
const TYPED: ReadonlySet<unknown> = new Set(['text', 'input_text', undefined]);

/**
 * A message in the user role: its text parts together, and each other part with a text, such as a file, a selection or a
 * resource, as a message of its own.
 */
export function saidIn(content: unknown): RecordedMessage[] {
  const parts = Array.isArray(content) ? content : [content];
  const isOther = (part: unknown) => isObject(part) && !TYPED.has(part.type) && typeof part.text === 'string';
  const own = parts.filter((part) => !isOther(part));
  const others = parts.filter(isOther).map(
    (part): RecordedMessage => ({
      role: 'user',
      kind: 'mention',
      text: asText(objectOf(part).text),
    }),
  );
  const text = Array.isArray(content) ? contentOf(own) : contentOf(content);
  return own.length > 0 || others.length === 0 ? [{ role: 'user', text }, ...others] : others;
}

/** Reads a list of JSON objects as far as possible: a program killed while writing leaves an unfinished list. */
interface ReadList {
  readonly items: Json[];
  /** False when the text ends before the list does. */
  readonly whole: boolean;
}

/** The list that is the whole text, or that is in `field` of the object there. */
export function readList(text: string, field: string): ReadList {
  const items: Json[] = [];
  let depth = 0;
  let begin = 0;
  let quoted = false;
  const first = findList(text, field);
  for (let at = first + 1; first >= 0 && at < text.length; at++) {
    const sign = text[at];
    if (quoted) {
      if (sign === '\\') at++;
      else if (sign === '"') quoted = false;
      continue;
    }
    if (sign === '"') quoted = true;
    else if (sign === '{' || sign === '[') {
      if (depth === 0) begin = at;
      depth++;
    } else if (sign === '}' || sign === ']') {
      if (depth === 0) return { items, whole: true };
      depth--;
      if (depth > 0) continue;
      // Balanced brackets that are not JSON: somebody edited the file by hand. The other items still count.
      const item = parseObject(text.slice(begin, at + 1));
      if (item) items.push(item);
    }
  }
  return { items, whole: false };
}

/** Where the list begins; -1 if it does not. */
function findList(text: string, field: string): number {
  const key = new RegExp(`"${field}"\\s*:\\s*\\[`, 'y');
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '[' && depth === 0) return at;
    if (sign === '{' || sign === '[') depth++;
    else if (sign === '}' || sign === ']') depth--;
    else if (sign === '"') {
      key.lastIndex = at;
      if (depth === 1 && key.test(text)) return key.lastIndex - 1;
      at = endOfText(text, at);
    }
  }
  return -1;
}

/** Where the text in quotes that begins at `from` ends. */
function endOfText(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}
