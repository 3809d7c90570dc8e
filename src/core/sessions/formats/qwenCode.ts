/**
 * Qwen Code's chats: JSON lines linked by `parentUuid`, each with a content in the form of Gemini's API. A compaction's
 * line holds the history that was sent from then on. Lines of subagents, and what was typed to the program, are left out.
 */

import type { Usage, UserKind } from '../../context/message.ts';
import { asText, type Json, listOf, objectOf } from '../../json.ts';
import type { ImportReport, Recorded, RecordedMessage } from '../recorded.ts';
import { GeminiReader, partsOf } from './geminiParts.ts';
import { countOf, timed } from './json.ts';
import { LinkedLines, linkOf } from './links.ts';

const SPOKEN: ReadonlySet<unknown> = new Set(['user', 'assistant', 'tool_result']);

/** A line of Qwen Code, as Claude Code's is, but with the content of another API. */
export function isOfQwen({ type, subtype, message, uuid, systemPayload }: Json): boolean {
  if (typeof uuid !== 'string') return false;
  return (
    (SPOKEN.has(type) && Array.isArray(objectOf(message).parts)) ||
    (type === 'system' && (systemPayload !== undefined || subtype === 'chat_compression'))
  );
}

export function readQwenCode(recorded: readonly Json[], report: ImportReport): Recorded[] {
  const linked = new LinkedLines(recorded, {
    idOf: ({ uuid }) => asText(uuid),
    parentOf: ({ parentUuid }) => linkOf(parentUuid),
    isSpoken,
  });
  const last = linked.lines.findLast(isOfSession);
  const chain = last ? [...linked.walk(last)].reverse() : [];
  report.brokenLinks += linked.broken;
  const reader = new GeminiReader();
  /** The messages made of each content, by its JSON, for a compaction that repeats it. */
  const said = new Map<string, readonly RecordedMessage[]>();
  return chain.flatMap((line) => {
    if (line.type === 'system') return line.subtype === 'chat_compression' ? readCompaction(line, said) : [];
    if (!isSpoken(line)) return [];
    const messages = timed(readLine(line, reader), line.timestamp);
    said.set(JSON.stringify(partsOf(line.message)), messages);
    return messages;
  });
}

const isOfSession = (line: Json) => line.isSidechain !== true && typeof line.uuid === 'string';

const isSpoken = (line: Json) =>
  isOfSession(line) && SPOKEN.has(line.type) && line.subtype !== 'realtime_message' && 'message' in line;

function readLine(line: Json, reader: GeminiReader): RecordedMessage[] {
  const { message } = line;
  if (line.type === 'assistant') {
    const usage = readUsage(objectOf(line.usageMetadata));
    return [{ ...reader.readAnswer(message), ...(usage ? { usage, model: asText(line.model) || 'imported' } : {}) }];
  }
  const { status } = objectOf(line.toolCallResult);
  const kind = kindOf(line);
  return reader
    .readPerson(message, status === 'error' || status === 'cancelled')
    .map((each) => (each.role === 'user' && kind ? { ...each, kind } : each));
}

/** Text in the person's role that the program wrote. */
function kindOf({ type, provenance, subtype }: Json): UserKind | null {
  const byPerson = provenance === undefined || provenance === 'real_user';
  return type === 'tool_result' || !byPerson || subtype === 'notification' || subtype === 'cron' ? 'reminder' : null;
}

function readCompaction(line: Json, said: ReadonlyMap<string, readonly RecordedMessage[]>): Recorded[] {
  const { compressedHistory } = objectOf(line.systemPayload);
  if (!Array.isArray(compressedHistory)) return [{ role: 'compaction', context: null }];
  const reader = new GeminiReader();
  let summarised = false;
  const context = listOf(compressedHistory).flatMap((content): readonly RecordedMessage[] => {
    const before = said.get(JSON.stringify(partsOf(content)));
    if (before) return before;
    if (objectOf(content).role === 'model') return [reader.readAnswer(content)];
    return reader.readPerson(content).map((each) => {
      if (each.role !== 'user' || summarised) return each;
      summarised = true;
      return { ...each, kind: 'summary' };
    });
  });
  return [{ role: 'compaction', context }];
}

function readUsage({
  promptTokenCount,
  cachedContentTokenCount,
  candidatesTokenCount,
  thoughtsTokenCount,
}: Json): Usage | null {
  const input = countOf(promptTokenCount);
  if (input === 0) return null;
  return {
    input,
    cached: countOf(cachedContentTokenCount),
    output: countOf(candidatesTokenCount),
    reasoning: countOf(thoughtsTokenCount),
  };
}
