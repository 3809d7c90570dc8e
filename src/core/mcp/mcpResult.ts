/**
 * What MCP servers answer, as text for the model. All of it is foreign: nothing is assumed about its shape, and its size is
 * bounded.
 */

import { fromBase64 } from '../context/base64.ts';
import { readImage } from '../context/imageFacts.ts';
import { type GivenImage, IMAGE_LIMITS } from '../context/images.ts';
import { asRecord, asText, listOf } from '../json.ts';
import { stripControls } from '../tools/text/stripControls.ts';
import type { ToolOutcome } from '../tools/tool.ts';

/** Characters. Longer results would not survive the later truncation. */
const LONGEST_RESULT = 8_000_000;
const MOST_PARTS = 1_000;

/** Characters of base64, line breaks included. */
const LONGEST_IMAGE = IMAGE_LIMITS.bytes * 1.5;

/**
 * A result as text for the model, with a line for every other kind of content. Nothing is assumed about its shape; a
 * result of unknown shape is shown as JSON. With `images`, those that a model accepts are returned next to the text.
 */
export function readMcpResult(result: unknown, { images: keep = false } = {}): ToolOutcome {
  const { content, structuredContent, isError } = asRecord(result) ?? {};
  const parts = listOf(content);
  const images: GivenImage[] = [];
  const lines = parts.slice(0, MOST_PARTS).map((part) => {
    const bytes = keep && images.length < IMAGE_LIMITS.count ? imageIn(part) : null;
    if (!bytes) return describePart(part);
    const name = `image ${images.length + 1}`;
    images.push({ name, bytes });
    return `[${name}]`;
  });
  if (parts.length > MOST_PARTS) lines.push(`[${parts.length - MOST_PARTS} more parts were left out]`);
  // A server that gives both repeats itself.
  if (lines.length === 0 && structuredContent !== undefined) lines.push(JSON.stringify(structuredContent, null, 2));
  const text = stripControls(lines.join('\n')).slice(0, LONGEST_RESULT);
  return {
    text: text.trim() === '' ? '(no output)' : text,
    ...(images.length > 0 ? { images } : {}),
    ...(isError === true ? { isError: true } : {}),
  };
}

/** Null unless it is an image of a kind and size that models accept: others are only named. */
function imageIn(part: unknown): Uint8Array | null {
  const { type, data } = asRecord(part) ?? {};
  if (type !== 'image' || typeof data !== 'string' || data.length > LONGEST_IMAGE) return null;
  const bytes = fromBase64(data);
  return bytes && bytes.length <= IMAGE_LIMITS.bytes && readImage(bytes) ? bytes : null;
}

function describePart(part: unknown): string {
  const { type, text, data, mimeType, resource, uri, name } = asRecord(part) ?? {};
  switch (type) {
    case 'text':
      return asText(text);
    case 'image':
    case 'audio':
      return `[${type} ${short(mimeType)}, ${sizeOf(data)}, which cannot be shown to you]`;
    case 'resource_link':
      return `[resource ${short(name)}: ${short(uri)}]`;
    case 'resource': {
      const { uri: at, mimeType: mime, text: body, blob } = asRecord(resource) ?? {};
      if (typeof body === 'string') return `[resource ${short(at)}]\n${body}`;
      return `[resource ${short(at)}, ${short(mime)}, ${sizeOf(blob)}, which cannot be shown to you]`;
    }
    default:
      return JSON.stringify(part) ?? '';
  }
}

const LONGEST_NAME = 500;

const short = (value: unknown) => asText(value).replaceAll('\n', ' ').slice(0, LONGEST_NAME);

/** Size of base64 data. */
const sizeOf = (data: unknown) => `${Math.ceil((asText(data).length * 3) / 4 / 1024)} KB`;

/** Resources and prompts of MCP servers as text. Nothing is assumed about their shape. */
export function readMcpResource(result: unknown): string {
  const parts = listOf(asRecord(result)?.contents).map((resource) => ({ type: 'resource', resource }));
  return readMcpResult({ content: parts }).text;
}

/** The messages of a prompt, one below the other; several are labelled with their speaker. */
export function readMcpPrompt(result: unknown): string {
  const messages = listOf(asRecord(result)?.messages);
  const texts = messages.map((message) => {
    const { role, content } = asRecord(message) ?? {};
    const { text } = readMcpResult({ content: Array.isArray(content) ? content : [content] });
    return messages.length > 1 ? `[${asText(role).slice(0, 20)}]\n${text}` : text;
  });
  return texts.join('\n\n');
}
