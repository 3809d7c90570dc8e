/** A message of the context in a person's words. Pure. */

import type { ContextItem } from '../../core/context/item.ts';
import type { Translate } from '../../core/words.ts';
import { toCell } from './blocks.ts';

export const EXCERPT = 160;

export function nameItem({ kind, message }: Pick<ContextItem, 'kind' | 'message'>, t: Translate): string {
  if (message.role === 'tool') return t('Result of {0}', message.toolName);
  switch (kind) {
    case 'user':
      return t('You');
    case 'assistant':
      return t('Answer');
    case 'summary':
      return t('Summary');
    case 'mention':
      return t('Mentioned by you');
    default:
      return t('Told to the model');
  }
}

/** Its beginning, in one line: what it says, and what it calls. */
export function excerptOf({ message }: Pick<ContextItem, 'message'>, t: Translate): string {
  const calls =
    message.role === 'assistant'
      ? (message.toolCalls ?? []).map(({ name, arguments: given }) =>
          t('calls {0}', `${name} ${given.slice(0, EXCERPT)}`),
        )
      : [];
  return toCell([message.text.slice(0, 4 * EXCERPT), ...calls].filter(Boolean).join(' · '), EXCERPT);
}
