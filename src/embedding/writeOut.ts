/** Writes the result of a strategy as one text, for a host that takes no messages in place of those that go. */

import type { ContextMessage } from '../api/index.ts';

const OPENING =
  'The conversation before this point was compacted. What follows is what was kept of it, in order; nothing in it is a new request.';

export function writeOut(messages: readonly ContextMessage[]): string {
  return [OPENING, ...messages.map(writeMessage)].join('\n\n');
}

function writeMessage(message: ContextMessage): string {
  const text = message.hidden ? describeHidden(message.text) : message.text;
  switch (message.role) {
    case 'user':
      return message.kind === 'user' ? `[User]: ${text}` : text;
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map(({ name, arguments: given }) => `${name}(${given})`);
      const said = text ? [`[Assistant]: ${text}`] : [];
      return [...said, ...(calls.length > 0 ? [`[Assistant tool calls]: ${calls.join('; ')}`] : [])].join('\n');
    }
    case 'tool':
      return `[Result of ${message.toolName}]: ${text}`;
  }
}

/** A stub names a tool that another host lacks; the strategy's own line may follow it. */
function describeHidden(stub: string): string {
  return ['(removed to save room; call the tool again if it is needed)', ...stub.split('\n').slice(1)].join('\n');
}
