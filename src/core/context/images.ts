/**
 * Images of messages and results. Bytes become attachments: images that no provider accepts are refused with a reason, and
 * the others are stored as blobs of the session. Kind and size are read from the bytes, because names and types given from
 * outside are not trusted.
 */

import type { BlobStore } from '../journal/blobStore.ts';
import type { ChatMessage, ContentPart, ModelClient, ModelRequest } from '../model/modelClient.ts';
import { countTokens } from '../tokens/estimate.ts';
import { type Words, words } from '../words.ts';
import { describeImage } from './item.ts';
import type { Attachment } from './message.ts';

/** Limits of the strictest of the large providers. */
export const IMAGE_LIMITS = {
  /** Base64, the form in which it is sent, is a third larger. */
  bytes: 3_750_000,
  /** Pixels of the longer side. */
  side: 8_000,
  /** Images in one message or result. */
  count: 10,
} as const;

export interface GivenImage {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The model that will see the images. */
export interface Viewer {
  /** As the endpoint names it. */
  readonly model: string;
  readonly takesImages: boolean;
}

type AttachedImage =
  | { readonly kind: 'attached'; readonly attachment: Attachment }
  | { readonly kind: 'refused'; readonly reason: Words };

const LONGEST_NAME = 100;

/** Checks each image separately: refusing one does not affect the others. */
export async function attachImages(
  images: readonly GivenImage[],
  viewer: Viewer,
  blobs: Pick<BlobStore, 'put'>,
): Promise<readonly AttachedImage[]> {
  const attached: AttachedImage[] = [];
  for (const [index, { name, bytes }] of images.entries()) {
    const checked =
      index < IMAGE_LIMITS.count
        ? checkImage(name, bytes)
        : words('At most {0} images can be sent together.', IMAGE_LIMITS.count);
    if (!('mime' in checked)) attached.push({ kind: 'refused', reason: checked });
    else {
      const { mime, width, height } = checked;
      const known = { mime, name: cutName(name), width, height };
      const tokens = viewer.takesImages
        ? imageTokens({ width, height }, viewer.model)
        : countTokens(describeImage(known));
      attached.push({ kind: 'attached', attachment: { ...known, blob: await blobs.put(bytes), tokens } });
    }
  }
  return attached;
}

/** The facts of the image, or the reason why it cannot be used. */
export function checkImage(name: string, bytes: Uint8Array): ImageFacts | Words {
  const shown = cutName(name);
  const facts = readImage(bytes);
  if (!facts) return words('{0} is not a PNG, JPEG, GIF or WebP image, or it is damaged.', shown);
  if (bytes.length > IMAGE_LIMITS.bytes) {
    return words(
      '{0} has {1} bytes, more than the {2} that are sent of one image. Make it smaller.',
      shown,
      bytes.length.toLocaleString('en-US'),
      IMAGE_LIMITS.bytes.toLocaleString('en-US'),
    );
  }
  if (Math.max(facts.width, facts.height) > IMAGE_LIMITS.side) {
    return words(
      '{0} has {1} × {2} pixels, and no side may have more than {3}. Make it smaller.',
      shown,
      facts.width,
      facts.height,
      IMAGE_LIMITS.side,
    );
  }
  return facts;
}

const cutName = (name: string): string => name.replace(/\s+/gu, ' ').trim().slice(0, LONGEST_NAME).toWellFormed();

interface Rule {
  readonly models: RegExp;
  readonly tokens: (size: ImageSize) => number;
}

/** OpenAI: a base and a number for each tile of 512 pixels, once the image fits 2048 and its shorter side 768. */
const tiles = (base: number, each: number) => (size: ImageSize) => {
  const { width, height } = shrinkShorter(fitInto(size, 2048), 768);
  return base + each * Math.ceil(width / 512) * Math.ceil(height / 512);
};

/** OpenAI: patches of 32 pixels, at most 1,536 of them, times a factor of the model. */
const patches = (factor: number) => (size: ImageSize) => {
  const count = Math.ceil(size.width / 32) * Math.ceil(size.height / 32);
  return Math.ceil(Math.min(count, 1536) * factor);
};

/** Anthropic: pixels / 750, once the longest side fits 1568; larger ones are scaled down to about 1,600 tokens. */
const byArea = (size: ImageSize) => {
  const { width, height } = fitInto(size, 1568);
  return Math.min(1_600, Math.ceil((width * height) / 750));
};

/** Google: 258 for a small image, else for each tile of 768 pixels. */
const google = ({ width, height }: ImageSize) =>
  width <= 384 && height <= 384 ? 258 : 258 * Math.ceil(width / 768) * Math.ceil(height / 768);

/** One token for each square of this many pixels, up to `most`. */
const squares = (side: number, most: number) => (size: ImageSize) =>
  Math.min(most, Math.ceil(size.width / side) * Math.ceil(size.height / side));

/** The first matching rule is used. */
const RULES: readonly Rule[] = [
  { models: /gpt-4o-mini/i, tokens: tiles(2_833, 5_667) },
  { models: /gpt-4\.1-nano|gpt-5-nano/i, tokens: patches(2.46) },
  { models: /gpt-4\.1-mini|gpt-5-mini/i, tokens: patches(1.62) },
  { models: /o4-mini/i, tokens: patches(1.72) },
  { models: /gpt-5/i, tokens: tiles(70, 140) },
  { models: /gpt-4|chatgpt/i, tokens: tiles(85, 170) },
  { models: /(^|\/)o[13]\b/i, tokens: tiles(75, 150) },
  { models: /gemini/i, tokens: google },
  { models: /gemma/i, tokens: () => 256 },
  { models: /qwen.*vl/i, tokens: squares(28, 16_384) },
  { models: /pixtral|mistral|magistral/i, tokens: (size) => squares(28, 3_025)(fitInto(size, 1540)) },
  { models: /llava/i, tokens: () => 2_880 },
];

const FRAMING = 4;

/**
 * Estimates how many tokens an image costs, from what model vendors document; elsewhere about as many as most vendors
 * count. Provider reports correct the meter. `model` as the endpoint names it.
 */
export function imageTokens(size: ImageSize, model: string): number {
  const { tokens } = RULES.find(({ models }) => models.test(model)) ?? { tokens: byArea };
  return FRAMING + Math.max(1, tokens(size));
}

function fitInto({ width, height }: ImageSize, longest: number): ImageSize {
  return scale({ width, height }, Math.min(1, longest / Math.max(width, height)));
}

function shrinkShorter({ width, height }: ImageSize, shorter: number): ImageSize {
  return scale({ width, height }, Math.min(1, shorter / Math.min(width, height)));
}

function scale({ width, height }: ImageSize, by: number): ImageSize {
  return { width: Math.max(1, Math.round(width * by)), height: Math.max(1, Math.round(height * by)) };
}

const GONE = '[The image that stood here can no longer be read.]';

/**
 * Wraps a client and inserts the bytes of images where a request names them. The journal, its checksums and everything
 * that inspects a request handle only the names.
 */
export function withImages(client: ModelClient, blobs: Pick<BlobStore, 'get'>): ModelClient {
  const { endpoint, count } = client;
  return {
    endpoint,
    ...(count && { count: async (request, signal) => count(await fillIn(request, blobs), signal) }),
    async *stream(request, signal) {
      yield* client.stream(await fillIn(request, blobs), signal);
    },
  };
}

async function fillIn(request: ModelRequest, blobs: Pick<BlobStore, 'get'>): Promise<ModelRequest> {
  if (!request.messages.some(hasParts)) return request;
  const messages: ChatMessage[] = [];
  for (const message of request.messages) {
    if (!hasParts(message)) messages.push(message);
    else
      messages.push({ ...message, parts: await Promise.all((message.parts ?? []).map((part) => load(part, blobs))) });
  }
  return { ...request, messages };
}

function hasParts(message: ChatMessage): message is Extract<ChatMessage, { parts?: unknown }> {
  return (message.role === 'user' || message.role === 'tool') && message.parts !== undefined;
}

async function load(part: ContentPart, blobs: Pick<BlobStore, 'get'>): Promise<ContentPart> {
  if (part.type !== 'imageBlob') return part;
  const bytes = await blobs.get(part.blob);
  const facts = bytes && readImage(bytes);
  if (!bytes || !facts) return { type: 'text', text: GONE };
  return { type: 'image', mime: facts.mime, base64: toBase64(bytes) };
}

interface ImageSize {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

export interface ImageFacts extends ImageSize {
  readonly mime: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
}

/** Null unless it is a PNG, JPEG, GIF or WebP that includes its size. */
export function readImage(bytes: Uint8Array): ImageFacts | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = readPng(view) ?? readGif(view) ?? readWebp(view) ?? readJpeg(view);
  return found && found.width > 0 && found.height > 0 ? found : null;
}

function readPng(view: DataView): ImageFacts | null {
  if (view.byteLength < 24 || view.getUint32(0) !== 0x89504e47 || view.getUint32(4) !== 0x0d0a1a0a) return null;
  if (ascii(view, 12, 4) !== 'IHDR') return null;
  return { mime: 'image/png', width: view.getUint32(16), height: view.getUint32(20) };
}

function readGif(view: DataView): ImageFacts | null {
  if (view.byteLength < 10 || !/^GIF8[79]a$/.test(ascii(view, 0, 6))) return null;
  return { mime: 'image/gif', width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

function readWebp(view: DataView): ImageFacts | null {
  if (view.byteLength < 30 || ascii(view, 0, 4) !== 'RIFF' || ascii(view, 8, 4) !== 'WEBP') return null;
  const size = (width: number, height: number): ImageFacts => ({ mime: 'image/webp', width, height });
  switch (ascii(view, 12, 4)) {
    case 'VP8 ':
      if (view.getUint8(23) !== 0x9d || view.getUint16(24) !== 0x012a) return null;
      return size(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
    case 'VP8L': {
      if (view.getUint8(20) !== 0x2f) return null;
      const bits = view.getUint32(21, true);
      return size((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
    }
    case 'VP8X':
      return size((view.getUint32(24, true) & 0xffffff) + 1, (view.getUint32(26, true) >>> 8) + 1);
    default:
      return null;
  }
}

/** Walks the segments to the one that begins a frame. */
function readJpeg(view: DataView): ImageFacts | null {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8 || view.getUint8(2) !== 0xff) return null;
  let at = 2;
  while (at + 9 <= view.byteLength) {
    if (view.getUint8(at) !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    // Fill bytes, and markers without a payload.
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
      return { mime: 'image/jpeg', width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    } else if (marker === 0xd9 || marker === 0xda) return null;
    else at += 2 + Math.max(2, view.getUint16(at + 2));
  }
  return null;
}

function ascii(view: DataView, at: number, length: number): string {
  return String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + at, length));
}

/** Base64 encoding and decoding by hand, because the runtimes of the core have no common API for it. */
const ALPHABET = new TextEncoder().encode('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const PADDING = 0x3d;
const NO_DIGIT = 255;

export function toBase64(bytes: Uint8Array): string {
  const out = new Uint8Array(Math.ceil(bytes.length / 3) * 4).fill(PADDING);
  for (let from = 0, to = 0; from < bytes.length; from += 3, to += 4) {
    const left = bytes.length - from;
    const three = ((bytes[from] ?? 0) << 16) | ((bytes[from + 1] ?? 0) << 8) | (bytes[from + 2] ?? 0);
    for (let digit = 0; digit <= Math.min(left, 3); digit++) {
      out[to + digit] = ALPHABET[(three >> (18 - 6 * digit)) & 63] ?? PADDING;
    }
  }
  return new TextDecoder().decode(out);
}

const VALUES = new Uint8Array(128).fill(NO_DIGIT);

for (const [value, code] of ALPHABET.entries()) VALUES[code] = value;

/** Null when it is not base64. Line breaks in it are ignored. */
export function fromBase64(text: string): Uint8Array | null {
  const digits = text.replace(/[\r\n]/g, '').replace(/={1,2}$/, '');
  if (digits.length % 4 === 1) return null;
  const out = new Uint8Array(Math.floor((digits.length * 3) / 4));
  let held = 0;
  let to = 0;
  for (let at = 0; at < digits.length; at++) {
    const value = VALUES[digits.charCodeAt(at)] ?? NO_DIGIT;
    if (value === NO_DIGIT) return null;
    held = ((held << 6) | value) & 0xffffff;
    const place = at % 4;
    if (place > 0) out[to++] = (held >> (6 - 2 * place)) & 255;
  }
  return out;
}
