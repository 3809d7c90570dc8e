/**
 * The parts of a request that it can do without: tools, images, calls with their results, long texts. A part is known by
 * its content, so that it is found again in later requests. Pure.
 */

import { wrap } from '../../core/context/frames.ts';
import { writeCall } from '../../core/context/lower.ts';
import { isForeignTool } from '../../core/mcp/mcpNames.ts';
import type { ChatMessage, ContentPart, ModelRequest } from '../../core/model/modelClient.ts';
import { hashText } from '../hashText.ts';

export type PartKind = 'image' | 'tool' | 'calls' | 'result';

export interface RequestPart {
  readonly key: string;
  readonly kind: PartKind;
  /** The tool's name, the image as the message names it, the called tools. */
  readonly name: string;
  /** How likely a refusal is about it where the words do not tell; 0 first. */
  readonly rank: number;
  /** Texts by which the part is recognised in an encoded request. */
  readonly marks: readonly string[];
}

/** Rank of a tool that another program describes. */
export const FOREIGN = 1;

/** Stands for every image: the model takes none. */
export const ALL_IMAGES = 'images';

/** Characters at either end of a part that tell it from others of its length. */
const TELLING = 400;

const keyOf = (kind: PartKind, text: string) =>
  `${kind} ${text.length} ${hashText(text.length <= 2 * TELLING ? text : text.slice(0, TELLING) + text.slice(-TELLING))}`;

type ToolCalls = NonNullable<Extract<ChatMessage, { role: 'assistant' }>['toolCalls']>;
type Tool = ModelRequest['tools'][number];
type Image = Extract<ContentPart, { type: 'image' }>;

const keyOfTool = (tool: Tool) => `${keyOf('tool', JSON.stringify(tool))} ${tool.name}`;
const keyOfImage = ({ base64 }: Image) => keyOf('image', base64);
const keyOfCalls = (calls: ToolCalls) =>
  keyOf('calls', calls.map(({ id, arguments: given }) => `${id} ${given}`).join('\n'));
const keyOfResult = (id: string, text: string) => keyOf('result', `${id} ${text}`);

/** Within a rank the newest first, of tools those with the most unusual schema. */
export function partsOf({ messages, tools }: ModelRequest): readonly RequestPart[] {
  const parts: RequestPart[] = [];
  const seen = new Set<string>();
  const add = (part: RequestPart) => {
    if (!seen.has(part.key)) parts.push(part);
    seen.add(part.key);
  };
  const called = new Map<string, string>();
  for (const message of messages)
    if (message.role === 'assistant') for (const { id, name } of message.toolCalls ?? []) called.set(id, name);
  for (const message of messages.toReversed()) {
    if ('parts' in message) {
      for (const [at, part] of (message.parts ?? []).entries())
        if (part.type === 'image')
          add({
            key: keyOfImage(part),
            kind: 'image',
            name: nameOfImage(message.parts ?? [], at),
            rank: 0,
            marks: [part.base64.slice(0, TELLING)],
          });
    }
    if (message.role === 'assistant' && message.toolCalls?.length) {
      const { toolCalls } = message;
      const name = [...new Set(toolCalls.map((call) => call.name))].join(', ');
      add({ key: keyOfCalls(toolCalls), kind: 'calls', name, rank: 2, marks: toolCalls.map(({ id }) => id) });
    }
    if (message.role === 'tool') {
      const { toolCallId, text } = message;
      const marks = [toolCallId, text.slice(0, 80)].filter((mark) => mark.length >= 8);
      add({ key: keyOfResult(toolCallId, text), kind: 'result', name: called.get(toolCallId) ?? '', rank: 3, marks });
    }
  }
  for (const tool of tools.toSorted((a, b) => oddity(b) - oddity(a)))
    add({
      key: keyOfTool(tool),
      kind: 'tool',
      name: tool.name,
      rank: isForeignTool(tool.name) ? FOREIGN : 4,
      marks: [`"name":${JSON.stringify(tool.name)}`],
    });
  return parts.toSorted((a, b) => a.rank - b.rank);
}

/** Keywords that not every endpoint takes in a tool's schema. */
const ODD =
  /"(?:anyOf|oneOf|allOf|not|\$ref|\$defs|definitions|patternProperties|propertyNames|dependentRequired|if|then|else|const|format|pattern|prefixItems|default|examples)":|"type":\[/g;

const oddity = ({ parameters }: Tool) => (JSON.stringify(parameters).match(ODD) ?? []).length;

/** The text before an image names it. */
function nameOfImage(parts: readonly ContentPart[], at: number): string {
  const before = parts[at - 1];
  const named = before?.type === 'text' ? /^\[image (.*)\]$/s.exec(before.text)?.[1] : undefined;
  const image = parts[at];
  return named ?? (image?.type === 'image' ? image.mime : '');
}

/** The same request with the parts of these keys as text, or without them. */
export function withoutParts(request: ModelRequest, keys: ReadonlySet<string>): ModelRequest {
  if (keys.size === 0) return request;
  const messages: ChatMessage[] = [];
  /** Calls that are sent as text, by id. */
  let inWords = new Map<string, ToolCalls[number]>();
  for (const message of request.messages) {
    if (message.role === 'assistant' && message.toolCalls?.length && keys.has(keyOfCalls(message.toolCalls))) {
      inWords = new Map(message.toolCalls.map((call) => [call.id, call]));
      if (message.text) messages.push({ role: 'assistant', text: message.text });
      continue;
    }
    if (message.role === 'assistant') inWords = new Map();
    messages.push(withoutImages(withoutResult(message, inWords, keys), keys));
  }
  const tools = request.tools.filter((tool) => !keys.has(keyOfTool(tool)));
  return { ...request, messages, tools };
}

function withoutResult(
  message: ChatMessage,
  inWords: ReadonlyMap<string, ToolCalls[number]>,
  keys: ReadonlySet<string>,
): ChatMessage {
  if (message.role !== 'tool') return message;
  const { toolCallId, text, parts } = message;
  const sent = keys.has(keyOfResult(toolCallId, text)) ? REFUSED_RESULT : text;
  const call = inWords.get(toolCallId);
  if (!call) return sent === text ? message : { role: 'tool', toolCallId, text: sent };
  return { ...writeCall(call, sent), ...(parts ? { parts } : {}) };
}

const REFUSED_RESULT = '[This result could not be sent: the endpoint refused it. You have not seen it.]';

function withoutImages(message: ChatMessage, keys: ReadonlySet<string>): ChatMessage {
  if (!('parts' in message) || !message.parts) return message;
  const isRefused = (part: ContentPart) =>
    part.type === 'image' && (keys.has(ALL_IMAGES) || keys.has(keyOfImage(part)));
  if (!message.parts.some(isRefused)) return message;
  const parts = message.parts.map(
    (part): ContentPart => (isRefused(part) ? { type: 'text', text: REFUSED_IMAGE } : part),
  );
  if (parts.some(({ type }) => type !== 'text')) return { ...message, parts };
  // Servers that take no images often take no list of parts.
  const { parts: _, ...rest } = message;
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return { ...rest, text: [message.text, ...texts].filter(Boolean).join('\n') };
}

const REFUSED_IMAGE = wrap(
  'system-reminder',
  'The image named above could not be sent to you: the endpoint refused it. You have not seen it; say so if it matters.',
);
