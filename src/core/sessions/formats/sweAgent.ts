/**
 * SWE-agent's trajectories (`.traj`): one object with the `history` of messages, and the steps of the `trajectory`, which
 * say the same in parts. Models without calls of their own write a command into their text: it becomes a call, and the
 * message of the user's role after it the result.
 */

import type { ToolCall } from '../../context/message.ts';
import { asText, isObject, type Json, listOf, objectOf } from '../../json.ts';
import type { Recorded, RecordedMessage } from '../recorded.ts';
import { answerOf, callOf, contentOf, messagesIn, resultOf } from './json.ts';

const COMMAND = 'bash';

export const isSweAgentStep = ({ action, observation, response, thought }: Json) =>
  typeof action === 'string' &&
  typeof observation === 'string' &&
  (typeof response === 'string' || typeof thought === 'string');

export const isSweAgentMessage = ({ role, agent, message_type }: Json) =>
  typeof role === 'string' && (typeof message_type === 'string' || typeof agent === 'string');

/** `items`: messages, or steps where the file ends before its messages. */
export function readSweAgent(items: readonly Json[]): Recorded[] {
  /** The command in the newest answer's text, as long as no observation has followed. */
  let open: ToolCall | null = null;
  return items.flatMap((item, at): RecordedMessage[] => {
    if (isSweAgentStep(item)) {
      const { answer, command } = readAnswer(item, at);
      return [answer, ...(command ? [resultOf(command.id, asText(item.observation), false)] : [])];
    }
    switch (item.role) {
      case 'system':
        return [{ role: 'system', text: contentOf(item.content) }];
      case 'assistant': {
        const { answer, command } = readAnswer(item, at);
        open = command;
        return [answer];
      }
      case 'tool':
        return listOf(item.tool_call_ids ?? [item.tool_call_id]).map((id) =>
          resultOf(id, contentOf(item.content), false),
        );
      case 'user': {
        if (item.is_demo === true) return [{ role: 'user', kind: 'reminder', text: contentOf(item.content) }];
        const command = open;
        open = null;
        return command ? [resultOf(command.id, contentOf(item.content), false)] : messagesIn(item.content);
      }
      default:
        return [];
    }
  });
}

function readAnswer(item: Json, at: number) {
  const calls = listOf(item.tool_calls).map((call) => {
    const { id, function: called } = objectOf(call);
    return callOf(id, objectOf(called).name, objectOf(called).arguments);
  });
  const action = asText(item.action).trim();
  const command = calls.length === 0 && action !== '' ? callOf(`recorded-${at}`, COMMAND, { command: action }) : null;
  const whole = contentOf(item.content ?? item.response ?? '');
  const text = command ? asText(item.thought).trim() : whole;
  const thoughts = listOf(item.thinking_blocks)
    .filter(isObject)
    .map(({ thinking }) => asText(thinking));
  return { answer: answerOf(text, thoughts.filter(Boolean).join('\n\n'), command ? [command] : calls), command };
}
