/**
 * Read-only documents that commands open. A text is kept while its document is open and never changes: running a
 * command again opens another.
 */

import { basename } from 'node:path';
import * as vscode from 'vscode';
import { showName } from '../../core/tools/text/showHidden.ts';

const DOCUMENT_SCHEME = 'palimpsest';

export class ReadOnlyDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #subscriptions: readonly vscode.Disposable[];
  #opened = 0;

  constructor() {
    this.#subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(DOCUMENT_SCHEME, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#texts.delete(uri.toString())),
    ];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#texts.clear();
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return (
      this.#texts.get(uri.toString()) ?? vscode.l10n.t('This was shown in an earlier window. Run the command again.')
    );
  }

  /** `name` is the tab's title; its extension selects the language. */
  async show(name: string, text: string): Promise<void> {
    const document = await vscode.workspace.openTextDocument(this.add(name.replaceAll('/', '∕'), text));
    await vscode.window.showTextDocument(document, { preview: true });
  }

  /** A file's text before and after, in the diff editor. `made`: it has already been decided. */
  async showChange(path: string, before: string, after: string, made = false): Promise<void> {
    const name = showName(basename(path));
    const title = made ? vscode.l10n.t('{0} (before ↔ after)', name) : vscode.l10n.t('{0} (current ↔ proposed)', name);
    const [now, then] = [this.add(path, before), this.add(path, after)];
    await vscode.commands.executeCommand('vscode.diff', now, then, title, { preview: true, preserveFocus: true });
  }

  add(path: string, text: string): vscode.Uri {
    this.#opened += 1;
    const uri = vscode.Uri.from({ scheme: DOCUMENT_SCHEME, path: `/${this.#opened}/${showName(path)}` });
    this.#texts.set(uri.toString(), text);
    return uri;
  }
}
