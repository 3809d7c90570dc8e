/** Opens a file that may not be there yet. */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { hasCode } from '../../node/files/fileErrors.ts';

/** Creates the file, with its folder, unless it exists. */
export async function openOrCreate(path: string, begins: string): Promise<vscode.TextDocument> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, begins, { flag: 'wx' });
  } catch (thrown) {
    if (!hasCode(thrown, 'EEXIST')) throw thrown;
  }
  return vscode.workspace.openTextDocument(path);
}
