/**
 * Codex's rollout files: JSON lines of `response_item`s (bare items in the oldest). Reasoning, text and calls of one
 * answer are separate items and are reassembled.
 */

import { injectedKind } from '../../context/attribute.ts';
import type { ToolCall, Usage } from '../../context/message.ts';
import { asText, type Json, listOf, objectOf, parseJson } from '../../json.ts';
import type { Recorded, RecordedMessage } from '../recorded.ts';
import {
  answerOf,
  argumentsOf,
  contentOf,
  countOf,
  messagesIn,
  outcomeOfCode,
  resultOf,
  timed,
  timeOf,
} from './json.ts';

export function readCodex(lines: readonly Json[]): Recorded[] {
  const messages: Recorded[] = [];
  const answer = new AnswerParts(messages);
  let model = 'imported';
  for (const line of lines) {
    const payload = objectOf(line.payload ?? line);
    const before = messages.length;
    answer.time = timeOf(line.timestamp);
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
        messages.push({ role: 'compaction', context: readContext(payload, messages) });
        break;
      }
      default:
        readItem(payload, answer, messages);
    }
    // An answer that was closed has the time of its own last part.
    messages.push(...timed(messages.splice(before), line.timestamp));
  }
  answer.close();
  return messages;
}

/** Removes the newest turns, which the person took back, each from its own message on. */
function dropTurns(messages: Recorded[], turns: number): void {
  for (let turn = 0; turn < turns; turn++) {
    const begin = messages.findLastIndex(isSaidByPerson);
    if (begin < 0) return;
    messages.length = begin;
  }
}

function isSaidByPerson(message: Recorded): boolean {
  return message.role === 'user' && (message.kind ?? injectedKind(message.text)) === 'user';
}

/**
 * The messages that Codex sent after a compaction: as recorded, or, in older versions, by its rule: the messages before
 * the person's first, the person's newest messages, and the summary. Null when the summary cannot be read because the
 * provider made and encrypted it.
 */
function readContext({ message, replacement_history: replacement }: Json, before: readonly Recorded[]) {
  const earlier = before.filter((each) => each.role !== 'compaction');
  const text = asText(message);
  const summary: RecordedMessage = { role: 'user', kind: 'summary', text };
  if (!Array.isArray(replacement)) return text ? [...keptByRule(earlier), summary] : null;
  const context: RecordedMessage[] = [];
  const answer = new AnswerParts(context);
  for (const item of replacement.map(objectOf)) readItem(item, answer, context);
  answer.close();
  const at = context.findLastIndex((each) => each.role === 'user' && (each.text === text || isSummary(each.text)));
  if (at < 0 && !text) return null;
  if (at < 0) context.push(summary);
  else context[at] = { role: 'user', kind: 'summary', text: context[at]?.text ?? '' };
  return shareMessages(context, at, earlier);
}

/**
 * A message with the same words as an earlier one is that message, and is not repeated. The newest are matched first.
 */
function shareMessages(context: readonly RecordedMessage[], summary: number, messages: readonly RecordedMessage[]) {
  let end = messages.length;
  const shared = context.toReversed().map((each, fromEnd) => {
    if (context.length - 1 - fromEnd === summary) return each;
    const at = messages.slice(0, end).findLastIndex(({ role, text }) => role === each.role && text === each.text);
    if (at >= 0) end = at;
    return messages[at] ?? each;
  });
  return shared.reverse();
}

const isSummary = (text: string) => injectedKind(text) === 'summary';

/** The person's newest messages, up to this many tokens as Codex counts them. */
const MOST_TOKENS = 20_000;
const CHARACTERS_PER_TOKEN = 4;

function keptByRule(messages: readonly RecordedMessage[]): RecordedMessage[] {
  const first = messages.findIndex(isSaidByPerson);
  const kept = messages.filter(isSaidByPerson);
  let room = MOST_TOKENS * CHARACTERS_PER_TOKEN;
  const from = kept.findLastIndex(({ text }) => {
    room -= text.length;
    return room < 0;
  });
  return [...messages.slice(0, Math.max(first, 0)), ...kept.slice(from + 1)];
}

function readItem(item: Json, answer: AnswerParts, messages: Recorded[]): void {
  // An input of the Responses API may leave out the type of a message.
  switch (item.type ?? (typeof item.role === 'string' ? 'message' : undefined)) {
    case 'message': {
      if (item.role === 'assistant') {
        answer.add(contentOf(item.content));
        break;
      }
      answer.close();
      if (item.role === 'user') messages.push(...messagesIn(item.content));
      else messages.push({ role: 'system', text: contentOf(item.content) });
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
      const { text, failed, code } = readOutput(item.output);
      messages.push(resultOf(item.call_id, text, failed, outcomeOfCode(code)));
      break;
    }
    default:
      break;
  }
}

/** Collects the parts of one answer until another kind of item follows. */
class AnswerParts {
  readonly #messages: Recorded[];
  #texts: string[] = [];
  #thoughts: string[] = [];
  #calls: ToolCall[] = [];
  /** Of the line that is being read. */
  time: string | undefined;
  /** Of the newest part. */
  #newest: string | undefined;

  constructor(messages: Recorded[]) {
    this.#messages = messages;
  }

  add(text: string): void {
    // Text after a call begins the next answer.
    if (this.#calls.length > 0) this.close();
    if (text) this.#texts.push(text);
    this.#newest = this.time;
  }

  think(text: string): void {
    if (this.#calls.length > 0) this.close();
    if (text) this.#thoughts.push(text);
    this.#newest = this.time;
  }

  call(id: unknown, name: string, args: string): void {
    this.#calls.push({ id: asText(id), name, arguments: args });
    this.#newest = this.time;
  }

  /** Usage is reported after the answer that it belongs to. */
  count(usage: Usage | null, model: string): void {
    this.close();
    const at = this.#messages.findLastIndex(({ role }) => role === 'assistant' || role === 'compaction');
    const last = this.#messages[at];
    if (usage && last?.role === 'assistant') this.#messages[at] = { ...last, usage, model };
  }

  close(): void {
    const reasoning = this.#thoughts.join('\n\n');
    if (this.#texts.length > 0 || this.#calls.length > 0 || reasoning) {
      this.#messages.push(...timed([answerOf(this.#texts.join('\n\n'), reasoning, this.#calls)], this.#newest));
    }
    this.#texts = [];
    this.#thoughts = [];
    this.#calls = [];
  }
}

/** Output is text, parts, or JSON text of `{output, metadata: {exit_code}}`. */
function readOutput(value: unknown): { text: string; failed: boolean; code?: unknown } {
  const whole = contentOf(value ?? '');
  const failed = objectOf(value).success === false;
  if (!whole.startsWith('{')) return { text: whole, failed };
  const { output, metadata } = objectOf(parseJson(whole));
  if (typeof output !== 'string') return { text: whole, failed };
  const { exit_code: code } = objectOf(metadata);
  return { text: output, failed: failed || countOf(code) > 0, code };
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
