/**
 * Which reasoning goes back to a model: that which came from it. What a provider encrypted or signed is of use to nobody
 * else, and may be private to the account that it was made for.
 */

import type { AssistantMessage, Message, Reasoning, ReasoningOrigin } from './message.ts';

/** Lowered: without its origin. `to` is who gets the request; null when that is not known. */
export function reasoningFor(message: AssistantMessage, to: ReasoningOrigin | null): Reasoning | null {
  const { reasoning, interrupted } = message;
  if (!reasoning || interrupted || !isFrom(reasoning, to)) return null;
  const { field, text, items } = reasoning;
  // Items go where they are known to come from. Words alone go back with the calls that they led to.
  if (items?.length && reasoning.origin && to) return { field, text, items };
  return message.toolCalls?.length ? { field, text } : null;
}

/** Before origins were kept, reasoning went to every model. */
function isFrom({ origin }: Reasoning, to: ReasoningOrigin | null): boolean {
  return !origin || !to || (origin.endpoint === to.endpoint && origin.model === to.model);
}

/** How many answers have reasoning that one model got back and another does not get. */
export function countLeftBehind(
  conversation: Iterable<{ readonly message: Message }>,
  from: ReasoningOrigin,
  to: ReasoningOrigin,
): number {
  let count = 0;
  for (const { message } of conversation) {
    if (message.role === 'assistant' && reasoningFor(message, from) && !reasoningFor(message, to)) count++;
  }
  return count;
}

/** Length of what only the provider can read. */
export function opaqueLength({ items = [] }: Pick<Reasoning, 'items'>): number {
  let length = 0;
  for (const item of items) {
    for (const name of OPAQUE) {
      const value = item[name];
      if (typeof value === 'string') length += value.length;
    }
  }
  return length;
}

const OPAQUE = ['encrypted_content', 'data'] as const;

/** The reasoning as a person may see it: of what only its provider can read, the length. */
export function maskOpaque<R extends Pick<Reasoning, 'items'>>(reasoning: R): R {
  if (!reasoning.items) return reasoning;
  const items = reasoning.items.map((item) => {
    const masked = { ...item };
    for (const name of OPAQUE) {
      const value = item[name];
      if (typeof value === 'string') masked[name] = `[encrypted, ${value.length.toLocaleString('en-US')} characters]`;
    }
    return masked;
  });
  return { ...reasoning, items };
}

/** The message without what only its provider can read: what leaves the session holds none of it. */
export function withoutOpaque(message: Message): Message {
  if (message.role !== 'assistant') return message;
  const { reasoning, toolCalls, ...rest } = message;
  return {
    ...rest,
    ...(reasoning ? { reasoning: { field: reasoning.field, text: reasoning.text } } : {}),
    ...(toolCalls ? { toolCalls: toolCalls.map(({ extra, ...call }) => call) } : {}),
  };
}
