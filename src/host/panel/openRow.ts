/** Opens the whole of what a row shows in an editor: what is asked for as it would be done, anything else as a text. */

import * as vscode from 'vscode';
import type { ApprovalRequest } from '../../core/ports.ts';
import type { Row } from '../../protocol/rows.ts';
import type { ReadOnlyDocuments } from '../inspect/readOnlyDocuments.ts';

/** A change in the diff editor, a command as a text: all of what an answer would allow. */
export async function openQuestion({ detail }: ApprovalRequest, documents: ReadOnlyDocuments): Promise<void> {
  if (detail.kind === 'edit') await documents.showChange(detail.path, detail.before ?? '', detail.after);
  else await documents.show('command.sh', detail.command);
}

export async function openRow(row: Row): Promise<void> {
  const { text, language } = describe(row);
  const document = await vscode.workspace.openTextDocument({ content: text, language });
  await vscode.window.showTextDocument(document, { preview: true });
}

function describe(row: Row): { readonly text: string; readonly language: string } {
  switch (row.type) {
    case 'tool': {
      if (row.detail.kind === 'edit') return { text: row.detail.diff, language: 'diff' };
      return { text: `${row.toolName} ${row.title}\n\n${row.arguments}\n\n${row.result}`, language: 'plaintext' };
    }
    case 'user':
    case 'assistant':
      return { text: row.text, language: 'markdown' };
    case 'compaction':
      return { text: row.summary, language: 'markdown' };
    case 'notice':
      return { text: `${row.text}\n\n${row.detail}`, language: 'plaintext' };
    case 'dmail':
      return { text: `${row.text}\n\n${row.detail}`, language: 'markdown' };
    case 'checkpoint':
      return { text: row.label, language: 'plaintext' };
  }
}
