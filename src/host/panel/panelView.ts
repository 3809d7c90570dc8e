/**
 * The panel's page in the side bar and in an editor tab: loads the page, validates its messages and posts changes to
 * it. It keeps no state of the session: a reloaded page gets everything again.
 */

import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Disposable } from '../../api/index.ts';
import { messageOf } from '../../core/errors.ts';
import { formatCount } from '../../core/figures.ts';
import type { Log } from '../../core/log.ts';
import { Revival } from '../../node/panel/revival.ts';
import type { Drafts, Place } from '../../node/session/drafts.ts';
import type { PageAct } from '../../protocol/commands.ts';
import type { Kept } from '../../protocol/kept.ts';
import type { ToHost, ToPanel } from '../../protocol/messages.ts';
import type { Handlers, PanelRequest } from '../handlers.ts';
import { showFault } from '../notices/notify.ts';
import { caret } from '../notices/pickers.ts';
import { fillWebview, tabIcon } from './fillWebview.ts';
import { focusPanel, type PanelChanges } from './panelChanges.ts';
import { PanelFrames } from './panelFrames.ts';
import { type PanelStateParts, readPanelState } from './panelState.ts';

/** Milliseconds for a working page to accept a message. */
const ANSWER_MS = 400;

/** Type of the editor tab that holds the panel; also in `extension.ts` and the manifest. */
const PANEL_EDITOR = 'palimpsest.panelEditor';

/** Workspace state: the panel is open as an editor tab, in that column. */
const OPEN_TAB = 'palimpsest.panelEditor';

type Holder = vscode.WebviewView | vscode.WebviewPanel;

/** The state of one page. */
interface Page {
  readonly frames: PanelFrames;
  readonly revival: Revival;
  readonly place: Place;
}

interface Parts extends PanelStateParts {
  readonly extensionUri: vscode.Uri;
  readonly drafts: Drafts;
  readonly changes: PanelChanges;
  readonly log: Log;
}

export class PanelView implements vscode.WebviewViewProvider {
  readonly #parts: Parts;
  readonly #memory: vscode.Memento;
  readonly #answerRequest: (request: PanelRequest) => Promise<void>;
  #view: vscode.WebviewView | null = null;
  #editor: vscode.WebviewPanel | null = null;
  #waiting: vscode.ViewBadge | undefined;
  readonly #focused = new Set<Place>();

  readonly handlers = {
    showInEditor: () => this.#showEditor(),
    focusMessage: () => this.#act('focusMessage'),
    focusConversation: () => this.#act('focusConversation'),
    findInConversation: () => this.#act('find'),
  } satisfies Partial<Handlers>;

  /** `memory` is the workspace's; `answer` handles the page's requests to others. */
  constructor(parts: Parts, memory: vscode.Memento, answer: (request: PanelRequest) => Promise<void>) {
    this.#parts = parts;
    this.#memory = memory;
    this.#answerRequest = answer;
  }

  /** True when the panel is on screen, somewhere. */
  get visible(): boolean {
    return this.#holders().some(({ visible }) => visible);
  }

  /** The same, but false for a page whose window is gone, because it no longer accepts messages. */
  async isSeen(): Promise<boolean> {
    const shown = this.#holders().filter(({ visible }) => visible);
    const taken = shown.map(({ webview }) => Promise.resolve(webview.postMessage([])).catch(() => false));
    if (taken.length === 0) return false;
    return Promise.race([Promise.all(taken).then((all) => all.includes(true)), delay(ANSWER_MS, false)]);
  }

  /** The number of waiting questions, on the view's icon. */
  showWaiting(count: number): void {
    if (count === (this.#waiting?.value ?? 0)) return;
    const tooltip =
      count === 1
        ? vscode.l10n.t('1 question is waiting for you')
        : vscode.l10n.t('{0} questions are waiting for you', formatCount(count));
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

  /** Shows the panel as an editor tab; there is at most one. */
  #showEditor(): void {
    if (this.#editor) this.#editor.reveal();
    else this.#openEditor(vscode.ViewColumn.Active, false);
  }

  /**
   * Opens the tab that was open when the window was last closed. The editor restores it itself if it had saved its
   * tabs, which in a browser happens only once a minute.
   */
  reopenEditor(): void {
    const column = this.#memory.get<vscode.ViewColumn>(OPEN_TAB);
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const isBack = tabs.some(({ input }) => input instanceof vscode.TabInputWebview && isPanelEditor(input.viewType));
    if (typeof column === 'number' && !isBack && !this.#editor) this.#openEditor(column, true);
  }

  #openEditor(viewColumn: vscode.ViewColumn, preserveFocus: boolean): void {
    this.resolveEditor(vscode.window.createWebviewPanel(PANEL_EDITOR, 'Palimpsest', { viewColumn, preserveFocus }));
  }

  /** A new tab, or one that the editor restored after a reload. */
  resolveEditor(panel: vscode.WebviewPanel): void {
    this.#editor?.dispose();
    this.#editor = panel;
    panel.iconPath = tabIcon(this.#parts.extensionUri);
    this.#load(panel, 'tab');
    this.#remember(panel.viewColumn ?? vscode.ViewColumn.Active);
    panel.onDidDispose(() => {
      if (this.#editor !== panel) return;
      this.#editor = null;
      this.#remember(undefined);
    });
  }

  #remember(column: vscode.ViewColumn | undefined): void {
    this.#memory
      .update(OPEN_TAB, column)
      .then(undefined, (thrown) => this.#log(`The editor tab could not be remembered: ${messageOf(thrown)}`));
  }

  /** The page in that place got or lost the focus: keys of commands apply to the panel only while one has it. */
  #focus(place: Place, focused: boolean): void {
    const before = this.#focused.size > 0;
    if (focused) {
      this.#focused.add(place);
      caret.entered({ name: place, focus: () => (place === 'tab' ? this.#editor?.reveal() : focusPanel()) });
    } else {
      this.#focused.delete(place);
      caret.left(place);
    }
    const now = this.#focused.size > 0;
    if (now !== before) void vscode.commands.executeCommand('setContext', 'palimpsest.focused', now);
  }

  /** Sends an action to the page: to a visible one if possible, otherwise to the side bar. */
  async #act(act: PageAct): Promise<void> {
    if (this.#focused.size === 0) {
      if (this.#editor?.active) this.#editor.reveal();
      else await focusPanel();
    }
    this.#parts.changes.publish({ type: 'act', act });
  }

  #log(text: string): void {
    this.#parts.log('warn', text);
  }

  /** The page's stored state for the session on screen. A read-only session has no draft. */
  #kept(place: Place): Kept | null {
    const { session, drafts } = this.#parts;
    const { conversation } = session;
    const kept = drafts.get(conversation?.id ?? '', place);
    return kept && conversation?.journal.readOnly
      ? { ...kept, draft: '', images: [], editing: null, editingImages: [] }
      : kept;
  }

  #keep(request: Extract<ToHost, { type: 'keep' }>, place: Place): Promise<void> {
    const { session, drafts } = this.#parts;
    const open = session.find(request.sessionId);
    const mine = open !== null && !open.journal.readOnly;
    return drafts.keep(request, place, mine || request.sessionId === '');
  }

  #holders(): Holder[] {
    return [this.#view, this.#editor].filter((holder) => holder !== null);
  }

  #load(holder: Holder, place: Place): void {
    const { webview } = holder;
    const dist = vscode.Uri.joinPath(this.#parts.extensionUri, 'dist', 'webview');
    webview.options = {
      enableScripts: true,
      localResourceRoots: [dist, vscode.Uri.joinPath(this.#parts.extensionUri, 'media')],
    };
    const { session, changes } = this.#parts;
    const source = {
      state: () => readPanelState(this.#parts),
      rows: (before: string | null, count: number) => session.rows(before, count),
      row: (id: string) => session.row(id),
      kept: () => this.#kept(place),
    };
    const frames: PanelFrames = new PanelFrames(source, (frame) => this.#post(webview, frame, frames));
    const load = () => fillWebview(webview, this.#parts.extensionUri, 'main');
    const revival = new Revival(load, () => holder.visible, Date.now);
    const page = { frames, revival, place };
    const subscriptions: Disposable[] = [
      frames,
      revival,
      changes.onDidChange((change) => frames.take(change)),
      webview.onDidReceiveMessage((value: unknown) => this.#receive(value, page)),
    ];
    holder.onDidDispose(() => {
      for (const subscription of subscriptions) subscription.dispose();
      this.#focus(place, false);
    });
    load();
  }

  #post(webview: vscode.Webview, frame: readonly ToPanel[], frames: PanelFrames): void {
    webview.postMessage(frame).then(
      (taken) => taken || frames.keep(frame),
      (thrown) => this.#log(`The panel could not be told: ${thrown}`),
    );
  }

  async #receive(value: unknown, page: Page): Promise<void> {
    // The schema library is loaded with the first message, not with the extension.
    const { decodeToHost } = await import('../../protocol/messages.ts');
    const decoded = decodeToHost(value);
    if (decoded.kind === 'refused') return this.#log(`The panel sent what does not fit: ${decoded.reason}`);
    await this.#answer(decoded.value, page);
  }

  async #answer(message: ToHost, page: Page): Promise<void> {
    const { frames, revival, place } = page;
    switch (message.type) {
      case 'ready':
        revival.ready();
        return frames.show(message.count);
      case 'gone':
        this.#focus(place, false);
        return revival.gone();
      case 'focused':
        return this.#focus(place, message.focused);
      case 'loadRows':
        return frames.older(message.beforeId, message.count);
      case 'keep':
        return this.#keep(message, place);
      default:
        try {
          await this.#answerRequest(message);
        } catch (thrown) {
          this.#log(`${message.type}: ${messageOf(thrown)}`);
          void showFault(thrown, () => this.#answer(message, page));
        }
    }
  }
}

/** The editor prefixes the type. */
const isPanelEditor = (viewType: string): boolean => viewType.endsWith(PANEL_EDITOR);
