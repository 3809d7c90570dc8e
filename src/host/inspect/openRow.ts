/** Opens a tool call in an editor: a change as a diff, anything else as a text. */

import * as vscode from 'vscode';
import type { ApprovalRequest } from '../../core/ports.ts';
import type { RowOf } from '../../protocol/rows.ts';
import type { ReadOnlyDocuments } from './readOnlyDocuments.ts';

/** A change in the diff editor, anything else as a text: all of what an answer would allow. */
export async function openQuestion({ detail }: ApprovalRequest, documents: ReadOnlyDocuments): Promise<void> {
  switch (detail.kind) {
    case 'edit':
      return documents.showChange(detail.path, detail.before ?? '', detail.after);
    case 'delete':
      return documents.showChange(detail.path, detail.before ?? '', '');
    case 'move':
      return documents.show('move.txt', `${detail.from}\n→ ${detail.to}\n`);
    case 'command':
      return documents.show('command.sh', detail.command);
    case 'web':
      return documents.show('address.txt', detail.url);
    case 'mcp':
      return documents.show(`${detail.tool}.json`, detail.input);
  }
}

export async function openRow({ toolName, title, detail, ...row }: RowOf<'tool'>): Promise<void> {
  const shown =
    detail.kind === 'edit'
      ? { content: detail.diff, language: 'diff' }
      : { content: `${toolName} ${title}\n\n${row.arguments}\n\n${row.result}`, language: 'plaintext' };
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(shown), { preview: true });
}
