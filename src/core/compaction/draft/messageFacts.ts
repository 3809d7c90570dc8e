/** The role-dependent fields of a message for strategies, frozen: the same in the present history and in the past. */

import type { AssistantMessage, ToolMessage, UserMessage } from '../../../api/index.ts';
import { readOutcome } from '../../calls/outcome.ts';
import type { Message } from '../../context/message.ts';

type MessageFacts =
  | Pick<UserMessage, 'role' | 'kind' | 'attachments'>
  | Pick<AssistantMessage, 'role' | 'toolCalls'>
  | Pick<
      ToolMessage,
      'role' | 'toolCallId' | 'toolName' | 'isError' | 'outcome' | 'ephemeral' | 'truncated' | 'attachments'
    >;

export function factsOf(message: Message): MessageFacts {
  switch (message.role) {
    case 'user':
      return { role: 'user', kind: message.kind, attachments: attachmentsOf(message) };
    case 'assistant': {
      const calls = message.interrupted ? [] : (message.toolCalls ?? []);
      const toolCalls = calls.map(({ id, name, arguments: json }) => Object.freeze({ id, name, arguments: json }));
      return { role: 'assistant', toolCalls: Object.freeze(toolCalls) };
    }
    case 'tool': {
      const attachments = attachmentsOf(message);
      return {
        role: 'tool',
        toolCallId: message.toolCallId,
        toolName: message.toolName,
        isError: message.isError ?? false,
        outcome: readOutcome(message).kind,
        ephemeral: message.ephemeral !== undefined,
        truncated: message.truncation !== undefined || message.offload !== undefined,
        ...(attachments.length > 0 ? { attachments } : {}),
      };
    }
  }
}

function attachmentsOf({ attachments = [] }: Extract<Message, { role: 'user' | 'tool' }>) {
  return Object.freeze(attachments.map(({ mime, tokens }) => Object.freeze({ mime, tokens })));
}
