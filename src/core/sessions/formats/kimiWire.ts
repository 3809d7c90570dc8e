/**
 * Kimi CLI's `wire.jsonl`: what was shown while the agent worked, one event a line. Unlike `context.jsonl` it still has
 * what a compaction or a revert took out of the context, but neither the system prompt nor the summary.
 */

import type { ToolCall } from '../../context/message.ts';
import { asText, type Json, objectOf } from '../../json.ts';
import type { Recorded, RecordedMessage } from '../recorded.ts';
import { contentOf, countOf } from './json.ts';

type Assistant = Extract<RecordedMessage, { role: 'assistant' }>;

export function readKimiWire(lines: readonly Json[]): Recorded[] {
  const messages: Recorded[] = [];
  /** Index of the answer of the step that runs; its parts come one by one. */
  let step: number | null = null;
  const add = (change: (answer: Assistant) => Assistant) => {
    step ??= messages.push({ role: 'assistant', text: '' }) - 1;
    const answer = messages[step];
    if (answer?.role === 'assistant') messages[step] = change(answer);
  };
  for (const line of lines) {
    const { type, payload } = objectOf(line.message);
    const event = objectOf(payload);
    switch (type) {
      case 'TurnBegin':
      case 'SteerInput':
        step = null;
        messages.push({ role: 'user', text: contentOf(event.user_input) });
        break;
      case 'StepBegin':
      case 'TurnEnd':
        step = null;
        break;
      case 'StepInterrupted':
        if (step !== null) add((answer) => ({ ...answer, interrupted: true }));
        step = null;
        break;
      case 'CompactionEnd':
        step = null;
        messages.push({ role: 'compaction', context: null });
        break;
      case 'ContentPart':
        add((answer) => addPart(answer, event));
        break;
      case 'ToolCall':
        add((answer) => ({ ...answer, toolCalls: [...(answer.toolCalls ?? []), readCall(event)] }));
        break;
      case 'ToolCallPart':
        add((answer) => ({ ...answer, toolCalls: growLast(answer.toolCalls ?? [], asText(event.arguments_part)) }));
        break;
      case 'ToolResult': {
        const { is_error, output, message } = objectOf(event.return_value);
        const text = contentOf(output ?? '') || asText(message);
        const failed = is_error === true ? { isError: true } : {};
        messages.push({ role: 'tool', toolCallId: asText(event.tool_call_id), text, ...failed });
        break;
      }
      case 'StatusUpdate': {
        const usage = readUsage(objectOf(event.token_usage));
        if (usage && step !== null) add((answer) => ({ ...answer, usage, model: 'imported' }));
        break;
      }
      // What subagents did has transcripts of its own; the rest is for the screen.
      default:
        break;
    }
  }
  return messages;
}

function addPart(answer: Assistant, { type, text, think }: Json): Assistant {
  if (type === 'think') return { ...answer, reasoning: (answer.reasoning ?? '') + asText(think) };
  return { ...answer, text: answer.text + (typeof text === 'string' ? text : `[${asText(type) || 'part'}]`) };
}

function readCall({ id, function: f }: Json): ToolCall {
  const { name, arguments: args } = objectOf(f);
  return { id: asText(id), name: asText(name), arguments: asText(args) };
}

function growLast(calls: readonly ToolCall[], part: string): ToolCall[] {
  return calls.map((call, at) => (at === calls.length - 1 ? { ...call, arguments: call.arguments + part } : call));
}

/** Kimi CLI counts cached tokens apart; ours are part of the input. */
function readUsage(usage: Json) {
  const cached = countOf(usage.input_cache_read);
  const input = countOf(usage.input_other) + cached + countOf(usage.input_cache_creation);
  return input > 0 ? { input, cached, output: countOf(usage.output), reasoning: 0 } : null;
}
