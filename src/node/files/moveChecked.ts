/**
 * Moves a file by adding the new name and removing the old one: unlike a rename, this overwrites nothing and follows no
 * link, and the file keeps its identity and metadata. Where the disk has no hard links, it is written anew.
 */

import { link, lstat, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ToolError } from '../../core/errors.ts';
import { rename, unlink } from '../storage/disk/patientDisk.ts';
import { FLAGS, isOpenAt, makeFolder, readChecked, removeChecked } from './checkedFiles.ts';
import { hasCode } from './fileErrors.ts';
import { holdFolder } from './openFolder.ts';

/** With its checked real path. */
interface Place {
  readonly real: string;
  readonly shown: string;
}

/** Changes the letter case of a file's name, on a disk that ignores case. */
export async function respell({ real, shown }: Place, name: string): Promise<void> {
  const folder = await holdFolder(dirname(real), shown);
  try {
    await rename(join(folder.at, basename(real)), join(folder.at, name));
  } finally {
    await folder.release();
  }
}

export async function moveChecked(from: Place, to: Place): Promise<void> {
  const folder = await makeFolder(dirname(to.real), to.shown);
  const target = join(folder.at, basename(to.real));
  try {
    if (!(await linkChecked(from, target))) await copyChecked(from, target);
    try {
      await removeChecked(from.real, from.shown);
    } catch (thrown) {
      await unlink(target);
      throw thrown;
    }
  } finally {
    await folder.release();
  }
}

/** False where the disk has no hard links, or the new name is on another disk. */
async function linkChecked(from: Place, target: string): Promise<boolean> {
  const handle = await open(from.real, FLAGS);
  try {
    const moved = await handle.stat({ bigint: true });
    if (!moved.isFile()) throw new ToolError(`${from.shown} is not a regular file.`);
    if (!(await isOpenAt(handle, from.real))) throw exchanged(from);
    const source = await holdFolder(dirname(from.real), from.shown);
    try {
      await link(join(source.at, basename(from.real)), target);
    } catch (thrown) {
      if (hasCode(thrown, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK', 'EISDIR')) return false;
      throw thrown;
    } finally {
      await source.release();
    }
    const there = await lstat(target, { bigint: true });
    if (there.ino === moved.ino && there.dev === moved.dev) return true;
    await unlink(target);
    throw exchanged(from);
  } finally {
    await handle.close();
  }
}

export const exchanged = ({ shown }: Place) =>
  new ToolError(`${shown} was exchanged while it was moved; it was left alone.`);

async function copyChecked(from: Place, target: string): Promise<void> {
  const { mode } = await lstat(from.real);
  const bytes = await readChecked(from.real, from.shown);
  const handle = await open(target, 'wx', 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.chmod(mode & 0o7777);
    await handle.sync();
  } catch (thrown) {
    await unlink(target);
    throw thrown;
  } finally {
    await handle.close();
  }
}
