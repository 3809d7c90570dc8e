/** What the panel asks of VS Code itself: copying text, inserting it at the cursor, opening a link. */

import * as vscode from 'vscode';

/** Schemes that a link in an answer may open. */
const LINKS = new Set(['https:', 'http:', 'mailto:']);

export async function copyText(text: string): Promise<void> {
  await vscode.env.clipboard.writeText(text);
}

export async function insertAtCursor(text: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) throw new Error(vscode.l10n.t('No editor is open to insert into. Open a file first, or copy the text.'));
  await editor.edit((edit) => edit.replace(editor.selection, text));
  await vscode.window.showTextDocument(editor.document, editor.viewColumn);
}

/** VS Code shows the whole address and asks before it opens a page of an untrusted domain. */
export async function openLink(href: string): Promise<void> {
  const uri = URL.canParse(href) ? new URL(href) : null;
  if (!uri || !LINKS.has(uri.protocol))
    throw new Error(vscode.l10n.t('The link {0} is not opened: only web and mail addresses are.', href));
  await vscode.env.openExternal(vscode.Uri.parse(uri.href, true));
}
