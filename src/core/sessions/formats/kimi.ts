/** Kimi CLI's `context.jsonl`: chat messages, plus separate lines for usage, checkpoints and the system prompt. */

import type { ToolCall } from '../../context/message.ts';
import { asText, type Json, listOf, objectOf } from '../../json.ts';
import type { Recorded, RecordedMessage } from '../recorded.ts';
import { argumentsOf, contentOf, countOf } from './json.ts';

export function readKimi(lines: readonly Json[]): Recorded[] {
  const messages: Recorded[] = [];
  for (const line of lines) {
    const parts = listOf(line.content).map(objectOf);
    const said = parts.filter(({ type }) => type !== 'think');
    const text = typeof line.content === 'string' ? line.content : contentOf(said);
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
        messages.push({ role: 'user', text, ...kindOf(text) });
        break;
      case 'assistant': {
        const reasoning = parts.flatMap(({ type, think }) => (type === 'think' ? [asText(think)] : [])).join('\n\n');
        const toolCalls = listOf(line.tool_calls).map((call) => {
          const { id, function: f } = objectOf(call);
          return { id: asText(id), name: asText(objectOf(f).name), arguments: argumentsOf(objectOf(f).arguments) };
        });
        messages.push({
          role: 'assistant',
          text,
          ...(reasoning ? { reasoning } : {}),
          ...(toolCalls.length > 0 ? { toolCalls } : {}),
        });
        break;
      }
      case 'tool':
        messages.push({
          role: 'tool',
          toolCallId: asText(line.tool_call_id),
          text,
          ...(isFailure(text) ? FAILED : {}),
        });
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

/** Kimi CLI wraps its own messages to the model. */
function kindOf(text: string): { readonly kind?: 'reminder' } {
  return /^<system/.test(text.trimStart()) ? { kind: 'reminder' } : {};
}

const isSummary = (text: string) => /^\s*<system>Previous context has been compacted/.test(text);

const isFailure = (text: string) => /^\s*<system>ERROR:/.test(text);

const FAILED = { isError: true } as const;

/**
 * Kimi CLI's `wire.jsonl`: the events shown while the agent worked, one a line. Unlike `context.jsonl` it still has the
 * messages that a compaction or a revert removed from the context, but neither the system prompt nor the summary.
 */
type Assistant = Extract<RecordedMessage, { role: 'assistant' }>;

export function readKimiWire(lines: readonly Json[]): Recorded[] {
  const messages: Recorded[] = [];
  /** Index of the answer of the running step; its parts arrive one by one. */
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
      // Subagents have transcripts of their own; other events are only for display.
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

/** Kimi CLI counts cached tokens separately; here they are part of the input. */
function readUsage(usage: Json) {
  const cached = countOf(usage.input_cache_read);
  const input = countOf(usage.input_other) + cached + countOf(usage.input_cache_creation);
  return input > 0 ? { input, cached, output: countOf(usage.output), reasoning: 0 } : null;
}
