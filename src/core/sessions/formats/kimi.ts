/** Kimi CLI's `context.jsonl`: chat messages, plus separate lines for usage, checkpoints and the system prompt. */

import type { ToolCall } from '../../context/message.ts';
import { asText, type Json, listOf, objectOf } from '../../json.ts';
import type { Recorded, RecordedAnswer } from '../recorded.ts';
import { answerOf, callOf, contentOf, countOf, messagesIn, resultOf, usageOf } from './json.ts';

export function readKimi(lines: readonly Json[]): Recorded[] {
  const messages: Recorded[] = [];
  for (const line of lines) {
    const parts = listOf(line.content).map(objectOf);
    const visible = parts.filter(({ type }) => type !== 'think');
    const text = typeof line.content === 'string' ? line.content : contentOf(visible);
    // Older versions keep the summary in the assistant's role.
    if ((line.role === 'user' || line.role === 'assistant') && isSummary(text)) {
      messages.push({ role: 'compaction', context: [{ role: 'user', kind: 'summary', text }] });
      continue;
    }
    switch (line.role) {
      case 'system':
      case '_system_prompt':
        messages.push({ role: 'system', text });
        break;
      case 'user':
        messages.push(...messagesIn(line.content));
        break;
      case 'assistant': {
        const reasoning = parts.flatMap(({ type, think }) => (type === 'think' ? [asText(think)] : [])).join('\n\n');
        const toolCalls = listOf(line.tool_calls).map((call) => {
          const { id, function: f } = objectOf(call);
          return callOf(id, objectOf(f).name, objectOf(f).arguments);
        });
        messages.push(answerOf(text, reasoning, toolCalls));
        break;
      }
      case 'tool':
        messages.push(resultOf(line.tool_call_id, text, isFailure(text)));
        break;
      case '_usage': {
        // It counts the whole context after the newest answer; the cached part is not recorded.
        const at = messages.findLastIndex(({ role }) => role === 'assistant');
        const last = messages[at];
        const input = countOf(line.token_count);
        if (input > 0 && last?.role === 'assistant') {
          messages[at] = { ...last, usage: { input, cached: 0, output: 0, reasoning: 0 }, model: 'imported' };
        }
        break;
      }
      default:
        break;
    }
  }
  return messages;
}

const isSummary = (text: string) => /^\s*<system>Previous context has been compacted/.test(text);

const isFailure = (text: string) => /^\s*<system>ERROR:/.test(text);

/**
 * Kimi CLI's `wire.jsonl`: the events shown while the agent worked, one a line. Unlike `context.jsonl` it still has the
 * messages that a compaction or a revert removed from the context, but neither the system prompt nor the summary.
 */
export function readKimiWire(lines: readonly Json[]): Recorded[] {
  const messages: Recorded[] = [];
  /** Index of the answer of the running step; its parts arrive one by one. */
  let step: number | null = null;
  const add = (change: (answer: RecordedAnswer) => RecordedAnswer) => {
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
        messages.push(...messagesIn(event.user_input));
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
        messages.push(resultOf(event.tool_call_id, text, is_error === true));
        break;
      }
      case 'StatusUpdate': {
        const usage = readUsage(objectOf(event.token_usage));
        if (usage && step !== null) add((answer) => ({ ...answer, usage, model: 'imported' }));
        break;
      }
      // Subagents have transcripts of their own; other events are only for display.
      default:
        break;
    }
  }
  return messages;
}

function addPart(answer: RecordedAnswer, { type, text, think }: Json): RecordedAnswer {
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

function readUsage({ input_other, input_cache_read, input_cache_creation, output }: Json) {
  return usageOf(input_other, input_cache_read, input_cache_creation, output);
}
