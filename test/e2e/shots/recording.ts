/** A recording made of stills of the window, each shown for its time, as one animated picture. */

import { writeFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { animatedWebp, type Frame } from './animatedWebp.ts';

/** In bytes: what the README may load. */
const LARGEST = 1024 * 1024;

export class Recording {
  readonly #page: Page;
  readonly #stills: { readonly png: Buffer; readonly ms: number }[] = [];

  constructor(page: Page) {
    this.#page = page;
  }

  /** In milliseconds. */
  get length(): number {
    return this.#stills.reduce((sum, { ms }) => sum + ms, 0);
  }

  /** What the window shows now, for so many milliseconds. */
  async show(ms: number): Promise<void> {
    await this.#page.evaluate(
      () => new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 250)),
    );
    this.#stills.push({ png: await this.#page.screenshot({ caret: 'hide' }), ms });
  }

  /** Repeats for ever. Fails when the file is larger than a README should load. */
  async save(path: string): Promise<void> {
    const encoder = await this.#page.context().newPage();
    const frames: Frame[] = [];
    for (const { png, ms } of this.#stills) {
      const changed = await encodeChange(encoder, png);
      const last = frames.at(-1);
      if (changed) frames.push({ ...changed, webp: Buffer.from(changed.webp, 'base64'), ms });
      else if (last) frames[frames.length - 1] = { ...last, ms: last.ms + ms };
    }
    await encoder.close();
    const [first] = frames;
    const file = animatedWebp(first?.width ?? 1, first?.height ?? 1, frames);
    const read = await countFrames(this.#page, file);
    if (read !== frames.length) throw new Error(`The browser reads ${read} of ${frames.length} pictures`);
    if (file.length > LARGEST) throw new Error(`${path} has ${file.length} bytes, more than ${LARGEST}`);
    writeFileSync(path, file);
  }
}

/** In a page of the workbench, because a blank one may not decode. */
const countFrames = (page: Page, file: Buffer) =>
  page.evaluate(async (encoded) => {
    const data = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    const decoder = new ImageDecoder({ data, type: 'image/webp' });
    await Promise.all([decoder.completed, decoder.tracks.ready]);
    const count = decoder.tracks.selectedTrack?.frameCount ?? 0;
    for (let frameIndex = 0; frameIndex < count; frameIndex++) (await decoder.decode({ frameIndex })).image.close();
    return count;
  }, file.toString('base64'));

/** What differs from the still before, as one rectangle that the browser encodes; null if nothing does. The first differs whole. */
const encodeChange = (page: Page, png: Buffer) =>
  page.evaluate(
    async (source) => {
      const image = await createImageBitmap(await (await fetch(source)).blob());
      const { width, height } = image;
      const canvasOf = (w: number, h: number) => {
        const canvas = new OffscreenCanvas(w, h);
        // Without transparency the picture is one chunk.
        const pen = canvas.getContext('2d', { alpha: false, willReadFrequently: true });
        if (!pen) throw new Error('no canvas');
        return { canvas, pen };
      };
      const { pen } = canvasOf(width, height);
      pen.drawImage(image, 0, 0);
      const now = new Uint32Array(pen.getImageData(0, 0, width, height).data.buffer);
      const kept = window as unknown as { before?: Uint32Array };
      const { before } = kept;
      kept.before = now;
      let [left, top, right, bottom] = before ? [width, height, 0, 0] : [0, 0, width, height];
      for (let at = 0; before && at < now.length; at++) {
        if (now[at] === before[at]) continue;
        const [x, y] = [at % width, Math.floor(at / width)];
        left = Math.min(left, x);
        top = Math.min(top, y);
        right = Math.max(right, x + 1);
        bottom = Math.max(bottom, y + 1);
      }
      if (right <= left) return null;
      // Places are counted in twos.
      const [x, y] = [left - (left % 2), top - (top % 2)];
      const part = canvasOf(right - x, bottom - y);
      part.pen.drawImage(image, -x, -y);
      const blob = await part.canvas.convertToBlob({ type: 'image/webp', quality: 0.82 });
      const bytes = Array.from(new Uint8Array(await blob.arrayBuffer()), (byte) => String.fromCharCode(byte));
      return { webp: btoa(bytes.join('')), x, y, width: part.canvas.width, height: part.canvas.height };
    },
    `data:image/png;base64,${png.toString('base64')}`,
  );
