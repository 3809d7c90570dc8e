/** The composition root: it wires the parts together and holds no logic. Invariant: it reads no file when it activates. */

import * as vscode from 'vscode';

export function activate(context: vscode.ExtensionContext): void {
  const provider: vscode.WebviewViewProvider = {
    resolveWebviewView: (view) => {
      view.webview.html = '<!doctype html><html lang="en"><body><h1>Palimpsest</h1></body></html>';
    },
  };
  context.subscriptions.push(vscode.window.registerWebviewViewProvider('palimpsest.panel', provider));
}
