/**
 * What a page of the panel keeps of one session besides what the host has anyway: the message that is being written, and
 * where the reader was. The page gives it to the editor and to the host, and takes back whichever copy is newer.
 */

import * as z from 'zod';
import { MAX_TEXT } from './rows.ts';

/** Images that go with one message. */
export const MOST_IMAGES = 10;
/** Rows asked for at a time, at most. */
export const MOST_ROWS = 500;
const text = z.string().max(MAX_TEXT);
export const id = z.string().max(256);
export const blobName = z.string().regex(/^[0-9a-f]{64}$/);
/** As a file names it; for people and for the model. */
export const imageName = z.string().max(500);
/** Base64 of at most 15 MB. */
export const imageData = z.string().max(20_000_100);

export const imageToSendSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('new'), name: imageName, data: imageData }),
  /** It was sent before, in this session. */
  z.object({ kind: z.literal('sent'), name: imageName, blob: blobName }),
]);
export type ImageToSend = z.infer<typeof imageToSendSchema>;
export const imagesToSend = z.array(imageToSendSchema).max(MOST_IMAGES);

export const keptSchema = z.object({
  /** When, in milliseconds since the epoch. */
  at: z.number(),
  draft: text,
  images: imagesToSend,
  /** Rows that were loaded, so that as many are asked for again. */
  count: z.number().int().min(0).max(MOST_ROWS),
  /** The row at the top edge and how far it was scrolled, in pixels; null when the reader was at the end. */
  anchor: z.object({ rowId: id, offset: z.number() }).nullable(),
  /** Rows, and parts of rows, that the reader opened. */
  open: z.array(id).max(10_000),
  /** The message that is being edited, and what stood in the composer before. */
  editing: z.object({ rowId: id, kept: text }).nullable(),
  /** The newest question for which a reason to say no was being written, and that reason. */
  reason: z.object({ approvalId: id, text: z.string().max(10_000) }).nullable(),
});
export type Kept = z.infer<typeof keptSchema>;

/** As the page gives it to the editor, which knows nothing of sessions. */
export const savedSchema = keptSchema.extend({ sessionId: id });
export type Saved = z.infer<typeof savedSchema>;
