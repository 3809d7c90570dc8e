/** Changes the text of an open document without touching what stays the same. */

import * as vscode from 'vscode';

/** Only the differing range, so that cursors, folds and marks elsewhere stay. */
export function replaceChanged(edit: vscode.WorkspaceEdit, document: vscode.TextDocument, text: string): void {
  const before = document.getText();
  const from = commonStart(before, text);
  let same = 0;
  const most = Math.min(before.length, text.length) - from;
  while (same < most && before[before.length - 1 - same] === text[text.length - 1 - same]) same++;
  const range = new vscode.Range(document.positionAt(from), document.positionAt(before.length - same));
  edit.replace(document.uri, range, text.slice(from, text.length - same));
}

export function commonStart(one: string, other: string): number {
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at++;
  // Not between the two characters of a CRLF.
  return one[at - 1] === '\r' ? at - 1 : at;
}
