/** Writes a new file line by line and syncs it to disk; used where a file is rewritten. */

import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';

export const BREAK = Buffer.from('\n');

/** Replaces `path`. `produce` calls `write` for each line, without its line break. */
export async function writeLines(
  path: string,
  produce: (write: (line: Uint8Array) => void) => Promise<void>,
): Promise<void> {
  const file = openSync(path, 'w', 0o600);
  try {
    await produce((line) => writeWhole(file, Buffer.concat([line, BREAK])));
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
}

function writeWhole(file: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}
