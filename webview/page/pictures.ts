/**
 * Addresses of the images on the page. Invariant: each leads to bytes that the extension sent or the person attached,
 * under a type that cannot contain scripts.
 */

import type { ImageToSend } from '../../src/protocol/kept.ts';
import type { ToPanel } from '../../src/protocol/messages.ts';
import { fromBase64 } from './base64.ts';

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
