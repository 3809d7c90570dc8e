/**
 * Writes a file with several hard links in place, so that all of them show the new content. A kill could leave it half
 * written: before the first byte, the old and the new content are saved in a folder of the product, and the next window
 * restores the old one.
 */

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError, ToolError } from '../../core/errors.ts';
import { parseObject } from '../../core/json.ts';
import { unlink } from '../storage/disk/patientDisk.ts';
import { inspectSystem, judgeOwner, type LockOwner } from '../storage/sessions/lockOwner.ts';
import { hasCode } from './fileErrors.ts';

const FLAGS = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0);
const ENDING = '.json';

/** The backup kept until the write has ended. */
interface Unfinished {
  readonly real: string;
  /** Device and inode. */
  readonly id: string;
  /** In base64. */
  readonly before: string;
  readonly after: string;
  readonly owner: LockOwner;
}

/**
 * `path` may name the file through an open folder; `real` is its own path. `records` is the product's folder. Throws
 * the system's error; the file then holds its old content.
 */
export async function writeInPlace(
  path: string,
  { real, shown, bytes, records }: { real: string; shown: string; bytes: Uint8Array; records: string },
): Promise<void> {
  const file = await open(path, FLAGS);
  try {
    if (!(await file.stat()).isFile()) throw new ToolError(`${shown} is not a regular file and is not written.`);
    const before = await file.readFile();
    const record = await keep({ real, id: await idOf(file), before, after: bytes }, records);
    try {
      await fill(file, bytes);
    } catch (thrown) {
      await fill(file, before);
      throw thrown;
    } finally {
      await unlink(record);
    }
  } finally {
    await file.close();
  }
}

/** Restores files half written when a window was killed. Records of a running window are left alone. */
export async function putBackUnfinished(records: string): Promise<void> {
  const names = await readdir(records).catch(() => []);
  for (const name of names.filter((each) => each.endsWith(ENDING))) {
    const path = join(records, name);
    const record = readRecord(await readFile(path, 'utf8').catch(() => ''));
    try {
      if (record && judgeOwner(record.owner, inspectSystem()) !== 'gone' && record.owner.pid !== process.pid) continue;
      if (record) await putBack(record);
      await unlink(path);
    } catch (thrown) {
      // It stays for the next window.
      if (!isSystemError(thrown)) throw thrown;
    }
  }
}

async function putBack({ real, id, before, after }: Unfinished): Promise<void> {
  const file = await open(real, FLAGS).catch((thrown: unknown) => {
    if (hasCode(thrown, 'ENOENT', 'ELOOP')) return null;
    throw thrown;
  });
  if (!file) return;
  try {
    if ((await idOf(file)) !== id) return;
    const [old, wanted] = [Buffer.from(before, 'base64'), Buffer.from(after, 'base64')];
    if (isHalfWritten(await file.readFile(), old, wanted)) await fill(file, old);
  } finally {
    await file.close();
  }
}

/** True for a beginning of the new content followed by the old one. Anything else was written by others. */
export function isHalfWritten(now: Uint8Array, before: Uint8Array, after: Uint8Array): boolean {
  let written = 0;
  while (written < now.length && written < after.length && now[written] === after[written]) written += 1;
  if (written === after.length && now.length === after.length) return false;
  return Buffer.compare(now.subarray(written), before.subarray(written)) === 0;
}

/** From the first byte on, truncated at the end: at every moment the file consists of a part of each. */
async function fill(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, done);
    done += bytesWritten;
  }
  await file.truncate(bytes.length);
  await file.sync();
}

async function keep(
  { before, after, ...rest }: { real: string; id: string; before: Uint8Array; after: Uint8Array },
  records: string,
): Promise<string> {
  await mkdir(records, { recursive: true, mode: 0o700 });
  const path = join(records, `${randomBytes(8).toString('hex')}${ENDING}`);
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  const record: Unfinished = {
    ...rest,
    before: base64(before),
    after: base64(after),
    owner: inspectSystem().owner,
  };
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(JSON.stringify(record));
    await file.sync();
  } finally {
    await file.close();
  }
  return path;
}

/** Null for an incomplete one: then nothing was written yet. */
function readRecord(text: string): Unfinished | null {
  const { real, id, before, after, owner } = parseObject(text) ?? {};
  const whole = [real, id, before, after].every((each) => typeof each === 'string');
  if (!whole || typeof owner !== 'object' || owner === null || !('pid' in owner) || !('host' in owner)) return null;
  return { real, id, before, after, owner } as Unfinished;
}

async function idOf(file: FileHandle): Promise<string> {
  const { dev, ino } = await file.stat({ bigint: true });
  return `${dev}:${ino}`;
}
