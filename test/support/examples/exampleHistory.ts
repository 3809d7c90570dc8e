/** Makes the entries of an example's history: its short lines written out, repeated, numbered. */

import type { Message } from '../../../src/core/context/message.ts';
import type { EntryDraft } from '../../../src/core/journal/entry.ts';
import { estimateMessage } from '../../../src/core/tokens/estimate.ts';
import type { ExampleCall, ExampleLine, ExampleLines } from './example.ts';

/** `{word*3}` is `word word word`, `{字*3}` is `字字字`. */
export function writeOut(text: string): string {
  return text.replace(/\{([^{}*]+)\*(\d+)\}/gu, (_, part: string, times: string) =>
    [...part].length === 1 ? part.repeat(Number(times)) : `${part} `.repeat(Number(times)).trimEnd(),
  );
}

let nextCall = 0;

export function historyEntries(lines: ExampleLines): EntryDraft[] {
  return lines.flatMap((line) => {
    if (!('times' in line)) return entriesOf(line, '');
    return Array.from({ length: line.times }, (_, n) =>
      line.lines.flatMap((each) => entriesOf(each, `${n + 1}`)),
    ).flat();
  });
}

function entriesOf(line: ExampleLine, number: string): EntryDraft[] {
  if ('usage' in line) return [{ type: 'usage', model: 'scripted', usage: line.usage }];
  if ('checkpoint' in line) return [{ type: 'checkpoint', id: line.checkpoint, label: '', toldModel: false }];
  const write = (text: string) => writeOut(text.replaceAll('#', number));
  return messagesOf(line, write).map((message) => ({ type: 'message', message, tokens: estimateMessage(message) }));
}

function messagesOf(
  line: Exclude<ExampleLine, { usage: unknown } | { checkpoint: unknown }>,
  write: (text: string) => string,
): Message[] {
  if ('calls' in line) return blockOf(line.calls, write(line.says), line.reasoning, write);
  if ('assistant' in line) return [{ role: 'assistant', text: write(line.assistant) }];
  const [[kind, text] = ['user', '']] = Object.entries(line);
  return [{ role: 'user', kind: kind as 'user', text: write(text) }];
}

function blockOf(
  calls: readonly ExampleCall[],
  text: string,
  reasoning: string | undefined,
  write: (text: string) => string,
): Message[] {
  const made = calls.map((call) => ({ ...call, id: `t${nextCall++}` }));
  const toolCalls = made.map(({ id, tool, input = {} }) => ({
    id,
    name: tool,
    arguments: write(JSON.stringify(input)),
  }));
  return [
    {
      role: 'assistant',
      text,
      toolCalls,
      ...(reasoning ? { reasoning: { field: 'reasoning_content', text: reasoning } } : {}),
    },
    ...made.map(
      ({ id, tool, result, keepNewest, cut }): Message => ({
        role: 'tool',
        toolCallId: id,
        toolName: tool,
        text: write(result),
        ...(keepNewest === undefined ? {} : { ephemeral: { keepNewest } }),
        ...(cut
          ? { truncation: { by: 'formatter', direction: 'head', originalLines: 9_000, originalBytes: 900_000 } }
          : {}),
      }),
    ),
  ];
}
