/**
 * The webview in the side panel: it loads the page, checks the page's messages and posts changes to it. It keeps no
 * state of the session: a page that is loaded again gets everything again.
 */

import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { messageOf } from '../../core/errors.ts';
import type { ToHost, ToPanel } from '../../protocol/messages.ts';
import type { Disposable } from '../session/shownSession.ts';
import { showFault } from '../tell/notify.ts';
import { PanelFrames } from './panelFrames.ts';
import { panelHtml } from './panelHtml.ts';
import type { PanelRouter } from './panelRouter.ts';

/** Milliseconds that a working page has to accept a message. */
const ANSWER_MS = 400;

export class PanelView implements vscode.WebviewViewProvider {
  readonly #extensionUri: vscode.Uri;
  readonly #router: PanelRouter;
  readonly #log: (text: string) => void;
  #view: vscode.WebviewView | null = null;

  /** `log` gets one line for each refused message. */
  constructor(extensionUri: vscode.Uri, router: PanelRouter, log: (text: string) => void) {
    this.#extensionUri = extensionUri;
    this.#router = router;
    this.#log = log;
  }

  /** True when the panel is on screen. A page whose window is gone no longer accepts messages. */
  async isSeen(): Promise<boolean> {
    if (!this.#view?.visible) return false;
    const taken = Promise.resolve(this.#view.webview.postMessage([])).catch(() => false);
    return Promise.race([taken, delay(ANSWER_MS, false)]);
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view;
    const { webview } = view;
    const dist = vscode.Uri.joinPath(this.#extensionUri, 'dist', 'webview');
    webview.options = {
      enableScripts: true,
      localResourceRoots: [dist, vscode.Uri.joinPath(this.#extensionUri, 'media')],
    };
    const frames = new PanelFrames(this.#router, (frame) => this.#post(webview, frame));
    const subscriptions: Disposable[] = [
      frames,
      this.#router.onDidChange((change) => frames.take(change)),
      webview.onDidReceiveMessage((value: unknown) => this.#receive(value, frames)),
    ];
    view.onDidDispose(() => {
      for (const subscription of subscriptions) subscription.dispose();
      if (this.#view === view) this.#view = null;
    });
    const uri = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
    webview.html = panelHtml(
      { script: uri('main.js'), style: uri('main.css'), icons: uri('codicon.css'), cspSource: webview.cspSource },
      { code: vscode.env.language, translations: vscode.l10n.bundle },
      randomBytes(16).toString('base64url'),
    );
  }

  #post(webview: vscode.Webview, frame: readonly ToPanel[]): void {
    webview.postMessage(frame).then(undefined, (thrown) => this.#log(`The panel could not be told: ${thrown}`));
  }

  async #receive(value: unknown, frames: PanelFrames): Promise<void> {
    // The schema library is loaded with the first message, not with the extension.
    const { decodeToHost } = await import('../../protocol/decode.ts');
    const decoded = decodeToHost(value);
    if (decoded.kind === 'refused') return this.#log(`The panel sent what does not fit: ${decoded.reason}`);
    await this.#answer(decoded.value, frames);
  }

  async #answer(message: ToHost, frames: PanelFrames): Promise<void> {
    switch (message.type) {
      case 'ready':
        return frames.show(message.count);
      case 'loadRows':
        return frames.older(message.beforeId, message.count);
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
