/** The text of another session, for a mention of it: messages, answers and notes of compactions; no tool results. */

import type { Context } from '../context/item.ts';

export function describeSession({ conversation }: Pick<Context, 'conversation'>): string {
  const parts = conversation.flatMap(({ kind, message, hidden }) => {
    const text = message.text.trim();
    if (hidden || text === '') return [];
    switch (kind) {
      case 'user':
        return [`User: ${text}`];
      case 'assistant':
        return [`Assistant: ${text}`];
      case 'summary':
        return [`Notes of what came before: ${text}`];
      default:
        return [];
    }
  });
  return parts.join('\n\n');
}
