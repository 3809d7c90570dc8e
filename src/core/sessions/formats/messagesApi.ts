/** Messages in the form of Anthropic's Messages API, in one list or one a line. */

import type { Json } from '../../json.ts';
import { injectedKind, type Recorded } from '../recorded.ts';
import { readAnthropicMessage } from './anthropic.ts';
import { contentOf } from './json.ts';

export function readMessagesApi(messages: readonly Json[]): Recorded[] {
  return messages.flatMap(({ role, content }): Recorded[] => {
    if (role === 'system') return [{ role, text: contentOf(content) }];
    return readAnthropicMessage(role, content).map((message) =>
      // The messages kept next to the summary are not recorded.
      message.role === 'user' && injectedKind(message.text) === 'summary'
        ? { role: 'compaction', context: [message] }
        : message,
    );
  });
}
