/** pi's sessions: JSON lines linked by `parentId` (not linked in the oldest); the branch that ends last is imported. */

import { asText, type Json, listOf, objectOf } from '../../json.ts';
import type { ImportReport, Recorded, RecordedMessage } from '../recorded.ts';
import { answerOf, callOf, contentOf, countOf, messagesIn, resultOf, timed, usageOf } from './json.ts';
import { LinkedLines, linkOf } from './links.ts';

export function readPi(lines: readonly Json[], report: ImportReport): Recorded[] {
  const recorded: Recorded[] = [];
  /** The messages of each line of the branch, in order. */
  const messagesOf = new Map<Json, readonly RecordedMessage[]>();
  for (const line of branchOf(lines, report)) {
    if (line.type === 'compaction') {
      const summary: RecordedMessage = { role: 'user', kind: 'summary', text: asText(line.summary) };
      const firstKept = (each: Json) =>
        typeof line.firstKeptEntryIndex === 'number'
          ? each === lines[line.firstKeptEntryIndex]
          : typeof each.id === 'string' && each.id === line.firstKeptEntryId;
      const before = [...messagesOf.keys()];
      const from = before.findIndex(firstKept);
      const kept = from < 0 ? [] : before.slice(from).flatMap((each) => messagesOf.get(each) ?? []);
      recorded.push({ role: 'compaction', context: [summary, ...kept] });
      continue;
    }
    const messages = timed(readLine(line), line.timestamp ?? objectOf(line.message).timestamp);
    messagesOf.set(line, messages);
    recorded.push(...messages);
  }
  return recorded;
}

function readLine(line: Json): RecordedMessage[] {
  if (line.type === 'message') return readMessage(objectOf(line.message));
  if (line.type === 'branch_summary') return [{ role: 'user', kind: 'summary', text: asText(line.summary) }];
  // Text that an extension of pi added for the model.
  if (line.type === 'custom_message') return [{ role: 'user', kind: 'reminder', text: contentOf(line.content) }];
  return [];
}

function branchOf(lines: readonly Json[], report: ImportReport): readonly Json[] {
  const last = lines.findLast(({ type }) => type !== 'session');
  if (!last || !lines.some((line) => 'parentId' in line)) return lines;
  const linked = new LinkedLines(lines, {
    idOf: ({ id }) => asText(id),
    parentOf: ({ parentId }) => linkOf(parentId),
    isSpoken: ({ type }) => SPOKEN.has(type),
  });
  const branch = [...linked.walk(last)].reverse();
  report.brokenLinks += linked.broken;
  return branch;
}

const SPOKEN: ReadonlySet<unknown> = new Set(['message', 'compaction', 'branch_summary', 'custom_message']);

/** A message as pi holds it. */
export function readMessage(message: Json): RecordedMessage[] {
  switch (message.role) {
    case 'user':
      return messagesIn(message.content);
    case 'toolResult':
      return [resultOf(message.toolCallId, contentOf(message.content), message.isError === true)];
    case 'assistant': {
      const parts = listOf(message.content).map(objectOf);
      const texts = parts.flatMap(({ type, text }) => (type === 'text' ? [asText(text)] : []));
      const reasoning = parts
        .flatMap(({ type, thinking }) => (type === 'thinking' ? [asText(thinking)] : []))
        .join('\n\n');
      const toolCalls = parts.flatMap(({ type, id, name, arguments: args }) =>
        type === 'toolCall' ? [callOf(id, name, args)] : [],
      );
      const { input, cacheRead, cacheWrite, output } = objectOf(message.usage);
      const usage = usageOf(input, cacheRead, cacheWrite, output);
      const stopped = message.stopReason === 'aborted' || message.stopReason === 'error';
      return [
        {
          ...answerOf(texts.join('\n\n'), reasoning, toolCalls),
          ...(usage ? { usage, model: asText(message.model) || 'imported' } : {}),
          ...(stopped ? { interrupted: true } : {}),
        },
      ];
    }
    case 'bashExecution': {
      // A command that the person ran; pi reports it to the model, unless it is marked.
      if (message.excludeFromContext === true) return [];
      const text = `Ran \`${asText(message.command)}\` (exit code ${countOf(message.exitCode)})\n\n${asText(message.output)}`;
      return [{ role: 'user', kind: 'reminder', text }];
    }
    case 'custom':
    case 'hookMessage':
      return [{ role: 'user', kind: 'reminder', text: contentOf(message.content) }];
    default:
      return [];
  }
}
