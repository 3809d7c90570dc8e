/**
 * Gemini CLI's chats: one object with a list of messages, or, since 2026, JSON lines, where a line may replace an earlier
 * message, or take back all from one on. A message of the model holds its calls with their results; the newest versions
 * also keep them as parts of the messages, and write the whole list anew when the history was compressed.
 */

import type { Usage } from '../../context/message.ts';
import { asText, isObject, type Json, listOf, objectOf } from '../../json.ts';
import type { ImportReport, Recorded, RecordedMessage } from '../recorded.ts';
import { GeminiReader } from './geminiParts.ts';
import { callOf, countOf, timed } from './json.ts';

/** A message by its id, or the ids of those that took the place of all before. */
type Step = { readonly id: string } | { readonly context: readonly string[] };

export function readGeminiCli(records: readonly Json[], report: ImportReport): Recorded[] {
  const { steps, messages } = replay(records, report);
  const reader = new GeminiReader();
  const read = new Map<string, readonly RecordedMessage[]>();
  return steps.flatMap((step): readonly Recorded[] => {
    if ('context' in step) return [{ role: 'compaction', context: readContext(step.context, messages, read) }];
    const message = messages.get(step.id) ?? {};
    const said = timed(readMessage(message, reader), message.timestamp);
    read.set(step.id, said);
    return said;
  });
}

/** Messages that came before keep their place; of the others, the first of the person's role is the summary. */
function readContext(
  ids: readonly string[],
  messages: ReadonlyMap<string, Json>,
  read: Map<string, readonly RecordedMessage[]>,
): RecordedMessage[] {
  const reader = new GeminiReader();
  let summarised = false;
  return ids.flatMap((id) => {
    const said = read.get(id);
    if (said) return said;
    const added = readMessage(messages.get(id) ?? {}, reader).map((each): RecordedMessage => {
      if (each.role !== 'user' || summarised) return each;
      summarised = true;
      return { ...each, kind: 'summary' };
    });
    read.set(id, added);
    return added;
  });
}

/** The messages that are in force at the end, by id, and how they came. */
function replay(records: readonly Json[], report: ImportReport) {
  const messages = new Map<string, Json>();
  let steps: Step[] = [];
  /** Ids of the messages that the model sees at present. */
  let view = new Set<string>();
  const put = (message: Json, isSaid: boolean): string[] => {
    if (typeof message.type !== 'string') return [];
    const id = asText(message.id) || `#${messages.size}`;
    messages.set(id, message);
    if (isSaid && !view.has(id)) {
      view.add(id);
      steps.push({ id });
    }
    return [id];
  };
  for (const record of records) {
    const { $rewindTo: rewindTo, $set: changed } = record;
    if (typeof rewindTo === 'string') {
      const ids = [...view];
      const at = ids.indexOf(rewindTo);
      // A line that is missing: nothing tells from where on the person took back.
      if (at < 0) report.brokenLinks++;
      else {
        const gone = new Set(ids.slice(at));
        view = new Set(ids.slice(0, at));
        steps = steps.flatMap((step): Step[] => {
          if ('id' in step) return gone.has(step.id) ? [] : [step];
          return [{ context: step.context.filter((id) => !gone.has(id)) }];
        });
      }
    } else if (isObject(changed)) {
      if (!Array.isArray(changed.messages)) continue;
      const ids = [...new Set(changed.messages.map(objectOf).flatMap((message) => put(message, false)))];
      const now = new Set(ids);
      const isNew = ids.some((id) => !view.has(id));
      if (![...view].every((id) => now.has(id)) && isNew && view.size > 0) steps.push({ context: ids });
      else {
        steps = steps.filter((step) => 'context' in step || now.has(step.id));
        steps.push(...ids.filter((id) => !view.has(id)).map((id) => ({ id })));
      }
      view = now;
    } else put(record, true);
  }
  return { steps, messages };
}

function readMessage(message: Json, reader: GeminiReader): RecordedMessage[] {
  // Notes of the program to the person were no part of the conversation.
  if (message.type === 'user') return reader.readPerson(message.content);
  if (message.type !== 'gemini' && message.type !== 'qwen') return [];
  const calls = listOf(message.toolCalls).map(objectOf);
  const thoughts = listOf(message.thoughts).map(objectOf).map(showThought).filter(Boolean).join('\n\n');
  const usage = readUsage(objectOf(message.tokens));
  const toolCalls = calls.map(({ id, name, args }) => callOf(id, name, args));
  return [
    {
      ...reader.readAnswer(message.content, toolCalls, thoughts),
      ...(usage ? { usage, model: asText(message.model) || 'imported' } : {}),
    },
    // None for a call that never ended.
    ...calls.flatMap(({ id, result, status }) =>
      result === undefined || result === null || (Array.isArray(result) && result.length === 0)
        ? []
        : reader.readResult(asText(id), result, status === 'error' || status === 'cancelled'),
    ),
  ];
}

const showThought = ({ subject, description }: Json) =>
  [asText(subject), asText(description)].filter(Boolean).join(': ');

/** Thoughts are counted beside the answer. */
function readUsage({ input, cached, output, thoughts }: Json): Usage | null {
  const reasoning = countOf(thoughts);
  if (countOf(input) === 0) return null;
  return { input: countOf(input), cached: countOf(cached), output: countOf(output) + reasoning, reasoning };
}
