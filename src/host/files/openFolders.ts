/** The folders that are open in this window. */

import * as vscode from 'vscode';

/** Paths of the open folders on disk. */
export function openFolders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).flatMap(({ uri }) => (uri.scheme === 'file' ? uri.fsPath : []));
}
