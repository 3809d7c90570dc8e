/** The folder that an agent works in: a copy of a task's files, over which the files of the check are laid in the end. */

import {
  constants,
  copyFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { rm } from '../../node/storage/disk/patientDisk.ts';

/** Links stay links. */
export function copyFiles(from: string | null, into: string): void {
  mkdirSync(into, { mode: 0o700 });
  if (from !== null) cpSync(from, into, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
}

/**
 * Puts a copy in the place of a folder, which stays as `aside`: a program that still works in the folder, or holds a file
 * of it open, changes nothing of the copy. Links stay links; sockets and pipes are left out.
 */
export function renewFiles(folder: string, aside: string): void {
  renameSync(folder, aside);
  mkdirSync(folder, { mode: 0o700 });
  const filter = (path: string) => {
    const facts = lstatSync(path);
    return facts.isFile() || facts.isDirectory() || facts.isSymbolicLink();
  };
  const kept = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true, mode: constants.COPYFILE_FICLONE };
  cpSync(aside, folder, { ...kept, filter });
}

/**
 * Every name of the check replaces what the agent has left there, also a link, through which nothing is written. Other files of
 * the agent stay.
 */
export async function layOver(from: string, into: string): Promise<void> {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(into, entry.name)];
    const there = lstatSync(target, { throwIfNoEntry: false });
    if (there && !(there.isDirectory() && entry.isDirectory())) await rm(target, { recursive: true, force: true });
    if (entry.isDirectory()) {
      if (!there?.isDirectory()) mkdirSync(target);
      await layOver(source, target);
    } else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else copyFileSync(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  }
}
