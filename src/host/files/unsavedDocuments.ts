/** VS Code's unsaved documents: as long as an editor holds a different text from the disk, that text is the file. */

import { realpathSync } from 'node:fs';
import * as vscode from 'vscode';
import { ToolError } from '../../core/errors.ts';
import { hasCode } from '../../node/files/fileErrors.ts';
import type { UnsavedDocuments } from '../../node/files/workspaceFiles.ts';
import { replaceChanged } from './editorText.ts';

export function openUnsavedDocuments(): UnsavedDocuments {
  return {
    text: (real) => findUnsaved(real)?.getText() ?? null,
    encoding: (real) => findUnsaved(real)?.encoding ?? 'utf8',

    isNotebook: (real) =>
      vscode.workspace.notebookDocuments.some(
        ({ isDirty, uri }) => isDirty && uri.scheme === 'file' && realPathOf(uri.fsPath) === real,
      ),

    async replace(real, text) {
      const document = findUnsaved(real);
      if (!document) throw new ToolError(`${real} was saved or closed meanwhile; nothing was written.`);
      const edit = new vscode.WorkspaceEdit();
      replaceChanged(edit, document, text.replace(/^\uFEFF/u, ''));
      if (!(await vscode.workspace.applyEdit(edit))) {
        throw new ToolError(`The editor did not take the change to ${real}; nothing was written.`);
      }
      if (!(await document.save())) {
        throw new ToolError(
          `The change to ${real} is in the editor but could not be saved: the disk may hold a newer text. Ask the user.`,
        );
      }
    },
  };
}

function findUnsaved(real: string): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(
    (document) => document.isDirty && document.uri.scheme === 'file' && realPathOf(document.uri.fsPath) === real,
  );
}

function realPathOf(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch (thrown) {
    // The document's file is gone from the disk, so no tool could mean it.
    if (hasCode(thrown, 'ENOENT', 'ENOTDIR')) return null;
    throw thrown;
  }
}
