/** Which part of the conversation above an instruction is about, in words for a model that has all of it before it. */

import type { ContextMessage } from '../../../api/index.ts';
import { wrap } from '../../context/frame.ts';
import type { ContextItem } from '../../context/item.ts';
import { protectedIds } from '../../context/protect.ts';

/** Characters of a message by which it is known again. */
const QUOTED = 160;

/**
 * Empty when it is about all of it. Null when `covers` is no such part: something in its middle would leave without being
 * in the summary, or something that is in it is not there.
 */
export function describeRange(conversation: readonly ContextItem[], covers: readonly ContextMessage[]): string | null {
  const covered = new Set(covers.map(({ id }) => id));
  const isCovered = ({ id }: ContextItem) => covered.has(id);
  const first = conversation.findIndex(isCovered);
  const last = conversation.findLastIndex(isCovered);
  if (first < 0 || conversation.filter(isCovered).length < covered.size) return null;
  const safe = protectedIds(conversation);
  const stays = (item: ContextItem) => item.kind === 'summary' || safe.has(item.id);
  const beside = conversation.slice(first, last).filter((item) => !isCovered(item));
  // A pinned message keeps its whole block.
  const blocks = new Set(conversation.filter(stays).map(({ block }) => block));
  if (beside.some((item) => !stays(item) && !blocks.has(item.block))) return null;
  const [before, after] = [conversation.slice(0, first), conversation.slice(last + 1)];
  return [
    before.every(stays)
      ? ''
      : `Write about what begins with ${describeItem(conversation[first])}, and about nothing before it.`,
    after.length === 0
      ? ''
      : `The newest ${after.length === 1 ? 'message stays' : `${after.length} messages stay`} in the conversation word for word, from ${describeItem(after[0])} on. Write about what comes before that; the newest part only tells you what matters.`,
    beside.length === 0
      ? ''
      : 'Earlier notes and messages that the user pinned stay beside your text where you find them: there is no need to repeat them.',
  ]
    .filter(Boolean)
    .join(' ');
}

function describeItem(item: ContextItem | undefined): string {
  if (!item) return '';
  const { message } = item;
  const quote = (text: string) => `\n${wrap('quote', text.slice(0, QUOTED).toWellFormed())}\n`;
  switch (message.role) {
    case 'user':
      return message.kind === 'user'
        ? `the user's message ${quote(message.text)}`
        : `the message ${quote(message.text)}`;
    case 'assistant': {
      const [call] = message.toolCalls ?? [];
      if (message.text || !call) return `your answer ${quote(message.text)}`;
      return `your call of ${call.name} with ${quote(call.arguments)}`;
    }
    case 'tool':
      return `the result of ${message.toolName} ${quote(message.text)}`;
  }
}
