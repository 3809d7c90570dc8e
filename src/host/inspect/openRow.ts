/** Opens a tool call in an editor: a change as a diff, anything else as a text. */

import * as vscode from 'vscode';
import type { ApprovalRequest } from '../../core/ports.ts';
import type { RowOf } from '../../protocol/rows.ts';
import type { ReadOnlyDocuments } from './readOnlyDocuments.ts';

/** A change in the diff editor, a command as a text: all of what an answer would allow. */
export async function openQuestion({ detail }: ApprovalRequest, documents: ReadOnlyDocuments): Promise<void> {
  if (detail.kind === 'edit') await documents.showChange(detail.path, detail.before ?? '', detail.after);
  else await documents.show('command.sh', detail.command);
}

export async function openRow({ toolName, title, detail, ...row }: RowOf<'tool'>): Promise<void> {
  const shown =
    detail.kind === 'edit'
      ? { content: detail.diff, language: 'diff' }
      : { content: `${toolName} ${title}\n\n${row.arguments}\n\n${row.result}`, language: 'plaintext' };
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(shown), { preview: true });
}
