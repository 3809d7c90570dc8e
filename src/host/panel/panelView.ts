/**
 * The panel's page in the side bar and in an editor tab: it loads the page, checks its messages and posts changes to it.
 * It keeps no state of the session: a page that is loaded again gets everything again.
 */

import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { messageOf } from '../../core/errors.ts';
import type { ToHost, ToPanel } from '../../protocol/messages.ts';
import type { Place } from '../drafts/drafts.ts';
import type { Disposable } from '../session/shownSession.ts';
import { showFault } from '../tell/notify.ts';
import { fillWebview, tabIcon } from './fillWebview.ts';
import { PanelFrames } from './panelFrames.ts';
import type { PanelRouter } from './panelRouter.ts';

/** Milliseconds that a working page has to accept a message. */
const ANSWER_MS = 400;
/** The kind of editor tab that holds the panel; `extension.ts` and the manifest name it too. */
const PANEL_EDITOR = 'palimpsest.panelEditor';

type Holder = vscode.WebviewView | vscode.WebviewPanel;

export class PanelView implements vscode.WebviewViewProvider {
  readonly #extensionUri: vscode.Uri;
  readonly #router: PanelRouter;
  readonly #log: (text: string) => void;
  #view: vscode.WebviewView | null = null;
  #editor: vscode.WebviewPanel | null = null;
  #waiting: vscode.ViewBadge | undefined;

  /** `log` gets one line for each refused message. */
  constructor(extensionUri: vscode.Uri, router: PanelRouter, log: (text: string) => void) {
    this.#extensionUri = extensionUri;
    this.#router = router;
    this.#log = log;
  }

  /** True when the panel is on screen, somewhere. */
  get visible(): boolean {
    return this.#holders().some(({ visible }) => visible);
  }

  /** The same, but a page whose window is gone no longer accepts messages. */
  async isSeen(): Promise<boolean> {
    const shown = this.#holders().filter(({ visible }) => visible);
    const taken = shown.map(({ webview }) => Promise.resolve(webview.postMessage([])).catch(() => false));
    if (taken.length === 0) return false;
    return Promise.race([Promise.all(taken).then((all) => all.includes(true)), delay(ANSWER_MS, false)]);
  }

  /** How many questions wait, on the view's icon. */
  showWaiting(count: number): void {
    if (count === (this.#waiting?.value ?? 0)) return;
    const tooltip =
      count === 1
        ? vscode.l10n.t('1 question is waiting for you')
        : vscode.l10n.t('{0} questions are waiting for you', count);
    this.#waiting = count === 0 ? undefined : { value: count, tooltip };
    if (this.#view) this.#view.badge = this.#waiting;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view;
    view.badge = this.#waiting;
    this.#load(view, 'view');
    view.onDidDispose(() => {
      if (this.#view === view) this.#view = null;
    });
  }

  /** The panel as an editor tab; one is enough. */
  showEditor(): void {
    if (this.#editor) this.#editor.reveal();
    else this.resolveEditor(vscode.window.createWebviewPanel(PANEL_EDITOR, 'Palimpsest', vscode.ViewColumn.Active));
  }

  /** A tab that is new, or one that the editor has brought back after a reload. */
  resolveEditor(panel: vscode.WebviewPanel): void {
    this.#editor?.dispose();
    this.#editor = panel;
    panel.iconPath = tabIcon(this.#extensionUri);
    this.#load(panel, 'tab');
    panel.onDidDispose(() => {
      if (this.#editor === panel) this.#editor = null;
    });
  }

  #holders(): Holder[] {
    return [this.#view, this.#editor].filter((holder) => holder !== null);
  }

  #load(holder: Holder, place: Place): void {
    const { webview } = holder;
    const dist = vscode.Uri.joinPath(this.#extensionUri, 'dist', 'webview');
    webview.options = {
      enableScripts: true,
      localResourceRoots: [dist, vscode.Uri.joinPath(this.#extensionUri, 'media')],
    };
    const router = this.#router;
    const source = {
      state: () => router.state(),
      rows: (before: string | null, count: number) => router.rows(before, count),
      row: (id: string) => router.row(id),
      kept: () => router.kept(place),
    };
    const frames: PanelFrames = new PanelFrames(source, (frame) => this.#post(webview, frame, frames));
    const subscriptions: Disposable[] = [
      frames,
      router.onDidChange((change) => frames.take(change)),
      webview.onDidReceiveMessage((value: unknown) => this.#receive(value, frames, place)),
    ];
    holder.onDidDispose(() => {
      for (const subscription of subscriptions) subscription.dispose();
    });
    fillWebview(webview, this.#extensionUri, 'main');
  }

  #post(webview: vscode.Webview, frame: readonly ToPanel[], frames: PanelFrames): void {
    webview.postMessage(frame).then(
      (taken) => taken || frames.keep(frame),
      (thrown) => this.#log(`The panel could not be told: ${thrown}`),
    );
  }

  async #receive(value: unknown, frames: PanelFrames, place: Place): Promise<void> {
    // The schema library is loaded with the first message, not with the extension.
    const { decodeToHost } = await import('../../protocol/decode.ts');
    const decoded = decodeToHost(value);
    if (decoded.kind === 'refused') return this.#log(`The panel sent what does not fit: ${decoded.reason}`);
    await this.#answer(decoded.value, frames, place);
  }

  async #answer(message: ToHost, frames: PanelFrames, place: Place): Promise<void> {
    switch (message.type) {
      case 'ready':
        return frames.show(message.count);
      case 'loadRows':
        return frames.older(message.beforeId, message.count);
      case 'keep':
        return this.#router.keep(message, place);
      default:
        try {
          await this.#router.handle(message);
        } catch (thrown) {
          this.#log(`${message.type}: ${messageOf(thrown)}`);
          await showFault(thrown);
        }
    }
  }
}
