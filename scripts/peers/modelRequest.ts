/** A request to a model as the scripted server sees it, alike for Chat Completions and Responses. */

import { asRecord, asText, type Json, listOf, objectOf } from '../../src/core/json.ts';

export type Dialect = 'chat' | 'responses';

export interface ModelRequest {
  readonly tools: readonly OfferedTool[];
  readonly messages: readonly RequestMessage[];
  /** The tools, then each message, as JSON: what is counted and compared. */
  readonly pieces: readonly string[];
  readonly stream: boolean;
}

export interface OfferedTool {
  readonly name: string;
  /** Schemas of its arguments by name; null where it takes one free text. */
  readonly parameters: Json | null;
}

export interface RequestMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
}

export function readRequest(body: Json, dialect: Dialect): ModelRequest {
  const raw = dialect === 'chat' ? listOf(body.messages) : inputOf(body);
  return {
    tools: listOf(body.tools).map(readTool),
    messages: raw.map(readMessage),
    pieces: [JSON.stringify(body.tools ?? []), ...raw.map((each) => JSON.stringify(each))],
    stream: body.stream === true,
  };
}

function inputOf({ instructions, input }: Json): readonly unknown[] {
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : listOf(input);
  return instructions ? [{ role: 'system', content: instructions }, ...items] : items;
}

function readTool(raw: unknown): OfferedTool {
  const tool = objectOf(raw);
  const { name, parameters } = asRecord(tool.function) ?? tool;
  return {
    name: asText(name) || asText(tool.type),
    parameters: tool.type === 'custom' ? null : objectOf(objectOf(parameters).properties),
  };
}

function readMessage(raw: unknown): RequestMessage {
  const { role, type, content, output, arguments: given } = objectOf(raw);
  const isResult = role === 'tool' || asText(type).endsWith('_output');
  const isOurs = role === 'system' || role === 'developer';
  const named = isOurs ? 'system' : role === 'user' ? 'user' : 'assistant';
  return { role: isResult ? 'tool' : named, text: textOf(content ?? output ?? given) };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((part) => asText(part) || asText(objectOf(part).text))
    .join('\n');
}
