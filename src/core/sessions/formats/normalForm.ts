/**
 * Reads a session in the normal form: JSON lines, one chat-completions message a line. Streaming, so the size of the
 * file does not matter; an invalid line is reported by its number and left out. A list of such messages is read whole.
 */

import * as z from 'zod';
import { isOutcome } from '../../calls/outcome.ts';
import { injectedKind } from '../../context/attribute.ts';
import { type Json, objectOf, parseJson } from '../../json.ts';
import type { ImportReport, Recorded } from '../recorded.ts';
import { answerOf, messagesIn, resultOf, timed } from './json.ts';

const content = z
  .union([z.string(), z.null(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])
  .optional()
  .transform((value) => {
    if (typeof value === 'string') return value;
    return (value ?? []).map((part) => part.text ?? `[${part.type}]`).join('\n');
  });

const callSchema = z.object({
  id: z.string(),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

const lineSchema = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['system', 'developer']), content }),
  z.object({ role: z.literal('user'), content }),
  z.object({
    role: z.literal('assistant'),
    content,
    reasoning: z.string().nullish(),
    reasoning_content: z.string().nullish(),
    tool_calls: z.array(callSchema).nullish(),
  }),
  z.object({
    role: z.literal('tool'),
    content,
    tool_call_id: z.string(),
    is_error: z.boolean().nullish(),
    outcome: z.unknown().optional(),
  }),
]);

/** `lines` are the file's lines without their line breaks; empty ones are skipped. */
export async function* readNormalForm(lines: AsyncIterable<string>, report: ImportReport): AsyncGenerator<Recorded> {
  let number = 0;
  for await (const line of lines) {
    number++;
    if (line.trim() === '') continue;
    const value = parseJson(line);
    const recorded = value === undefined ? 'not JSON' : readMessage(value);
    if (typeof recorded === 'string') report.badLines.push({ line: number, reason: recorded });
    else yield* timed(recorded, timeIn(value));
  }
}

/** The same messages in a list; an invalid one is reported by its position. */
export function readNormalList(values: readonly Json[], report: ImportReport): Recorded[] {
  return values.flatMap((value, i) => {
    const recorded = readMessage(value);
    if (typeof recorded !== 'string') return timed(recorded, timeIn(value));
    report.badLines.push({ line: i + 1, reason: recorded });
    return [];
  });
}

/** When a message was recorded, by the names that programs give it. */
const timeIn = (value: unknown): unknown => objectOf(value).time ?? objectOf(value).timestamp;

/** The message, with what went along as messages of their own; or why it is invalid. */
function readMessage(value: unknown): Recorded[] | string {
  const parsed = lineSchema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return `${issue?.path.join('.') || 'line'}: ${issue?.message ?? 'not a message'}`;
  }
  const { data } = parsed;
  switch (data.role) {
    case 'system':
    case 'developer':
      return [{ role: 'system', text: data.content }];
    case 'user': {
      const message = { role: 'user', text: data.content } as const;
      // The messages kept next to the summary are not recorded.
      if (injectedKind(data.content) === 'summary') return [{ role: 'compaction', context: [message] }];
      return messagesIn(objectOf(value).content ?? '');
    }
    case 'assistant': {
      const toolCalls = data.tool_calls?.map(({ id, function: f }) => ({ id, name: f.name, arguments: f.arguments }));
      return [answerOf(data.content, data.reasoning ?? data.reasoning_content ?? '', toolCalls ?? [])];
    }
    case 'tool':
      return [
        resultOf(
          data.tool_call_id,
          data.content,
          data.is_error === true,
          isOutcome(data.outcome) ? data.outcome : undefined,
        ),
      ];
  }
}
