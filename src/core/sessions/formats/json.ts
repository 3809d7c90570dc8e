/** Reading values of foreign files: nothing of them is trusted to have the shape it should. */

import { asText, isObject, listOf, objectOf } from '../../json.ts';

export function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

/** JSON text of a call's arguments, which some programs store as text and some as a value. */
export function argumentsOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? {});
}

/** A message's content: text, or parts of which each has a text; a part without one is named by its type. */
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
