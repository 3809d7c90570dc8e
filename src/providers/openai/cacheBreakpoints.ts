/**
 * Where a request says that its prompt may be cached: behind its header, behind what the request before it ended with, and
 * at its own end, so that each request reads what the one before it wrote. Providers look for a written prefix only at
 * such a place and a number of blocks before it (Anthropic: 20), so that the middle place is exact, however many calls an
 * answer made. Pure.
 */

import { asRecord, asText, type Json } from '../../core/json.ts';

const MARK = { cache_control: { type: 'ephemeral' } };

/** The first is the system message. With `last` nothing will read what this request would add, so its end is not marked. */
export function placeBreakpoints(messages: readonly Json[], last: boolean): readonly Json[] {
  const newestAnswer = messages.findLastIndex(({ role }) => role === 'assistant');
  // Each request ended before the answer that it got.
  const ends = [newestAnswer - 1, ...(last ? [] : [messages.length - 1])];
  const marked = new Map<number, Json>();
  const system = messages[0]?.role === 'system' ? mark(messages[0]) : null;
  if (system) marked.set(0, system);
  for (const end of ends) {
    for (let at = end; at > 0 && !marked.has(at); at--) {
      const message = mark(messages[at] ?? {});
      if (message) marked.set(at, message);
      if (message) break;
    }
  }
  return messages.map((message, at) => marked.get(at) ?? message);
}

/** Null for a message without anything that may carry the mark: no provider takes it on an empty text. */
function mark(message: Json): Json | null {
  const { content } = message;
  if (!Array.isArray(content)) {
    const text = asText(content);
    return text.trim() ? { ...message, content: [{ type: 'text', text, ...MARK }] } : null;
  }
  const at = content.findLastIndex((part) => asRecord(part)?.type !== 'text' || asText(asRecord(part)?.text).trim());
  if (at < 0) return null;
  return { ...message, content: content.map((part, i) => (i === at ? { ...asRecord(part), ...MARK } : part)) };
}
