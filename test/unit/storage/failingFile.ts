/** A file in memory whose disk fails on demand: errors, short writes, writes that tear. */

import type { JournalFile } from '../../../src/node/storage/journal/fileJournalStore.ts';

type Fault =
  | {
      readonly on: 'write';
      readonly code: 'ENOSPC' | 'EIO' /** Bytes that reach the disk all the same. */;
      readonly after: number;
    }
  | { readonly on: 'shortWrite'; readonly bytes: number }
  | { readonly on: 'truncate' | 'datasync'; readonly code: 'EIO' };

export interface FailingFile extends JournalFile {
  /** What is on disk. */
  bytes: Buffer;
  /** Each call takes the first fault if that is meant for it. */
  readonly faults: Fault[];
  readonly calls: string[];
  /** Called once, in the middle of the next write: what another process does then. */
  whileWriting(act: () => void): void;
}

export function failingFile(content = ''): FailingFile {
  const faults: Fault[] = [];
  const calls: string[] = [];
  let meanwhile: (() => void) | null = null;
  const fail = (code: string) => Object.assign(new Error(`${code}: from the test's disk`), { code });
  return {
    bytes: Buffer.from(content),
    faults,
    calls,
    async write(bytes, offset, length) {
      calls.push('write');
      meanwhile?.();
      meanwhile = null;
      const fault = faults[0];
      if (fault?.on === 'write') {
        faults.shift();
        this.bytes = Buffer.concat([this.bytes, bytes.subarray(offset, offset + fault.after)]);
        throw fail(fault.code);
      }
      const taken = fault?.on === 'shortWrite' ? Math.min(fault.bytes, length) : length;
      if (fault?.on === 'shortWrite') faults.shift();
      this.bytes = Buffer.concat([this.bytes, bytes.subarray(offset, offset + taken)]);
      return { bytesWritten: taken };
    },
    async truncate(length) {
      calls.push('truncate');
      const fault = faults[0];
      if (fault?.on === 'truncate') {
        faults.shift();
        throw fail(fault.code);
      }
      this.bytes = this.bytes.subarray(0, length);
    },
    async datasync() {
      calls.push('datasync');
      const fault = faults[0];
      if (fault?.on === 'datasync') {
        faults.shift();
        throw fail(fault.code);
      }
    },
    whileWriting(act) {
      meanwhile = act;
    },
    inspect() {
      return { size: this.bytes.length, gone: false };
    },
    async readFrom(from) {
      return this.bytes.subarray(from);
    },
    async revive() {
      calls.push('revive');
    },
    async close() {
      calls.push('close');
    },
  };
}
