/**
 * The last pass over a request before a dialect writes it: no half of a surrogate pair and no NUL in any text, also inside
 * the arguments of calls; tools whose names and schemas every provider takes; images within the endpoint's limits. What
 * is in order stays letter for letter, and each message depends on itself alone, so that caches hold.
 */

import { readImage } from '../core/context/imageFacts.ts';
import type { ToolCall } from '../core/context/message.ts';
import { isObject, type Json, parseObject } from '../core/json.ts';
import type { ChatMessage, ContentPart, ModelEvent, ModelRequest } from '../core/model/modelClient.ts';
import { type Words, words } from '../core/words.ts';
import { encodeName } from './encodeParts.ts';
import { sendableSchema } from './sendableSchema.ts';

/** The images that an endpoint takes in one request. Omitted: without limit. */
export interface ImageRules {
  /** For the person's note. */
  readonly name: string;
  readonly most?: number;
  /** With more than `count` images, each side has at most `side` pixels. */
  readonly many?: { readonly count: number; readonly side: number };
  /** Media types that it does not take. */
  readonly not?: readonly string[];
}

/**
 * As documented: Anthropic "Vision", Google "Image understanding", Mistral "Vision", Groq "Images and Vision". Bytes and
 * pixels of one image are checked where it is attached.
 */
export function imageRulesOf(host: string, speaksMessages: boolean): ImageRules {
  const rules = HOSTS.find(([ending]) => host === ending || host.endsWith(`.${ending}`))?.[1] ?? {};
  const own = speaksMessages ? { most: 100, many: { count: 20, side: 2_000 } } : {};
  return { name: host, ...own, ...rules };
}

const HOSTS: readonly (readonly [string, Partial<ImageRules>])[] = [
  ['googleapis.com', { not: ['image/gif'] }],
  ['mistral.ai', { most: 8 }],
  ['groq.com', { most: 5 }],
];

export interface TidyRequest {
  readonly request: ModelRequest;
  /** Images that are only named, for a person; null when all are sent. */
  readonly omitted: Words | null;
  /** A finished answer with the tools' own names. */
  restore(event: Extract<ModelEvent, { type: 'done' }>): Extract<ModelEvent, { type: 'done' }>;
}

export function tidyRequest(request: ModelRequest, rules: ImageRules): TidyRequest {
  const names = sentToolNames(request.tools.map(({ name }) => name));
  const own = new Map([...names].map(([name, sent]) => [sent, name]));
  const images = choosePictures(request.messages, rules);
  const tools = request.tools.map(({ name, description, parameters }) => {
    const sendable = sendableSchema(parameters);
    const text = [description, sendable.note].filter(Boolean).join('\n\n');
    return {
      name: names.get(name) ?? name,
      description: cleanText(text),
      parameters: cleanDeep(sendable.parameters) as typeof parameters,
    };
  });
  const messages = request.messages.map((message) => tidyMessage(message, names, images.replaced));
  return {
    request: { ...request, messages, tools },
    omitted: images.omitted,
    restore: (event) => {
      const isRenamed = event.toolCalls.some(({ name }) => (own.get(name) ?? name) !== name);
      if (!isRenamed) return event;
      return {
        ...event,
        toolCalls: event.toolCalls.map((call) => ({ ...call, name: own.get(call.name) ?? call.name })),
      };
    },
  };
}

/** The tool's own name to the one that is sent; each is sent once. */
function sentToolNames(own: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set(own.filter((name) => encodeName(name) === name));
  const sent = new Map<string, string>();
  for (const name of own) {
    let found = encodeName(name);
    for (let attempt = 2; found !== name && taken.has(found); attempt++)
      found = `${encodeName(name).slice(0, 60)}_${attempt}`;
    taken.add(found);
    sent.set(name, found);
  }
  return sent;
}

function tidyMessage(
  message: ChatMessage,
  names: ReadonlyMap<string, string>,
  replaced: ReadonlyMap<ContentPart, ContentPart>,
): ChatMessage {
  const text = cleanText(message.text);
  if (message.role === 'assistant') {
    const { toolCalls, reasoning } = message;
    return {
      ...message,
      text,
      ...(toolCalls ? { toolCalls: toolCalls.map((call) => tidyCall(call, names)) } : {}),
      ...(reasoning ? { reasoning: cleanDeep(reasoning) as typeof reasoning } : {}),
    };
  }
  if (message.role === 'system' || !message.parts) return { ...message, text };
  const parts = message.parts.map((part) => {
    const sent = replaced.get(part) ?? part;
    return sent.type === 'text' ? { ...sent, text: cleanText(sent.text) } : sent;
  });
  return { ...message, text, parts };
}

function tidyCall(call: ToolCall, names: ReadonlyMap<string, string>): ToolCall {
  return { ...call, name: cleanText(names.get(call.name) ?? call.name), arguments: cleanArguments(call.arguments) };
}

/** JSON text can spell a character that it must not hold as an escape. */
function cleanArguments(json: string): string {
  const given = cleanText(json);
  if (!/\\u(?:d[89a-f]|0000)/i.test(given)) return given;
  const value = parseObject(given);
  if (!value) return given;
  const cleaned = cleanDeep(value);
  return cleaned === value ? given : JSON.stringify(cleaned);
}

/** `␀` in place of NUL, which some servers cannot store. */
function cleanText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes('\0') ? whole.replaceAll('\0', '␀') : whole;
}

/** The value itself where nothing changes. The depth of foreign values is bounded where they arrive. */
function cleanDeep(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) {
    const cleaned = value.map(cleanDeep);
    return cleaned.some((each, index) => each !== value[index]) ? cleaned : value;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, each]) => [cleanText(name), cleanDeep(each)] as const);
  return entries.some(([name, each]) => !Object.hasOwn(value, name) || each !== value[name])
    ? (Object.fromEntries(entries) as Json)
    : value;
}

type Picture = Extract<ContentPart, { type: 'image' }>;

/** Which images go in another form: with the type of their bytes, or as text. The newest are kept. */
function choosePictures(
  messages: readonly ChatMessage[],
  { name, most = Number.POSITIVE_INFINITY, many, not = [] }: ImageRules,
): { readonly replaced: ReadonlyMap<ContentPart, ContentPart>; readonly omitted: Words | null } {
  const replaced = new Map<ContentPart, ContentPart>();
  const pictures = messages.flatMap((message) =>
    message.role === 'user' || message.role === 'tool'
      ? (message.parts ?? []).filter((part): part is Picture => part.type === 'image')
      : [],
  );
  const omitted: Words[] = [];
  const leaveOut = (left: readonly Picture[], reason: string, remark: Words) => {
    if (left.length > 0) omitted.push(remark);
    for (const each of left)
      replaced.set(each, { type: 'text', text: `[An image (${typeOfBytes(each)}) was left out here: ${reason}.]` });
  };
  const refused = pictures.filter((each) => not.includes(typeOfBytes(each)));
  leaveOut(
    refused,
    'the endpoint takes no images of this type',
    words('{0} takes no images of the type {1}. They are only named in the request.', name, not.join(', ')),
  );
  const taken = pictures.filter((each) => !refused.includes(each));
  const old = taken.slice(0, Math.max(0, taken.length - most));
  leaveOut(
    old,
    'the endpoint takes no more images in one request',
    words('{0} takes at most {1} images in one request. The older ones are only named: {2}.', name, most, old.length),
  );
  const kept = taken.slice(old.length);
  if (many && kept.length > many.count) {
    const large = kept.filter((each) => longestSide(each) > many.side);
    leaveOut(
      large,
      'it is too large to be sent with so many others',
      words(
        '{0} takes more than {1} images in one request only when no side has more than {2} pixels. Larger ones are only named: {3}.',
        name,
        many.count,
        many.side,
        large.length,
      ),
    );
  }
  for (const each of kept) {
    const mime = typeOfBytes(each);
    if (mime !== each.mime && !replaced.has(each)) replaced.set(each, { ...each, mime });
  }
  return { replaced, omitted: omitted.length > 0 ? omitted.flat() : null };
}

/** The first bytes of each type, in base64. */
const BEGINNINGS: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];

function typeOfBytes({ base64, mime }: Picture): string {
  return BEGINNINGS.find(([beginning]) => base64.startsWith(beginning))?.[1] ?? mime;
}

/** Pixels; 0 when unknown. */
function longestSide({ base64 }: Picture): number {
  const facts = readImage(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)));
  return facts ? Math.max(facts.width, facts.height) : 0;
}
