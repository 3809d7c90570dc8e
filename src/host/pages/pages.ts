/**
 * Pages in editor tabs. A page is shown under a key: showing that key again brings its tab to the front with the new
 * content. Its content is its only state, so a hidden tab can be redrawn from it.
 */

import * as vscode from 'vscode';
import { messageOf } from '../../core/errors.ts';
import { showName } from '../../core/tools/text/showHidden.ts';
import { pageText } from '../../node/pages/pageText.ts';
import type { FromPage, Page, ToPage } from '../../protocol/pages.ts';
import { showFault } from '../notices/notify.ts';
import { fillWebview, tabIcon } from '../panel/fillWebview.ts';

/** Actions of the page's buttons, by the ids on the page. */
export type PageActions = Readonly<Record<string, () => unknown>>;

/** Other input on a page. */
export interface PageInputs {
  choose?(row: string, option: string): unknown;
  write?(id: string, text: string): unknown;
}

/** The content of a page, and its actions. */
export interface PageContent {
  readonly page: Page;
  readonly actions?: PageActions;
  readonly inputs?: PageInputs;
}

export interface ShownPage {
  write(page: Page, actions?: PageActions, inputs?: PageInputs): void;
  /** False once the person has closed the tab. */
  readonly isOpen: boolean;
  close(): void;
}

interface PageOptions {
  /** Next to the active editor, which keeps the focus. */
  readonly beside?: boolean;
  readonly inputs?: PageInputs | undefined;
  /** The person switched to another of the page's `tabs`. */
  readonly goTo?: (tab: string) => unknown;
  /** The person has closed the tab. */
  readonly onClose?: () => unknown;
  /** Restored by the editor after a reload. */
  readonly panel?: vscode.WebviewPanel | undefined;
}

interface Tab {
  readonly panel: vscode.WebviewPanel;
  page: Page;
  actions: PageActions;
  inputs: PageInputs | undefined;
  readonly goTo: PageOptions['goTo'];
}

const VIEW_TYPE = 'palimpsest.page';
/** For a page with `tabs`: the editor restores it after a reload. */
const TABS_VIEW_TYPE = 'palimpsest.context';

export class Pages implements vscode.Disposable {
  readonly #extensionUri: vscode.Uri;
  readonly #openText: (title: string, text: string) => unknown;
  readonly #log: (text: string) => void;
  readonly #tabs = new Map<string, Tab>();

  /** `openText` shows a page as text. */
  constructor(
    extensionUri: vscode.Uri,
    openText: (title: string, text: string) => unknown,
    log: (text: string) => void,
  ) {
    this.#extensionUri = extensionUri;
    this.#openText = openText;
    this.#log = log;
  }

  show(key: string, page: Page, actions: PageActions = {}, options: PageOptions = {}): ShownPage {
    const { beside = false, inputs } = options;
    const known = this.#tabs.get(key);
    const tab = known ?? this.#open(key, page, actions, options);
    tab.inputs = inputs;
    if (known) {
      options.panel?.dispose();
      this.#write(known, page, actions);
      known.panel.reveal(undefined, beside);
    }
    const isOpen = () => this.#tabs.get(key) === tab;
    return {
      write: (next, given = tab.actions, inputs = tab.inputs) => {
        if (!isOpen()) return;
        tab.inputs = inputs;
        this.#write(tab, next, given);
      },
      get isOpen() {
        return isOpen();
      },
      close: () => isOpen() && tab.panel.dispose(),
    };
  }

  dispose(): void {
    for (const { panel } of [...this.#tabs.values()]) panel.dispose();
  }

  #open(key: string, page: Page, actions: PageActions, options: PageOptions): Tab {
    const { beside = false, goTo, onClose } = options;
    const dist = vscode.Uri.joinPath(this.#extensionUri, 'dist', 'webview');
    const viewColumn = beside ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
    const panel =
      options.panel ??
      vscode.window.createWebviewPanel(
        page.tabs ? TABS_VIEW_TYPE : VIEW_TYPE,
        nameTab(page),
        { viewColumn, preserveFocus: beside },
        { enableFindWidget: true },
      );
    panel.iconPath = tabIcon(this.#extensionUri);
    panel.webview.options = { enableScripts: true, localResourceRoots: [dist] };
    const tab: Tab = { panel, page, actions, inputs: undefined, goTo };
    this.#tabs.set(key, tab);
    panel.onDidDispose(() => {
      if (this.#tabs.get(key) === tab) this.#tabs.delete(key);
      onClose?.();
    });
    const { webview } = panel;
    webview.onDidReceiveMessage((value: unknown) => this.#receive(tab, value));
    fillWebview(webview, this.#extensionUri, 'pages');
    return tab;
  }

  #write(tab: Tab, page: Page, actions: PageActions): void {
    const before = tab.page;
    tab.page = page;
    tab.actions = actions;
    if (nameTab(before) !== nameTab(page)) tab.panel.title = nameTab(page);
    this.#post(tab, whatChanged(before, page));
  }

  #post({ panel, page }: Tab, message: ToPage = { type: 'page', page }): void {
    panel.webview
      .postMessage(message)
      .then(undefined, (thrown) => this.#log(`A page could not be told: ${messageOf(thrown)}`));
  }

  async #receive(tab: Tab, value: unknown): Promise<void> {
    const { decodeFromPage } = await import('../../protocol/pages.ts');
    const decoded = decodeFromPage(value);
    if (decoded.kind === 'refused') return this.#log(`A page sent what does not fit: ${decoded.reason}`);
    const message = decoded.value;
    if (message.type === 'ready') return this.#post(tab);
    try {
      await this.#act(tab, message);
    } catch (thrown) {
      this.#log(messageOf(thrown));
      await showFault(thrown, () => this.#receive(tab, value));
    }
  }

  #act({ page, actions, inputs, goTo }: Tab, message: Exclude<FromPage, { type: 'ready' }>): unknown {
    switch (message.type) {
      case 'text':
        return this.#openText(page.title, pageText(page));
      case 'act':
        return actions[message.id]?.();
      case 'tab':
        return goTo?.(message.id);
      case 'choose':
        return inputs?.choose?.(message.row, message.option);
      case 'write':
        return inputs?.write?.(message.id, message.text);
    }
  }
}

const nameTab = ({ title, tabs }: Page) => showName(tabs?.label ?? title);

/** A block that is the same object as before is not sent again. */
function whatChanged(before: Page, page: Page): ToPage {
  if (before.blocks.length !== page.blocks.length || before.tabs?.chosen !== page.tabs?.chosen)
    return { type: 'page', page };
  const blocks = page.blocks.flatMap((block, at) => (block === before.blocks[at] ? [] : [{ at, block }]));
  return { type: 'blocks', title: page.title, subtitle: page.subtitle, blocks };
}
