/**
 * OpenCode's `opencode export`: messages with typed parts. A message of the model may hold several steps; a compaction is
 * a question with a part of that type and an answer that is marked as a summary.
 */

import type { ToolCall, Usage } from '../../context/message.ts';
import { asText, type Json, listOf, objectOf } from '../../json.ts';
import type { ImportReport, Recorded, RecordedMessage } from '../recorded.ts';
import { answerOf, callOf, countOf, resultOf, timed } from './json.ts';

/** A message or a part of one that was cut off while it was written, in its database or by hand, is reported by the message's number. */
export function readOpenCode(entries: readonly Json[], report: Pick<ImportReport, 'badLines'>): Recorded[] {
  const recorded: Recorded[] = [];
  /** The messages made of each entry, by its id, in order. */
  const messagesOf = new Map<string, readonly RecordedMessage[]>();
  /** From which message on a compaction leaves everything as it is. */
  let tail = '';
  for (const [at, entry] of entries.entries()) {
    const info = objectOf(entry.info);
    const parts = listOf(entry.parts).map(objectOf);
    const torn = parts.filter(({ type }) => typeof type !== 'string').length;
    if (typeof info.role !== 'string') report.badLines.push({ line: at + 1, reason: 'the message is not JSON' });
    if (torn > 0) report.badLines.push({ line: at + 1, reason: `${torn} of its ${parts.length} parts are not JSON` });
    const compaction = parts.find(({ type }) => type === 'compaction');
    if (compaction) {
      tail = asText(compaction.tail_start_id);
    } else if (info.role === 'assistant' && info.summary === true) {
      const ids = [...messagesOf.keys()];
      const from = ids.indexOf(tail);
      const kept = from < 0 ? [] : ids.slice(from).flatMap((id) => messagesOf.get(id) ?? []);
      const text = textsOf(parts).join('\n\n');
      recorded.push({ role: 'compaction', context: [{ role: 'user', kind: 'summary', text }, ...kept] });
    } else {
      const messages =
        info.role === 'assistant'
          ? readAnswer(info, parts)
          : info.role === 'user'
            ? timed(readQuestion(parts), objectOf(info.time).created)
            : [];
      messagesOf.set(asText(info.id) || `#${messagesOf.size}`, messages);
      recorded.push(...messages);
    }
  }
  return recorded;
}

/** Text that the program added to a message becomes a reminder. */
function readQuestion(parts: readonly Json[]): RecordedMessage[] {
  const own = parts.flatMap((part) => {
    if (part.type === 'file') return `[${asText(part.filename) || asText(part.mime) || 'file'}]`;
    return part.type === 'text' && part.synthetic !== true && part.ignored !== true ? asText(part.text) : [];
  });
  const added = parts.flatMap((part): RecordedMessage[] =>
    part.type === 'text' && part.synthetic === true
      ? [{ role: 'user', kind: 'reminder', text: asText(part.text) }]
      : [],
  );
  return own.length > 0 ? [{ role: 'user', text: own.join('\n') }, ...added] : added;
}

function readAnswer(info: Json, parts: readonly Json[]): RecordedMessage[] {
  const steps: Json[][] = [[]];
  for (const part of parts) {
    if (part.type === 'step-start' && steps.at(-1)?.length) steps.push([]);
    steps.at(-1)?.push(part);
  }
  const stopped = objectOf(info.error).name === 'MessageAbortedError';
  const model = asText(info.modelID) || 'imported';
  return steps.flatMap((step, nth) => readStep(step, model, stopped && nth === steps.length - 1));
}

function readStep(parts: readonly Json[], model: string, stopped: boolean): RecordedMessage[] {
  const reasoning = parts.flatMap(({ type, text }) => (type === 'reasoning' ? asText(text) : [])).filter(Boolean);
  const toolCalls: ToolCall[] = [];
  const results: RecordedMessage[] = [];
  /** When its first call began, right after the answer. */
  let called: unknown;
  for (const { type, callID, tool, state } of parts) {
    if (type !== 'tool') continue;
    const { status, input, output, error, time } = objectOf(state);
    const { start, end } = objectOf(time);
    called ??= start;
    toolCalls.push(callOf(callID, tool, input));
    if (status === 'completed') results.push(...timed([resultOf(callID, asText(output), false)], end));
    if (status === 'error') results.push(...timed([resultOf(callID, asText(error), true)], end));
  }
  const text = textsOf(parts).join('\n\n');
  if (text === '' && reasoning.length === 0 && toolCalls.length === 0) return [];
  const usage = readUsage(objectOf(parts.findLast(({ type }) => type === 'step-finish')?.tokens));
  const answer = {
    ...answerOf(text, reasoning.join('\n\n'), toolCalls),
    ...(usage ? { usage, model } : {}),
    ...(stopped ? { interrupted: true } : {}),
  };
  const said = parts.findLast(({ type }) => type === 'text' || type === 'reasoning');
  return [...timed([answer], called ?? objectOf(said?.time).end), ...results];
}

const textsOf = (parts: readonly Json[]) =>
  parts.flatMap(({ type, text, ignored }) => (type === 'text' && ignored !== true && text ? asText(text) : []));

/** Cached tokens and reasoning are counted beside the others. */
function readUsage({ input, output, reasoning: thought, cache }: Json): Usage | null {
  const { read, write } = objectOf(cache);
  const [cached, reasoning] = [countOf(read), countOf(thought)];
  const all = countOf(input) + cached + countOf(write);
  return all > 0 ? { input: all, cached, output: countOf(output) + reasoning, reasoning } : null;
}
