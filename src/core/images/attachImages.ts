/**
 * Turns bytes into attachments of a message: their type is read from the bytes, images that no provider accepts are
 * refused with a reason, and the others are stored as blobs of the session.
 */

import { describeImage } from '../context/item.ts';
import type { Attachment } from '../context/message.ts';
import type { BlobStore, ChatMessage, ContentPart, ModelClient, ModelRequest } from '../ports.ts';
import { countTokens } from '../tokens/estimate.ts';
import { type Words, words } from '../words.ts';
import { type ImageFacts, type ImageSize, readImage, toBase64 } from './readImage.ts';

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

export type AttachedImage =
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
    const checked = index < IMAGE_LIMITS.count ? checkImage(name, bytes) : tooMany();
    if (Array.isArray(checked)) attached.push({ kind: 'refused', reason: checked });
    else {
      const { mime, width, height } = checked as ImageFacts;
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

function tooMany(): Words {
  return words('At most {0} images can be sent together.', IMAGE_LIMITS.count);
}

const cutName = (name: string): string => name.replace(/\s+/gu, ' ').trim().slice(0, LONGEST_NAME).toWellFormed();

/**
 * Estimates how many tokens an image costs, from what model vendors document; elsewhere about as many as most vendors
 * count. Provider reports correct the meter.
 */
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

/** `model` as the endpoint names it. */
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

/**
 * Wraps a client and inserts the bytes of images where a request names them. The journal, its checksums and everything
 * that inspects a request handle only the names.
 */
const GONE = '[The image that stood here can no longer be read.]';

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
