/**
 * Which items no strategy may touch: what a person pinned, the latest user message, and blocks with reasoning whose
 * tool loop is still open (providers reject altered reasoning while the loop runs).
 */

import type { ContextItem } from './item.ts';

/** What follows the latest user message, as long as no answer without calls ended it. */
export function openLoop(conversation: readonly ContextItem[]): readonly ContextItem[] {
  const end = conversation.at(-1)?.message;
  if (end?.role === 'assistant' && !end.toolCalls?.length) return [];
  return conversation.slice(conversation.findLastIndex((item) => item.kind === 'user') + 1);
}

/** Ids of protected items. The reasoning protection expires with the loop: a final answer ends it. */
export function protectedIds(conversation: readonly ContextItem[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const item of conversation) if (item.pinned) ids.add(item.id);
  const last = conversation.findLastIndex((item) => item.kind === 'user');
  const latest = conversation[last];
  if (latest) ids.add(latest.id);
  const loop = openLoop(conversation);
  const reasoning = new Set<number>();
  for (const { message, block } of loop) if (message.role === 'assistant' && message.reasoning) reasoning.add(block);
  for (const item of loop) if (reasoning.has(item.block)) ids.add(item.id);
  return ids;
}
