/**
 * Gemini CLI's chats: one object with a list of messages, or, since 2026, JSON lines, where a line may replace an earlier
 * message, or take back all from one on. A message of the model holds its calls with their results.
 */

import type { Usage } from '../../context/message.ts';
import { asText, isObject, type Json, listOf, objectOf } from '../../json.ts';
import type { Recorded, RecordedMessage } from '../recorded.ts';
import { answerOf, callOf, contentOf, countOf, messagesIn, resultOf, timed } from './json.ts';

export function readGeminiCli(records: readonly Json[]): Recorded[] {
  return [...replay(records).values()].flatMap((message) => timed(readMessage(message), message.timestamp));
}

/** The messages that are in force at the end, by id. */
function replay(records: readonly Json[]): Map<string, Json> {
  const messages = new Map<string, Json>();
  const put = (message: Json) => {
    if (typeof message.type === 'string') messages.set(asText(message.id) || `#${messages.size}`, message);
  };
  for (const record of records) {
    const { $rewindTo: rewindTo, $set: changed } = record;
    if (typeof rewindTo === 'string') {
      const ids = [...messages.keys()];
      const at = ids.indexOf(rewindTo);
      for (const id of at < 0 ? [] : ids.slice(at)) messages.delete(id);
    } else if (isObject(changed)) {
      if (!Array.isArray(changed.messages)) continue;
      messages.clear();
      for (const message of changed.messages.map(objectOf)) put(message);
    } else put(record);
  }
  return messages;
}

function readMessage(message: Json): RecordedMessage[] {
  // Notes of the program to the person were no part of the conversation.
  if (message.type === 'user') return messagesIn(message.content);
  if (message.type !== 'gemini') return [];
  const calls = listOf(message.toolCalls).map(objectOf);
  const reasoning = listOf(message.thoughts).map(objectOf).map(showThought).filter(Boolean).join('\n\n');
  const usage = readUsage(objectOf(message.tokens));
  const toolCalls = calls.map(({ id, name, args }) => callOf(id, name, args));
  return [
    {
      ...answerOf(contentOf(message.content), reasoning, toolCalls),
      ...(usage ? { usage, model: asText(message.model) || 'imported' } : {}),
    },
    ...calls.flatMap(readResult),
  ];
}

const showThought = ({ subject, description }: Json) =>
  [asText(subject), asText(description)].filter(Boolean).join(': ');

/** None for a call that never ended. */
function readResult({ id, result, status }: Json): RecordedMessage[] {
  if (result === undefined || result === null) return [];
  const parts = Array.isArray(result) ? result : [result];
  const text = parts.map(showPart).join('\n');
  return [resultOf(id, text, status === 'error' || status === 'cancelled')];
}

function showPart(part: unknown): string {
  const { functionResponse } = objectOf(part);
  if (!isObject(functionResponse)) return contentOf([part]);
  const { output, error, ...others } = objectOf(functionResponse.response);
  const result = output ?? error;
  return typeof result === 'string' ? result : JSON.stringify(result ?? others);
}

/** Thoughts are counted beside the answer. */
function readUsage({ input, cached, output, thoughts }: Json): Usage | null {
  const reasoning = countOf(thoughts);
  if (countOf(input) === 0) return null;
  return { input: countOf(input), cached: countOf(cached), output: countOf(output) + reasoning, reasoning };
}
