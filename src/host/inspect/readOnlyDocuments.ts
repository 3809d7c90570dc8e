/**
 * Read-only documents that commands open. A text is kept while its document is open. It changes only in a live document;
 * otherwise running a command again opens another.
 */

import { basename } from 'node:path';
import * as vscode from 'vscode';

const DOCUMENT_SCHEME = 'palimpsest';

export interface LiveDocument {
  write(text: string): void;
  /** Whether a tab shows it. */
  isOpen(): boolean;
}

export class ReadOnlyDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #subscriptions: readonly vscode.Disposable[];
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  #opened = 0;

  constructor() {
    this.#subscriptions = [
      this.#changed,
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

  /** `name` is what the tab shows; its ending chooses the language. With `keepFocus` an open list stays in front. */
  async show(name: string, text: string, keepFocus = false): Promise<void> {
    const document = await vscode.workspace.openTextDocument(this.add(name.replaceAll('/', '∕'), text));
    await vscode.window.showTextDocument(document, { preview: true, preserveFocus: keepFocus });
  }

  /** Beside what is open, empty at first. */
  async showLive(name: string): Promise<LiveDocument> {
    const uri = this.add(name.replaceAll('/', '∕'), '');
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, {
      viewColumn: vscode.ViewColumn.Beside,
      preview: false,
      preserveFocus: true,
    });
    const key = uri.toString();
    return {
      write: (text) => {
        this.#texts.set(key, text);
        this.#changed.fire(uri);
      },
      isOpen: () =>
        vscode.window.tabGroups.all.some(({ tabs }) =>
          tabs.some(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === key),
        ),
    };
  }

  /** A file's text before and after, in the diff editor. */
  async showChange(path: string, before: string, after: string): Promise<void> {
    const title = vscode.l10n.t('{0} (now ↔ asked for)', basename(path));
    const [now, then] = [this.add(path, before), this.add(path, after)];
    await vscode.commands.executeCommand('vscode.diff', now, then, title, { preview: true, preserveFocus: true });
  }

  add(path: string, text: string): vscode.Uri {
    this.#opened += 1;
    const uri = vscode.Uri.from({ scheme: DOCUMENT_SCHEME, path: `/${this.#opened}/${path}` });
    this.#texts.set(uri.toString(), text);
    return uri;
  }
}
