/** Reads values of foreign files: no value is trusted to have the expected shape. */

import type { CallOutcome, ToolCall, Usage } from '../../context/message.ts';
import { asText, isObject, listOf, objectOf } from '../../json.ts';
import type { Recorded, RecordedAnswer, RecordedMessage } from '../recorded.ts';

export function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

/** JSON text of a call's arguments, which some programs store as text and some as a value. */
export function argumentsOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? {});
}

export function callOf(id: unknown, name: unknown, args: unknown): ToolCall {
  return { id: asText(id), name: asText(name), arguments: argumentsOf(args) };
}

/** An answer, without the fields that are empty. */
export function answerOf(text: string, reasoning: string, toolCalls: readonly ToolCall[]): RecordedAnswer {
  return {
    role: 'assistant',
    text,
    ...(reasoning ? { reasoning } : {}),
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
  };
}

export function resultOf(
  toolCallId: unknown,
  text: string,
  failed: boolean,
  outcome?: CallOutcome,
): Extract<RecordedMessage, { role: 'tool' }> {
  return {
    role: 'tool',
    toolCallId: asText(toolCallId),
    text,
    ...(failed ? { isError: true } : {}),
    ...(outcome ? { outcome } : {}),
  };
}

/** Of a command, by the exit code that was recorded; undefined where there is none. */
export function outcomeOfCode(code: unknown): CallOutcome | undefined {
  const exitCode = Number.isSafeInteger(code) ? Number(code) : null;
  return exitCode === null ? undefined : { kind: exitCode === 0 ? 'made' : 'failed', exitCode };
}

/**
 * Of a provider that counts tokens read from the cache and written to it beside the others: here they are part of the
 * input. Null where nothing was counted.
 */
export function usageOf(input: unknown, read: unknown, written: unknown, output: unknown): Usage | null {
  const cached = countOf(read);
  const all = countOf(input) + cached + countOf(written);
  return all > 0 ? { input: all, cached, output: countOf(output), reasoning: 0 } : null;
}

/** A message's content: text, or parts with a text each; a part without text is replaced by its type. */
export function contentOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (isObject(value)) return contentOf(value.content ?? value.text ?? JSON.stringify(value));
  const texts = listOf(value).map((part) => {
    if (typeof part === 'string') return part;
    const { type, text } = objectOf(part);
    return typeof text === 'string' ? text : `[${asText(type) || 'part'}]`;
  });
  return texts.join('\n');
}

/** Parts of a content that hold what was typed. */
const TYPED: ReadonlySet<unknown> = new Set(['text', 'input_text', undefined]);

/**
 * A message in the user role: its text parts together, and each other part with a text, such as a file, a selection or a
 * resource, as a message of its own.
 */
export function messagesIn(content: unknown): RecordedMessage[] {
  const parts = Array.isArray(content) ? content : [content];
  const isOther = (part: unknown) => isObject(part) && !TYPED.has(part.type) && typeof part.text === 'string';
  const own = parts.filter((part) => !isOther(part));
  const others = parts.filter(isOther).map(
    (part): RecordedMessage => ({
      role: 'user',
      kind: 'mention',
      text: asText(objectOf(part).text),
    }),
  );
  const text = Array.isArray(content) ? contentOf(own) : contentOf(content);
  return own.length > 0 || others.length === 0 ? [{ role: 'user', text }, ...others] : others;
}

/** Numbers below this are seconds since the epoch, others milliseconds. */
const LEAST_MS = 100_000_000_000;

/** A time that a program recorded, as text or as a number since the epoch, in ISO 8601; undefined for anything else. */
export function timeOf(value: unknown): string | undefined {
  const ms =
    typeof value === 'string' ? Date.parse(value) : countOf(value) < LEAST_MS ? countOf(value) * 1_000 : countOf(value);
  const time = new Date(ms);
  return ms > 0 && !Number.isNaN(time.getTime()) ? time.toISOString() : undefined;
}

/** The same messages, each with the time at which it was recorded, where that is known. */
export function timed<One extends Recorded>(messages: readonly One[], value: unknown): One[] {
  const time = timeOf(value);
  return messages.map((each) =>
    time === undefined || each.role === 'compaction' || each.time ? each : ({ ...each, time } as One),
  );
}
