/**
 * The file that is to replace another begins with what the system keeps beside its content: extended attributes and
 * access lists, on Windows further streams. Node can neither read nor write them, so a copy by the system brings them along.
 */

import { execFile } from 'node:child_process';
import { constants, copyFile, type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError } from '../../core/errors.ts';
import { unlink } from '../storage/disk/patientDisk.ts';
import { hasCode } from './fileErrors.ts';

/** Never looked for along `PATH`, where a workspace may have put another. */
const COPY = '/bin/cp';

/** Milliseconds; no content is copied. */
const LONGEST_COPY = 5_000;

/** All but the times: the content is about to change. What a disk cannot keep is left out. */
const COPY_OPTIONS = ['--attributes-only', '--no-dereference', '--preserve=all', '--no-preserve=timestamps', '--'];

/** The empty file `temporary` in `folder`, open for writing; null where the system has no such copy. */
export async function beginAsCopy(folder: string, name: string, temporary: string): Promise<FileHandle | null> {
  const path = join(folder, temporary);
  let file: FileHandle | null = null;
  try {
    if (process.platform !== 'linux') await copyFile(join(folder, name), path, constants.COPYFILE_EXCL);
    else if (!(await copyAttributes(folder, name, temporary))) return null;
    file = await open(path, constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0));
    await file.truncate(0);
    return file;
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    await file?.close();
    await unlink(path).catch((missing: unknown) => {
      if (!hasCode(missing, 'ENOENT')) throw missing;
    });
    return null;
  }
}

/** From within the folder, whose name may stand for what only this process holds open. False where `cp` is not GNU's. */
function copyAttributes(folder: string, name: string, temporary: string): Promise<boolean> {
  const options = { cwd: folder, env: { LC_ALL: 'C' }, timeout: LONGEST_COPY, killSignal: 'SIGKILL' } as const;
  return new Promise((resolve) => {
    execFile(COPY, [...COPY_OPTIONS, `./${name}`, `./${temporary}`], options, (error) => resolve(error === null));
  });
}
