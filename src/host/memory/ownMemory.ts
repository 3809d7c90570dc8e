/** The person's own memory file: where the setting puts it, and what it says. */

import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { MemoryText } from '../../core/memory/memoryFiles.ts';
import { type LeaveOut, leaveOutSilently } from '../../core/sourceFile.ts';
import { readOwnSource } from '../files/readChecked.ts';

/** Bytes. */
const LARGEST = 1_000_000;

/** Null where the setting names none. A path that is not absolute begins in the home folder. */
export function ownMemoryPath(setting: string): string | null {
  const path = setting.trim();
  if (path === '') return null;
  if (/^~(?=$|[/\\])/.test(path)) return join(homedir(), path.slice(1));
  return isAbsolute(path) ? path : join(homedir(), path);
}

/** Null when there is none, or it cannot be read: a turn does not depend on it. */
export async function readOwnMemory(
  setting: string,
  leaveOut: LeaveOut = leaveOutSilently,
): Promise<MemoryText | null> {
  const path = ownMemoryPath(setting);
  if (path === null) return null;
  const origin = setting.trim();
  const text = await readOwnSource(path, origin, LARGEST, leaveOut);
  return text === null ? null : { origin, text };
}
