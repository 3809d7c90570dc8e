/** The person's words of a message in which others wrote, too. Strategies do not see the parts. */

import type { ContextMessage, PastMessage } from '../../../api/index.ts';
import { ownText } from '../../context/authorship.ts';
import type { Message } from '../../context/message.ts';

const ownWords = new WeakMap<object, string>();

export function noteOwnWords<S extends object>(shown: S, message: Message): S {
  if (message.role === 'user' && message.parts) ownWords.set(shown, ownText(message));
  return shown;
}

/** The person's own words in a message; its whole text where they wrote all of it. */
export function ownWordsOf(message: ContextMessage | PastMessage): string {
  return ownWords.get(message) ?? message.text;
}
