/**
 * Hand-made recorded sessions for the lab's tests: each line of a test is one message, and its size is easy to read.
 */

import type { RecordedMessage, RecordedSession } from '../../../src/lab/session.ts';

export const user = (content: string): RecordedMessage => ({ role: 'user', content });
export const system = (content: string): RecordedMessage => ({ role: 'system', content });
export const says = (content: string): RecordedMessage => ({ role: 'assistant', content });

/** An assistant message with one call; `id` pairs it with its result. */
export function calls(id: string, name: string, args: Readonly<Record<string, unknown>> | string): RecordedMessage {
  const json = typeof args === 'string' ? args : JSON.stringify(args);
  return {
    role: 'assistant',
    content: '',
    tool_calls: [{ id, type: 'function', function: { name, arguments: json } }],
  };
}

export const result = (id: string, content: string): RecordedMessage => ({ role: 'tool', content, tool_call_id: id });

/**
 * A text that makes a message of exactly this many tokens for the lab: (tokens − 4) × 4 characters without any name.
 */
export const filler = (tokens: number): string =>
  'la '.repeat(Math.ceil(((tokens - 4) * 4) / 3)).slice(0, (tokens - 4) * 4);

export function session(...messages: readonly RecordedMessage[]): RecordedSession {
  return { name: 'hand-made', messages, compactions: [] };
}
