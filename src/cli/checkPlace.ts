/** Before a run, so that no minutes are spent on figures that cannot be written. */

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../core/errors.ts';

/** Throws when no file can be written there. */
export function checkPlace(path: string): void {
  try {
    accessSync(dirname(path), constants.W_OK);
    if (existsSync(path) && statSync(path).isDirectory()) throw new Error('it is a folder');
  } catch (cause) {
    throw new Error(`${path} cannot be written: ${messageOf(cause)}`, { cause });
  }
}
