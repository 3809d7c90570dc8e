/**
 * A small file that holds the newest value of something that changes often. Invariant: it holds one whole value or
 * another, never parts of two; what changes while it is written is written after it, the last value only.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { parseJson } from '../../../core/json.ts';
import { rename, rm } from './patientDisk.ts';
import { codeOf } from './storageError.ts';

export class LastValueFile {
  readonly path: string;
  readonly #onFault: (thrown: unknown) => void;
  #next: { readonly value: unknown } | null = null;
  #writing: Promise<void> | null = null;
  #failed = false;

  /** `onFault` hears of a file that cannot be written. One whose folder is gone is nobody's loss. */
  constructor(path: string, onFault: (thrown: unknown) => void) {
    this.path = path;
    this.#onFault = onFault;
  }

  /** Undefined where there is none, or nothing that can be read. */
  async read(): Promise<unknown> {
    try {
      return parseJson(await readFile(this.path, 'utf8'));
    } catch (thrown) {
      if (codeOf(thrown) !== 'ENOENT') this.#onFault(thrown);
      return undefined;
    }
  }

  /** Null removes the file. */
  set(value: unknown): void {
    this.#next = { value };
    this.#writing ??= this.#writeAll();
  }

  /** Resolves when what was set last is on disk; false when it could not be written. */
  async settle(): Promise<boolean> {
    await this.#writing;
    return !this.#failed;
  }

  async #writeAll(): Promise<void> {
    while (this.#next !== null) await this.#writeNext();
    this.#writing = null;
  }

  async #writeNext(): Promise<void> {
    const next = this.#next;
    this.#next = null;
    if (next === null) return;
    try {
      if (next.value === null) await rm(this.path, { force: true });
      else {
        await writeFile(`${this.path}.new`, JSON.stringify(next.value), { mode: 0o600 });
        await rename(`${this.path}.new`, this.path);
      }
      this.#failed = false;
    } catch (thrown) {
      this.#failed = true;
      if (codeOf(thrown) !== 'ENOENT') this.#onFault(thrown);
    }
  }
}
