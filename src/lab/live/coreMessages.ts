/** Recorded messages as the journal stores them, and items of a context as the lab's requests name them. */

import type { ContextItem } from '../../core/context/item.ts';
import { lowerContext } from '../../core/context/lower.ts';
import type { Message } from '../../core/context/message.ts';
import { injectedKind } from '../../core/sessions/recorded.ts';
import { estimateMessage } from '../../core/tokens/estimate.ts';
import type { PreparedSession } from '../prepareSession.ts';
import type { RecordedMessage } from '../session.ts';

export interface CoreMessage {
  readonly message: Message;
  /** As the product would estimate it. */
  readonly tokens: number;
}

const made = new WeakMap<PreparedSession, CoreMessages>();

/** Made once for a session. */
export function coreMessages(prepared: PreparedSession): CoreMessages {
  let messages = made.get(prepared);
  if (!messages) {
    messages = new CoreMessages(prepared.session.messages);
    made.set(prepared, messages);
  }
  return messages;
}

/** By index, each made when it is first asked for. A system message after the leading ones becomes a reminder. */
class CoreMessages {
  readonly #recorded: readonly RecordedMessage[];
  readonly #made: CoreMessage[] = [];
  /** Of tools, by the ids of their calls. */
  readonly #names = new Map<string, string>();

  constructor(recorded: readonly RecordedMessage[]) {
    this.#recorded = recorded;
  }

  get length(): number {
    return this.#recorded.length;
  }

  at(index: number): CoreMessage {
    while (this.#made.length <= index) {
      const recorded = this.#recorded[this.#made.length];
      if (!recorded) throw new Error(`No message ${index}`);
      for (const call of recorded.tool_calls ?? []) this.#names.set(call.id, call.function.name);
      const message = toCore(recorded, this.#names);
      this.#made.push({ message, tokens: estimateMessage(message) });
    }
    return this.#made[index] as CoreMessage;
  }
}

function toCore(recorded: RecordedMessage, names: ReadonlyMap<string, string>): Message {
  const text = recorded.content;
  switch (recorded.role) {
    case 'system':
      return { role: 'user', kind: 'reminder', text };
    case 'user':
      return { role: 'user', kind: injectedKind(text), text };
    case 'assistant': {
      const toolCalls = recorded.tool_calls?.map(({ id, function: made }) => ({
        id,
        name: made.name,
        arguments: made.arguments,
      }));
      return { role: 'assistant', text, ...(toolCalls ? { toolCalls } : {}) };
    }
    case 'tool': {
      const toolCallId = recorded.tool_call_id ?? '';
      const toolName = names.get(toolCallId) ?? 'unknown';
      return { role: 'tool', toolCallId, toolName, text, ...(recorded.is_error ? { isError: true } : {}) };
    }
  }
}

/** What a provider would be sent for a rewritten or inserted item. */
export function toRecorded(item: ContextItem): RecordedMessage {
  const { message } = item;
  switch (message.role) {
    case 'user': {
      // Only lowering knows how it marks what is not a person's word.
      const [lowered] = lowerContext({ header: null, conversation: [item], lastUsage: null, epoch: -1 });
      return { role: 'user', content: lowered?.text ?? message.text };
    }
    case 'assistant': {
      const calls = message.toolCalls?.map(({ id, name, arguments: json }) => ({
        id,
        type: 'function' as const,
        function: { name, arguments: json },
      }));
      return { role: 'assistant', content: message.text, ...(calls ? { tool_calls: calls } : {}) };
    }
    case 'tool':
      return { role: 'tool', content: message.text, tool_call_id: message.toolCallId };
  }
}
