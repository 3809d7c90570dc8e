/**
 * Sessions of GitHub Copilot: the command line's `events.jsonl`, and VS Code's, as it keeps them and as *Chat: Export Chat…*
 * writes them: one object, or in newer versions a log of its changes, which is replayed. The rounds of tool calls are in
 * the metadata of a request's result.
 */

import { asText, isObject, type Json, listOf, objectOf, parseObject } from '../../json.ts';
import type { ImportReport, Recorded, RecordedMessage } from '../recorded.ts';
import { answerOf, callOf, contentOf, messagesIn, resultOf, timed } from './json.ts';
import { readList } from './readList.ts';

export function readCopilotCli(events: readonly Json[]): Recorded[] {
  return events.flatMap((event) => timed(readEvent(event), event.timestamp));
}

function readEvent({ type, data: given }: Json): Recorded[] {
  const data = objectOf(given);
  switch (type) {
    case 'system.message':
      return [{ role: 'system', text: contentOf(data.content) }];
    case 'user.message':
      return messagesIn(data.content);
    case 'assistant.message': {
      const calls = listOf(data.toolRequests).map(objectOf);
      return [
        answerOf(
          contentOf(data.content),
          asText(data.reasoningText),
          calls.map(({ toolCallId, name, arguments: args }) => callOf(toolCallId, name, args)),
        ),
      ];
    }
    case 'tool.execution_complete': {
      const text = contentOf(objectOf(data.result).content ?? objectOf(data.error).message ?? '');
      return [resultOf(data.toolCallId, text, data.success === false)];
    }
    case 'session.compaction_complete': {
      const text = asText(data.summaryContent);
      if (data.success === false) return [];
      return [{ role: 'compaction', context: text ? [{ role: 'user', kind: 'summary', text }] : null }];
    }
    default:
      return [];
  }
}

export function readCopilotChat(requests: readonly Json[]): Recorded[] {
  return requests.flatMap(({ message, response, result, isCanceled, modelState }): Recorded[] => {
    const { toolCallRounds, toolCallResults } = objectOf(objectOf(result).metadata);
    const question: Recorded = { role: 'user', text: asText(objectOf(message).text) };
    const rounds = listOf(toolCallRounds).map(objectOf);
    const answer = listOf(response).map(showResponse).join('');
    const answers = rounds.flatMap((round) => readRound(round, objectOf(toolCallResults)));
    if (answers.length === 0 && answer) answers.push(answerOf(answer, '', []));
    const last = answers.at(-1);
    const isCut = isCanceled === true || objectOf(modelState).value === CANCELLED;
    if (isCut && last?.role === 'assistant') answers.splice(-1, 1, { ...last, interrupted: true });
    return [question, ...answers];
  });
}

/** In `modelState` of a request, which newer versions have in place of `isCanceled`. */
const CANCELLED = 2;

/** Kinds of a line of the log. */
const STATE = 0;
const SET = 1;
const PUSH = 2;
const DELETE = 3;

/** True for a line of the log: the whole session, or a change at the path `k`. */
export function isChatLogLine({ kind, v, k }: Json): boolean {
  if (kind === STATE) return isObject(v) && Array.isArray(v.requests);
  return (kind === SET || kind === PUSH || kind === DELETE) && Array.isArray(k) && k.length > 0;
}

const STATE_BEGINS = /^\s*\{\s*"kind"\s*:\s*0\s*,\s*"v"\s*:\s*/;

/** A change whose place is not there, because a line before it cannot be read, counts as a broken link. */
export function readCopilotChatLog(lines: readonly string[], report: ImportReport): Recorded[] {
  let session: Record<string, unknown> = { requests: [] };
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const change = parseObject(line);
    if (!change) {
      report.badLines.push({ line: at + 1, reason: 'not JSON' });
      const [begins] = STATE_BEGINS.exec(line) ?? [];
      if (begins !== undefined) session = { requests: readList(line.slice(begins.length), 'requests').items };
    } else if (change.kind === STATE) session = { ...objectOf(change.v) };
    else if (isChatLogLine(change) && !replay(session, change)) report.brokenLinks++;
  }
  return readCopilotChat(listOf(session.requests).filter(isObject));
}

/** False where the place is not there. */
function replay(session: Record<string, unknown>, { kind, k, v, i }: Json): boolean {
  const path = listOf(k);
  const last = path.at(-1);
  let holder: unknown = session;
  for (const key of path.slice(0, -1)) holder = childOf(holder, key);
  if (!isHolder(holder) || !isKey(holder, last)) return false;
  if (kind === DELETE) delete holder[last];
  else if (kind === SET) holder[last] = v;
  else {
    const list = childOf(holder, last);
    const before = Array.isArray(list) ? list : [];
    holder[last] = [...(typeof i === 'number' ? before.slice(0, Math.max(i, 0)) : before), ...listOf(v)];
  }
  return true;
}

const isHolder = (value: unknown): value is Record<string | number, unknown> =>
  typeof value === 'object' && value !== null;

/** A place in a list is one that it has, or the next. */
function isKey(holder: object, key: unknown): key is string | number {
  if (Array.isArray(holder)) return Number.isInteger(key) && Number(key) >= 0 && Number(key) <= holder.length;
  return typeof key === 'string' && key !== '__proto__';
}

const childOf = (holder: unknown, key: unknown): unknown =>
  isHolder(holder) && isKey(holder, key) && Object.hasOwn(holder, key) ? holder[key] : undefined;

function readRound({ response, thinking, toolCalls }: Json, results: Json): RecordedMessage[] {
  const calls = listOf(toolCalls).map(objectOf);
  const read = calls.map(({ id, name, arguments: args }) => callOf(id, name, args));
  const text = asText(response);
  const thought = contentOf(objectOf(thinking).text ?? '');
  if (!text && !thought && read.length === 0) return [];
  return [
    answerOf(text, thought, read),
    ...read.flatMap(({ id }) => {
      const result = results[id];
      return isObject(result) ? [resultOf(id, listOf(result.content).map(showContent).join('\n'), false)] : [];
    }),
  ];
}

/** Text, or the tree of nodes of a rendered prompt, whose leaves hold the text. */
function showContent(part: unknown): string {
  const texts: string[] = [];
  const open: unknown[] = [part];
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    if (typeof each === 'string') texts.push(each);
    else if (Array.isArray(each)) open.push(...each.toReversed());
    else if (isObject(each))
      open.push(...[each.value, each.node, each.text, each.children].filter(Boolean).toReversed());
  }
  return texts.join('');
}

function showResponse(part: unknown): string {
  const { kind, value, content } = objectOf(part);
  if (kind === 'markdownContent') return asText(objectOf(content).value);
  return kind === undefined ? asText(value) : '';
}
