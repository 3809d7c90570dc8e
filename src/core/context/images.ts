/**
 * Images of messages and results. Bytes become attachments: images that no provider accepts are refused with a reason, and
 * the others are stored as blobs of the session.
 */

import { formatCount } from '../figures.ts';
import type { BlobStore } from '../journal/blobStore.ts';
import type { ChatMessage, ContentPart, ModelClient, ModelRequest } from '../model/modelClient.ts';
import { countTokens } from '../tokens/estimate.ts';
import { type Words, words } from '../words.ts';
import { toBase64 } from './base64.ts';
import { type ImageFacts, readImage } from './imageFacts.ts';
import { imageTokens } from './imageTokens.ts';
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
      formatCount(bytes.length),
      formatCount(IMAGE_LIMITS.bytes),
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
