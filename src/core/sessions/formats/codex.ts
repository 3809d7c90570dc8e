/**
 * Codex's rollout files: JSON lines of `response_item`s (bare items in the oldest). Reasoning, text and calls of one
 * answer are items of their own and are put together again.
 */

import type { ToolCall, Usage } from '../../context/message.ts';
import { asText, type Json, listOf, objectOf, parseJson } from '../../json.ts';
import { injectedKind, type RecordedMessage } from '../recorded.ts';
import { argumentsOf, contentOf, countOf } from './json.ts';

export function readCodex(lines: readonly Json[]): RecordedMessage[] {
  const messages: RecordedMessage[] = [];
  const answer = new AnswerParts(messages);
  let model = 'imported';
  for (const line of lines) {
    const payload = objectOf(line.payload ?? line);
    switch (line.type) {
      case 'session_meta': {
        const instructions = contentOf(payload.base_instructions ?? payload.instructions ?? '');
        if (instructions) messages.push({ role: 'system', text: instructions });
        break;
      }
      case 'turn_context':
        model = asText(payload.model) || model;
        break;
      case 'event_msg':
        if (payload.type === 'token_count') answer.count(readUsage(objectOf(payload.info).last_token_usage), model);
        if (payload.type === 'thread_rolled_back') {
          answer.close();
          dropTurns(messages, countOf(payload.num_turns));
        }
        break;
      case 'compacted': {
        answer.close();
        const text = asText(payload.message);
        if (text) messages.push({ role: 'user', kind: 'summary', text });
        break;
      }
      default:
        readItem(payload, answer, messages);
    }
  }
  answer.close();
  return messages;
}

/** What the person took back: the newest turns, each from its own message on. */
function dropTurns(messages: RecordedMessage[], turns: number): void {
  for (let turn = 0; turn < turns; turn++) {
    const begin = messages.findLastIndex(({ role, text }) => role === 'user' && injectedKind(text) === 'user');
    if (begin < 0) return;
    messages.length = begin;
  }
}

function readItem(item: Json, answer: AnswerParts, messages: RecordedMessage[]): void {
  switch (item.type) {
    case 'message': {
      const text = contentOf(item.content);
      if (item.role === 'assistant') {
        answer.say(text);
        break;
      }
      answer.close();
      messages.push({ role: item.role === 'user' ? 'user' : 'system', text });
      break;
    }
    case 'reasoning': {
      const parts = [...listOf(item.summary), ...listOf(item.content)].map((part) => asText(objectOf(part).text));
      answer.think(parts.filter(Boolean).join('\n\n'));
      break;
    }
    case 'function_call':
      answer.call(item.call_id, asText(item.name), argumentsOf(item.arguments));
      break;
    case 'custom_tool_call':
      answer.call(item.call_id, asText(item.name), JSON.stringify({ input: item.input ?? '' }));
      break;
    case 'local_shell_call':
      answer.call(item.call_id ?? item.id, 'local_shell', argumentsOf(item.action));
      break;
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'local_shell_call_output': {
      answer.close();
      const { text, failed } = readOutput(item.output);
      const isError = failed ? { isError: true } : {};
      messages.push({ role: 'tool', toolCallId: asText(item.call_id), text, ...isError });
      break;
    }
    default:
      break;
  }
}

/** The parts of one answer, until something that is not part of it comes. */
class AnswerParts {
  readonly #messages: RecordedMessage[];
  #texts: string[] = [];
  #thoughts: string[] = [];
  #calls: ToolCall[] = [];

  constructor(messages: RecordedMessage[]) {
    this.#messages = messages;
  }

  say(text: string): void {
    // Text after a call begins the next answer.
    if (this.#calls.length > 0) this.close();
    if (text) this.#texts.push(text);
  }

  think(text: string): void {
    if (this.#calls.length > 0) this.close();
    if (text) this.#thoughts.push(text);
  }

  call(id: unknown, name: string, args: string): void {
    this.#calls.push({ id: asText(id), name, arguments: args });
  }

  /** Usage is reported after the answer it belongs to. */
  count(usage: Usage | null, model: string): void {
    this.close();
    const at = this.#messages.findLastIndex(({ role }) => role === 'assistant');
    const last = this.#messages[at];
    if (usage && last?.role === 'assistant') this.#messages[at] = { ...last, usage, model };
  }

  close(): void {
    const reasoning = this.#thoughts.join('\n\n');
    if (this.#texts.length > 0 || this.#calls.length > 0 || reasoning) {
      this.#messages.push({
        role: 'assistant',
        text: this.#texts.join('\n\n'),
        ...(reasoning ? { reasoning } : {}),
        ...(this.#calls.length > 0 ? { toolCalls: this.#calls } : {}),
      });
    }
    this.#texts = [];
    this.#thoughts = [];
    this.#calls = [];
  }
}

/** Output is text, parts, or JSON text of `{output, metadata: {exit_code}}`. */
function readOutput(value: unknown): { text: string; failed: boolean } {
  const whole = contentOf(value ?? '');
  const failed = objectOf(value).success === false;
  if (!whole.startsWith('{')) return { text: whole, failed };
  const { output, metadata } = objectOf(parseJson(whole));
  if (typeof output !== 'string') return { text: whole, failed };
  return { text: output, failed: failed || countOf(objectOf(metadata).exit_code) > 0 };
}

function readUsage(value: unknown): Usage | null {
  const usage = objectOf(value);
  const input = countOf(usage.input_tokens);
  if (input === 0) return null;
  return {
    input,
    cached: countOf(usage.cached_input_tokens),
    output: countOf(usage.output_tokens),
    reasoning: countOf(usage.reasoning_output_tokens),
  };
}
