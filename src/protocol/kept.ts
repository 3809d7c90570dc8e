/**
 * A panel page's own state of one session: the draft, and the reader's position. The page gives it to the editor and to
 * the host, and takes back whichever copy is newer.
 */

import * as z from 'zod';
import { MAX_TEXT } from './rows.ts';

/** Maximum images with one message. */
export const MOST_IMAGES = 10;
/** Maximum rows requested at a time. */
export const MOST_ROWS = 500;
const text = z.string().max(MAX_TEXT);
export const id = z.string().max(256);
export const blobName = z.string().regex(/^[0-9a-f]{64}$/);
/** The file name; for people and for the model. */
export const imageName = z.string().max(500);
/** Base64 of at most 15 MB. */
export const imageData = z.string().max(20_000_100);

const imageToSendSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('new'), name: imageName, data: imageData }),
  /** It was sent before, in this session. */
  z.object({ kind: z.literal('sent'), name: imageName, blob: blobName }),
]);
export type ImageToSend = z.infer<typeof imageToSendSchema>;
export const imagesToSend = z.array(imageToSendSchema).max(MOST_IMAGES);

export const keptSchema = z.object({
  /** In milliseconds since the epoch. */
  at: z.number(),
  draft: text,
  images: imagesToSend,
  /** Number of loaded rows, to request as many again. */
  count: z.number().int().min(0).max(MOST_ROWS),
  /** The row at the top edge and its scroll offset, in pixels; null when the reader was at the end. */
  anchor: z.object({ rowId: id, offset: z.number() }).nullable(),
  /** Rows, and parts of rows, that the reader opened. */
  open: z.array(id).max(10_000),
  /** The message being edited in its row, and its text by now. Earlier versions had another form. */
  editing: z.object({ rowId: id, text }).nullable().catch(null),
  /** One of these drafts holds a text that was pasted or dropped. */
  pasted: z.boolean().catch(false),
  /** Of that message. Large like those of the draft, so both are sent only when they change. */
  editingImages: imagesToSend.catch([]),
  /** The newest question with a draft of a reason to decline, and that draft. */
  reason: z.object({ approvalId: id, text: z.string().max(10_000) }).nullable(),
});
export type Kept = z.infer<typeof keptSchema>;

/** The form given to the editor, which knows nothing of sessions. */
export const savedSchema = keptSchema.extend({ sessionId: id });
export type Saved = z.infer<typeof savedSchema>;
