/**
 * Makes a call of what the model wrote as text. It is the model's own act only where the answer ends with it, outside
 * of code, and where nothing that was read holds the same text: what a file or a result says cannot be made a call by being
 * repeated. Beyond that it gets no rights: it takes the ordinary way, with the same approval, mode and hooks as any other.
 */

import type { ToolCall } from '../../context/message.ts';
import type { Projection } from '../../context/projection.ts';
import type { Crypto } from '../../crypto.ts';
import { findWrittenCalls } from '../../model/writtenCalls.ts';
import { takeCall } from '../../tools/arguments/takeCall.ts';
import { showInOneLine } from '../../tools/text/showHidden.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Files } from '../../workspace/files.ts';

/** The answer without what was written, and with the calls. */
interface Made {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finish: 'toolCalls';
}

export type WrittenCall =
  | { readonly kind: 'calls'; readonly made: Made }
  /** Why it is none, in words for the model. */
  | { readonly kind: 'refused'; readonly reason: string };

interface Reading {
  readonly tools: readonly Tool[];
  readonly files: Pick<Files, 'resolve'>;
  readonly context: Projection;
  readonly crypto: Pick<Crypto, 'randomHex'>;
}

/** Null for an answer that holds no call. */
export async function readWrittenCall(
  answer: string,
  { tools, files, context, crypto }: Reading,
): Promise<WrittenCall | null> {
  if (tools.length === 0) return null;
  const found = findWrittenCalls(
    answer,
    tools.map(({ name }) => name),
  );
  if (!found) return null;
  const { before, written, calls, bare } = found;
  // Bare JSON that is no call after all is an answer in JSON.
  const refused = (reason: string): WrittenCall | null => (bare ? null : { kind: 'refused', reason });
  if (!calls) return refused('It is not complete, or text follows it.');
  if (isRead(written.trim(), context)) return refused('The same text is in what you read.');
  const toolCalls: ToolCall[] = [];
  for (const made of calls) {
    const tool = tools.find(({ name }) => name === made.name);
    if (!tool) return refused(`There is no tool "${showInOneLine(made.name)}".`);
    const call = { id: `call_${crypto.randomHex(12)}`, ...made };
    const taking = await takeCall(call, tool, files);
    if (taking.kind === 'refused') return refused(`${tool.name}: ${taking.reason}`);
    toolCalls.push(call);
  }
  return { kind: 'calls', made: { text: before, toolCalls, finish: 'toolCalls' } };
}

const isRead = (written: string, { conversation }: Projection): boolean =>
  conversation.some(({ message }) => message.role !== 'assistant' && message.text.includes(written));

export const tellToCall = (reason: string): string =>
  `Your answer above writes a tool call as text. ${reason} Nothing was run. Call a tool through the interface for tool calls, with its arguments as JSON, and not inside your answer. If the text was meant for the user, put it into a code block and answer again.`;
