/**
 * A disk that fails: ENOSPC, EIO and short writes at every call, failing truncation and sync, and the system's own full
 * device. What was acknowledged is on disk. What was not is there once after the next success.
 */

import { existsSync } from 'node:fs';
import { JournalError } from '../../src/core/errors.ts';
import { seededRandom } from '../../src/core/seededRandom.ts';
import { DiskFile, FileJournalStore, type JournalFile } from '../../src/node/storage/journal/fileJournalStore.ts';
import type { GateOptions, GateResult } from './gate.ts';

const CALLS = 12;

export async function failWrites({ sizes }: GateOptions): Promise<GateResult> {
  const violations: string[] = [];
  let tried = 0;
  for (const code of ['ENOSPC', 'EIO', 'EDQUOT', 'EFBIG', 'short']) {
    for (let call = 0; call < CALLS; call++) {
      for (let after = 0; after < 30; after += 3) {
        tried++;
        violations.push(...(await runOne({ [call]: { code, after } }, `${code} at call ${call} after ${after} bytes`)));
      }
    }
  }
  const random = seededRandom(3);
  for (let i = 0; i < sizes.disks; i++) {
    tried++;
    const faults: Record<number, Fault> = {};
    for (let call = 0; call < 60; call++) {
      if (random() < 0.4) faults[call] = { code: random() < 0.3 ? 'short' : 'EIO', after: Math.floor(random() * 40) };
    }
    violations.push(...(await runOne(faults, `random faults ${i}`)));
  }
  if (existsSync('/dev/full')) {
    tried++;
    violations.push(...(await fillDevice()));
  }
  return { name: 'full disk, I/O errors and short writes at every call', tried, violations };
}

interface Fault {
  readonly code: string;
  /** Bytes of the call that still reach the disk. */
  readonly after: number;
}

/** Appends through a disk with faults, then through a sound one, and compares. */
async function runOne(faults: Readonly<Record<number, Fault>>, what: string): Promise<string[]> {
  const disk = new FaultyDisk(faults);
  const store = new FileJournalStore('journal', disk, { length: 0, needsBreak: false });
  const acknowledged: string[] = [];
  const all: string[] = [];
  const violations: string[] = [];
  for (let i = 0; i < 12; i++) {
    const burst = [`line ${i}a`, `line ${i}b ${'x'.repeat(i)}`];
    all.push(...burst);
    await Promise.all(
      burst.map((line) =>
        store.append(line).then(
          () => acknowledged.push(line),
          (thrown: unknown) => {
            if (!(thrown instanceof JournalError)) violations.push(`${what}: an error without words`);
          },
        ),
      ),
    );
    const onDisk = disk.lines();
    const lost = acknowledged.filter((line) => !onDisk.includes(line));
    if (lost.length > 0) violations.push(`${what}: ${lost.length} acknowledged lines are not on disk`);
  }
  disk.heal();
  await store.sync();
  if (disk.text() !== all.map((line) => `${line}\n`).join(''))
    violations.push(`${what}: the disk is not what was appended`);
  return violations;
}

class FaultyDisk implements JournalFile {
  #faults: Readonly<Record<number, Fault>>;
  #bytes = Buffer.alloc(0);
  #calls = 0;

  constructor(faults: Readonly<Record<number, Fault>>) {
    this.#faults = faults;
  }

  heal(): void {
    this.#faults = {};
  }

  text(): string {
    return this.#bytes.toString();
  }

  lines(): string[] {
    return this.text().split('\n').slice(0, -1);
  }

  async write(bytes: Uint8Array, offset: number, length: number): Promise<{ bytesWritten: number }> {
    const fault = this.#next();
    const taken = fault ? Math.min(fault.after, length) : length;
    this.#bytes = Buffer.concat([this.#bytes, bytes.subarray(offset, offset + taken)]);
    if (fault && fault.code !== 'short') throw failure(fault.code);
    return { bytesWritten: taken };
  }

  async truncate(length: number): Promise<void> {
    const fault = this.#next();
    if (fault && fault.code !== 'short') throw failure(fault.code);
    this.#bytes = this.#bytes.subarray(0, length);
  }

  async datasync(): Promise<void> {
    const fault = this.#next();
    if (fault && fault.code !== 'short') throw failure(fault.code);
  }

  inspect(): { readonly size: number; readonly gone: boolean } {
    return { size: this.#bytes.length, gone: false };
  }

  async readFrom(from: number): Promise<Uint8Array> {
    return this.#bytes.subarray(from);
  }

  async revive(): Promise<void> {}

  async close(): Promise<void> {}

  #next(): Fault | undefined {
    return this.#faults[this.#calls++];
  }
}

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: a fault of the test`), { code });
}

/** The real device that is always full: the message says so, and nothing counts as written. */
async function fillDevice(): Promise<string[]> {
  const file = await DiskFile.open('/dev/full');
  try {
    const store = new FileJournalStore('/dev/full', file, { length: 0, needsBreak: false });
    const error = await store.append('line').then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof JournalError) || error.kind !== 'diskFull') return [`/dev/full: ${String(error)}`];
    return store.unwritten === 1 ? [] : ['/dev/full: the line was not kept'];
  } finally {
    await file.close();
  }
}
