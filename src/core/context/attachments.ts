/** What of a message's attachments a model gets: images as they are where it takes any, else a line that names them. */

import type { ContentPart } from '../ports.ts';
import type { Attachment } from './message.ts';

interface LoweredAttachments {
  /** Told with the text. */
  readonly lines: readonly string[];
  /** Sent beside it. */
  readonly parts: readonly ContentPart[];
}

export function lowerAttachments(attachments: readonly Attachment[] = [], takesImages: boolean): LoweredAttachments {
  if (!takesImages) return { lines: attachments.map(describeImage), parts: [] };
  const parts = attachments.flatMap((image): ContentPart[] => [
    { type: 'text', text: `[${nameImage(image)}]` },
    { type: 'imageBlob', mime: image.mime, blob: image.blob, tokens: image.tokens },
  ]);
  return { lines: [], parts };
}

/** For a model that takes none. */
export function describeImage(image: Omit<Attachment, 'blob' | 'tokens'>): string {
  return `[${nameImage(image)} is not shown to you: this model takes no images.]`;
}

/** Such as `image "chart.png" (image/png, 800 × 600)`. */
export function nameImage({ mime, name, width, height }: Omit<Attachment, 'blob' | 'tokens'>): string {
  const named = name ? `${JSON.stringify(name)} ` : '';
  const size = width && height ? `, ${width} × ${height}` : '';
  return `image ${named}(${mime}${size})`.toWellFormed();
}

export function attachmentTokens({
  attachments = [],
}: {
  readonly attachments?: readonly { tokens: number }[];
}): number {
  return attachments.reduce((sum, { tokens }) => sum + tokens, 0);
}
