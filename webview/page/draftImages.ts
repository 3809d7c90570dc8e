/**
 * Images of the message being written: pasted, dropped or chosen, scaled down for any model, and stored with the draft.
 * Each is redrawn, so that a camera's metadata, such as the place, is not sent.
 */

import { t } from '@vscode/l10n';
import { formatCount } from '../../src/core/figures.ts';
import { type ImageToSend, MOST_IMAGES } from '../../src/protocol/kept.ts';
import type { ToHost } from '../../src/protocol/messages.ts';
import { fromBase64, toBase64 } from './base64.ts';

/** Pixels of the longer side: providers scale larger images down anyway. */
const LONGEST_SIDE = 1_568;

/** In bytes. A larger PNG is converted to JPEG. */
const LARGEST_PNG = 1_200_000;
const JPEG_QUALITY = 0.85;

/** In bytes. */
const LARGEST_FILE = 30_000_000;

/** The message being written, as far as images go into it. */
interface Draft {
  readonly images: readonly ImageToSend[];
  /** Settles when pending images are attached or refused; null without any. */
  attaching: Promise<void> | null;
  setImages(images: readonly ImageToSend[]): void;
  takePasted(text: string): void;
  /** Shows why an input had no effect. */
  refuse(reason: string): void;
  readonly page: { post(message: ToHost): void; announce(text: string): void };
}

/** The images in a paste or a drop. */
function filesOf(data: DataTransfer | null): readonly File[] {
  return [...(data?.files ?? [])].filter(({ type }) => type.startsWith('image/'));
}

/** A copied table arrives as text and as a picture of itself: only the text is used. */
export function onPaste(draft: Draft, event: ClipboardEvent): void {
  const files = filesOf(event.clipboardData);
  if (files.length === 0 || event.clipboardData?.getData('text/plain')) return;
  event.preventDefault();
  attachFiles(draft, files);
}

/** A paste or a drop of text, however it was made. */
export function onInsert(draft: Draft, { inputType, data, dataTransfer }: InputEvent): void {
  if (!INSERTS.has(inputType)) return;
  draft.takePasted(data ?? dataTransfer?.getData('text/plain') ?? '');
}

const INSERTS: ReadonlySet<string> = new Set([
  'insertFromPaste',
  'insertFromPasteAsQuotation',
  'insertFromDrop',
  'insertFromYank',
]);

/** True for droppable data: images, and files of the editor's own tree. */
export function mayDrop({ dataTransfer }: DragEvent): boolean {
  return ['Files', URI_LIST].some((type) => dataTransfer?.types.includes(type));
}

const URI_LIST = 'text/uri-list';
const IMAGE_FILE = /\.(png|jpe?g|gif|webp)$/i;

export function onDrop(draft: Draft, event: DragEvent): void {
  const files = filesOf(event.dataTransfer);
  const listed = event.dataTransfer?.getData(URI_LIST) ?? '';
  const uris = listed.split(/\r?\n/).filter((uri) => IMAGE_FILE.test(uri) && uri.length < 4_000);
  if (files.length === 0 && uris.length === 0) return;
  event.preventDefault();
  if (files.length > 0) attachFiles(draft, files);
  else draft.page.post({ type: 'attachFiles', uris: uris.slice(0, MOST_IMAGES) });
}

/** Attaches images that the host has read. */
export function attachGiven(draft: Draft, images: readonly { readonly name: string; readonly data: string }[]): void {
  const files = images.map(({ name, data }) => new File([fromBase64(data)], name));
  attachFiles(draft, files);
}

/** One after the other, in order. A message waits for pending ones. */
function attachFiles(draft: Draft, files: readonly File[]): void {
  const before = draft.attaching ?? Promise.resolve();
  const attaching = before
    .then(() => attachEach(draft, files))
    .finally(() => {
      if (draft.attaching === attaching) draft.attaching = null;
    });
  draft.attaching = attaching;
}

async function attachEach(draft: Draft, files: readonly File[]): Promise<void> {
  for (const file of files) {
    const name = file.name || t('image');
    if (draft.images.length >= MOST_IMAGES) {
      draft.refuse(t('A message can have at most {0} images. {1} was not attached.', formatCount(MOST_IMAGES), name));
      return;
    }
    const data = file.size > LARGEST_FILE ? null : await shrink(file);
    if (data === null)
      draft.refuse(t('{0} is not attached: it is not an image that can be shown, or it is too large.', name));
    else {
      draft.setImages([...draft.images, { kind: 'new', name, data }]);
      draft.page.announce(t('Attached: {0}', name));
    }
  }
}

/** Base64 of a PNG or JPEG; null when it is not an image. */
async function shrink(file: File): Promise<string | null> {
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(file);
  } catch (thrown) {
    if (thrown instanceof DOMException) return null;
    throw thrown;
  }
  const scale = Math.min(1, LONGEST_SIDE / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext('2d');
  if (!context) return null;
  context.imageSmoothingQuality = 'high';
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  const png = file.type === 'image/jpeg' ? null : await encode(canvas, 'image/png');
  if (png && png.size <= LARGEST_PNG) return toBase64(png);
  // JPEG has no transparency: it would turn black.
  context.globalCompositeOperation = 'destination-over';
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  const jpeg = await encode(canvas, 'image/jpeg');
  return jpeg && toBase64(jpeg);
}

function encode(canvas: HTMLCanvasElement, type: string): Promise<Blob | null> {
  return new Promise((resolve) => canvas.toBlob(resolve, type, JPEG_QUALITY));
}
