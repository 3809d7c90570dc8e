/**
 * Images of the message being written: pasted, dropped or chosen, scaled down for any model, and stored with the draft.
 * Each is redrawn, so that a camera's metadata, such as the place, is not sent.
 */

import { t } from '@vscode/l10n';
import { type ImageToSend, MOST_IMAGES } from '../../src/protocol/kept.ts';
import type { ToPanel } from '../../src/protocol/messages.ts';
import type { Composer } from './composer.ts';

/** Pixels of the longer side: providers scale larger images down anyway. */
const LONGEST_SIDE = 1_568;

/** In bytes. A larger PNG is converted to JPEG. */
const LARGEST_PNG = 1_200_000;
const JPEG_QUALITY = 0.85;

/** In bytes. */
const LARGEST_FILE = 30_000_000;

/** The images in a paste or a drop. */
function filesOf(data: DataTransfer | null): readonly File[] {
  return [...(data?.files ?? [])].filter(({ type }) => type.startsWith('image/'));
}

/** A copied table arrives as text and as a picture of itself: only the text is used. */
export function onPaste(composer: Composer, event: ClipboardEvent): void {
  const files = filesOf(event.clipboardData);
  if (files.length === 0 || event.clipboardData?.getData('text/plain')) return;
  event.preventDefault();
  attachFiles(composer, files);
}

/** A paste or a drop of text, however it was made. */
export function onInsert(composer: Composer, { inputType, data, dataTransfer }: InputEvent): void {
  if (!INSERTS.has(inputType)) return;
  composer.takePasted(data ?? dataTransfer?.getData('text/plain') ?? '');
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

export function onDrop(composer: Composer, event: DragEvent): void {
  const files = filesOf(event.dataTransfer);
  const listed = event.dataTransfer?.getData(URI_LIST) ?? '';
  const uris = listed.split(/\r?\n/).filter((uri) => IMAGE_FILE.test(uri) && uri.length < 4_000);
  if (files.length === 0 && uris.length === 0) return;
  event.preventDefault();
  if (files.length > 0) attachFiles(composer, files);
  else composer.panel.post({ type: 'attachFiles', uris: uris.slice(0, MOST_IMAGES) });
}

/** Attaches images that the host has read. */
export function attachGiven(
  composer: Composer,
  images: readonly { readonly name: string; readonly data: string }[],
): void {
  const files = images.map(({ name, data }) => new File([fromBase64(data)], name));
  attachFiles(composer, files);
}

/** One after the other, in order. A message waits for pending ones. */
function attachFiles(composer: Composer, files: readonly File[]): void {
  const before = composer.attaching ?? Promise.resolve();
  const attaching = before
    .then(() => attachEach(composer, files))
    .finally(() => {
      if (composer.attaching === attaching) composer.attaching = null;
    });
  composer.attaching = attaching;
}

async function attachEach(composer: Composer, files: readonly File[]): Promise<void> {
  for (const file of files) {
    const name = file.name || t('image');
    if (composer.images.length >= MOST_IMAGES) {
      composer.refuse(t('A message can have at most {0} images. {1} was not attached.', MOST_IMAGES, name));
      return;
    }
    const data = file.size > LARGEST_FILE ? null : await shrink(file);
    if (data === null)
      composer.refuse(t('{0} is not attached: it is not an image that can be shown, or it is too large.', name));
    else {
      composer.setImages([...composer.images, { kind: 'new', name, data }]);
      composer.panel.announce(t('Attached: {0}', name));
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

/** Characters per call, because arguments are limited in number. */
const CHUNK = 32_768;

async function toBase64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary);
}

/** Throws when it is not base64. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/**
 * Addresses of the images on the page. Invariant: each leads to bytes that the extension sent or the person attached,
 * under a type that cannot contain scripts.
 */
type Loaded = Extract<ToPanel, { type: 'image' }>;

export class Pictures {
  readonly #ask: (blob: string) => void;
  /** By the name of the blob, or by the bytes of an unsent image. Empty while loading, or missing. */
  readonly #addresses = new Map<string, string>();

  constructor(ask: (blob: string) => void) {
    this.#ask = ask;
  }

  /** Empty until the image has arrived; requests it the first time. */
  addressOf(blob: string): string {
    const known = this.#addresses.get(blob);
    if (known === undefined) {
      this.#addresses.set(blob, '');
      this.#ask(blob);
    }
    return known ?? '';
  }

  addressOfDraft(image: ImageToSend): string {
    if (image.kind === 'sent') return this.addressOf(image.blob);
    // A canvas produces one of the two.
    const mime = image.data.startsWith('iVBOR') ? 'image/png' : 'image/jpeg';
    const known = this.#addresses.get(image.data);
    return known ?? this.#keep(image.data, image.data, mime);
  }

  take({ blob, mime, data }: Loaded): void {
    if (data !== '') this.#keep(blob, data, mime);
  }

  #keep(key: string, data: string, mime: string): string {
    const address = URL.createObjectURL(new Blob([fromBase64(data)], { type: mime }));
    this.#addresses.set(key, address);
    return address;
  }

  /** Another session has other images. */
  clear(): void {
    for (const address of this.#addresses.values()) if (address) URL.revokeObjectURL(address);
    this.#addresses.clear();
  }
}
