/**
 * A small file with the newest value of something that changes often. Invariant: it holds one whole value, never parts
 * of two; a value set during a write is written afterwards, only the last one.
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

  /** `onFault` is called when the file cannot be written. A missing folder is ignored. */
  constructor(path: string, onFault: (thrown: unknown) => void) {
    this.path = path;
    this.#onFault = onFault;
  }

  /** Undefined when the file is missing or unreadable. */
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

  /** Resolves when the latest value is on disk; false when it could not be written. */
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
