/** A recording made of stills of the window, each shown for its time, as one animated picture. */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';

/** In bytes: what the README may load. */
const LARGEST = 1024 * 1024;

/** Of Debian's package `webp`; Homebrew's has the same name. */
const ENCODER = 'img2webp';

export const canRecord = (): boolean => spawnSync(ENCODER, ['-version']).error === undefined;

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
  save(path: string): void {
    const folder = mkdtempSync(join(tmpdir(), 'pal-recording-'));
    try {
      const stills = this.#stills.flatMap(({ png, ms }, n) => {
        const name = join(folder, `${n}.png`);
        writeFileSync(name, png);
        return ['-d', String(ms), '-lossy', '-q', '82', '-m', '6', name];
      });
      execFileSync(ENCODER, ['-loop', '0', '-min_size', ...stills, '-o', path]);
    } finally {
      rmSync(folder, { recursive: true });
    }
    const { size } = statSync(path);
    if (size > LARGEST) throw new Error(`${path} has ${size} bytes, more than ${LARGEST}`);
  }
}
