/**
 * Sessions of GitHub Copilot: the command line's `events.jsonl`, and what *Chat: Export Chat…* writes, where the rounds of
 * tool calls are in the metadata of a request's result.
 */

import { asText, isObject, type Json, listOf, objectOf } from '../../json.ts';
import type { Recorded, RecordedMessage } from '../recorded.ts';
import { answerOf, callOf, contentOf, messagesIn, resultOf, timed } from './json.ts';

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
  return requests.flatMap(({ message, response, result, isCanceled }): Recorded[] => {
    const { toolCallRounds, toolCallResults } = objectOf(objectOf(result).metadata);
    const question: Recorded = { role: 'user', text: asText(objectOf(message).text) };
    const rounds = listOf(toolCallRounds).map(objectOf);
    const answer = listOf(response).map(showResponse).join('');
    const answers = rounds.flatMap((round) => readRound(round, objectOf(toolCallResults)));
    if (answers.length === 0 && answer) answers.push(answerOf(answer, '', []));
    const last = answers.at(-1);
    if (isCanceled === true && last?.role === 'assistant') answers.splice(-1, 1, { ...last, interrupted: true });
    return [question, ...answers];
  });
}

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
