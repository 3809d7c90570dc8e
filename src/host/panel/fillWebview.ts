/** Fills a webview with one of the product's scripts, its styles and the translations for the person's language. */

import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { panelHtml } from '../../node/panel/panelHtml.ts';

/** `name` is the script in `dist/webview` and its style sheet. */
export function fillWebview(webview: vscode.Webview, extensionUri: vscode.Uri, name: 'main' | 'pages'): void {
  const uri = (file: string) =>
    webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, 'dist', 'webview', file)).toString();
  webview.html = panelHtml(
    { script: uri(`${name}.js`), style: uri(`${name}.css`), icons: uri('codicon.css'), cspSource: webview.cspSource },
    { code: vscode.env.language, translations: vscode.l10n.bundle },
    randomBytes(16).toString('base64url'),
  );
}

/** Icon of editor tabs. The package contains it; its source drawing stays in the repository. */
export const tabIcon = (extensionUri: vscode.Uri): vscode.Uri => vscode.Uri.joinPath(extensionUri, 'media', 'icon.png');
