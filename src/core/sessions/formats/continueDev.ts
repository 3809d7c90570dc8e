/**
 * Continue's sessions: a list of messages in the form of chat completions, each with the context that went along, the state
 * of its calls, and sometimes a summary that stands for everything up to it.
 */

import type { ToolCall } from '../../context/message.ts';
import { asText, isObject, type Json, listOf, objectOf } from '../../json.ts';
import type { Recorded, RecordedMessage } from '../recorded.ts';
import { answerOf, callOf, contentOf, messagesIn, resultOf } from './json.ts';

export function readContinue(history: readonly Json[]): Recorded[] {
  const answered = new Set(
    history.flatMap(({ message }) => {
      const { role, toolCallId } = objectOf(message);
      return role === 'tool' ? asText(toolCallId) : [];
    }),
  );
  return history.flatMap((item): Recorded[] => {
    const summary = asText(item.conversationSummary);
    const replaced: Recorded[] = summary
      ? [{ role: 'compaction', context: [{ role: 'user', kind: 'summary', text: summary }] }]
      : [];
    return [...readItem(item, answered), ...replaced];
  });
}

function readItem(item: Json, answered: ReadonlySet<string>): RecordedMessage[] {
  const message = objectOf(item.message);
  const text = contentOf(message.content);
  switch (message.role) {
    case 'system':
      return [{ role: 'system', text }];
    case 'user': {
      const along = listOf(item.contextItems).map((each) => asText(objectOf(each).content));
      const context = along
        .filter(Boolean)
        .map((each): RecordedMessage => ({ role: 'user', kind: 'mention', text: each }));
      return [...context, ...messagesIn(message.content)];
    }
    case 'assistant': {
      const reasoning = asText(objectOf(item.reasoning).text);
      const toolCalls = listOf(message.toolCalls).map(objectOf).map(readCall);
      const answer = answerOf(text, reasoning, toolCalls);
      return [answer, ...readStates(item).filter(({ toolCallId }) => !answered.has(toolCallId))];
    }
    case 'tool':
      return [resultOf(message.toolCallId, text, false)];
    default:
      return [];
  }
}

function readCall({ id, function: called }: Json): ToolCall {
  const { name, arguments: args } = objectOf(called);
  return callOf(id, name, args);
}

/** The results that are told with the calls. Earlier versions allowed one call. */
function readStates({ toolCallStates, toolCallState }: Json): ReturnType<typeof resultOf>[] {
  const states = [...listOf(toolCallStates), toolCallState].filter(isObject);
  return states.flatMap(({ toolCallId, status, output }) => {
    if (!Array.isArray(output)) return [];
    const text = output.map((each) => asText(objectOf(each).content)).join('\n');
    return [resultOf(toolCallId, text, status === 'errored' || status === 'canceled')];
  });
}
