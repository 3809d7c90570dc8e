/**
 * From bytes to attachments of a message: what they are is read from the bytes, what no provider takes is refused with a
 * reason, and the rest is kept as blobs of the session.
 */

import { describeImage } from '../context/attachments.ts';
import type { Attachment } from '../context/message.ts';
import type { BlobStore } from '../ports.ts';
import { countTokens } from '../tokens/estimate.ts';
import { type Words, words } from '../words.ts';
import { imageTokens } from './imageTokens.ts';
import { type ImageFacts, readImage } from './readImage.ts';

/** What the strictest of the large providers take. */
export const IMAGE_LIMITS = {
  /** As base64, which is how it is sent, they are a third more. */
  bytes: 3_750_000,
  /** Pixels of a side. */
  side: 8_000,
  /** Of one message or result. */
  count: 10,
} as const;

export interface GivenImage {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Who will see them. */
export interface Viewer {
  /** As the endpoint names it. */
  readonly model: string;
  readonly takesImages: boolean;
}

export type AttachedImage =
  | { readonly kind: 'attached'; readonly attachment: Attachment }
  | { readonly kind: 'refused'; readonly reason: Words };

const LONGEST_NAME = 100;

/** Each in its turn: one that is refused keeps none of the others away. */
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

/** What it is, or why it cannot be used. */
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
