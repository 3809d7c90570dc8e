/**
 * VS Code's pickers, lists and file dialogs, after which the caret is where it was. VS Code itself gives the focus to an editor
 * after a picker that was opened from a webview, and what is typed next would be written into a file.
 */

import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import { showInformation } from './notify.ts';

/** Milliseconds to wait until the page has the focus: a page that is gone never says so. */
const LONGEST = 1_000;

/** Milliseconds in which the workbench may still move the focus after a picker. */
const SETTLES = 60;
const MOST_TRIES = 3;

/** Milliseconds after which a page that lost the focus did not open what opens now: its title bar takes it first. */
const JUST_NOW = 500;

interface Page {
  readonly name: string;
  /** Asks for the focus, which arrives later. */
  readonly focus: () => unknown;
}

/** Where the person types, as far as that is a page of the panel. While a picker is open the page has no focus. */
class Caret {
  #page: Page | null = null;
  /** Since when the page has no focus; null while it has. */
  #lostAt: number | null = null;
  #open = 0;
  #arrived: () => void = () => undefined;

  /** The page has got the focus. */
  entered(page: Page): void {
    this.#page = page;
    this.#lostAt = null;
    this.#arrived();
  }

  left(name: string): void {
    if (this.#page?.name === name) this.#lostAt ??= performance.now();
  }

  /**
   * Asks, and gives the focus back before the answer: a focus that arrives later would close the next picker. A person who
   * clicked into an editor instead of answering stays there.
   */
  async during<T>(ask: () => Thenable<T>): Promise<T> {
    const page = this.#opener();
    if (!page) return ask();
    this.#open += 1;
    let elsewhere = false;
    const clicked = vscode.window.onDidChangeTextEditorSelection(({ kind }) => {
      elsewhere ||= kind === vscode.TextEditorSelectionChangeKind.Mouse;
    });
    try {
      const answer = await ask();
      if (this.#open > 1) return answer;
      if (elsewhere && (answer === undefined || answer === null)) this.#page = null;
      else await this.#goBack(page);
      return answer;
    } finally {
      this.#open -= 1;
      clicked.dispose();
    }
  }

  /** The page from which a picker is opened now. */
  #opener(): Page | null {
    const isGone = this.#open === 0 && this.#lostAt !== null && performance.now() - this.#lostAt > JUST_NOW;
    return isGone ? null : this.#page;
  }

  /** The workbench gives the focus to an editor, and may do so again once the page has it. */
  async #goBack({ focus }: Page): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#arrived = resolve;
      void focus();
      if (this.#lostAt !== null) await Promise.race([promise, delay(LONGEST)]);
      await delay(SETTLES);
      if (this.#lostAt === null) return;
    }
  }
}

export const caret = new Caret();

/** The texts of a picker, as far as it has them: names by others can hide nothing in them. */
type Shown = Partial<Record<'label' | 'description' | 'detail' | 'title' | 'prompt' | 'placeHolder', string>>;
const SHOWN = ['label', 'description', 'detail', 'title', 'prompt', 'placeHolder'] as const;

/** The same item or options, with everything that is shown on one line. */
export function showPlainly<Given extends Shown>(given: Given): Given {
  const shown = SHOWN.flatMap((name) => {
    const text = given[name];
    return typeof text === 'string' ? [[name, showInOneLine(text)]] : [];
  });
  return { ...given, ...Object.fromEntries(shown) };
}

export async function showQuickPick<Item extends vscode.QuickPickItem>(
  items: readonly Item[] | Thenable<readonly Item[]>,
  options: vscode.QuickPickOptions & { readonly canPickMany: true },
): Promise<Item[] | undefined>;
export async function showQuickPick<Item extends vscode.QuickPickItem>(
  items: readonly Item[] | Thenable<readonly Item[]>,
  options?: vscode.QuickPickOptions,
): Promise<Item | undefined>;
export async function showQuickPick(
  items: readonly vscode.QuickPickItem[] | Thenable<readonly vscode.QuickPickItem[]>,
  options: vscode.QuickPickOptions = {},
): Promise<unknown> {
  const given = new Map<unknown, vscode.QuickPickItem>();
  const show = (all: readonly vscode.QuickPickItem[]) =>
    all.map((item) => {
      const shown = showPlainly(item);
      given.set(shown, item);
      return shown;
    });
  const shown = 'then' in items ? items.then(show) : show(items);
  const chosen: unknown = await caret.during(() => vscode.window.showQuickPick(shown, showPlainly(options)));
  // Callers compare what they gave.
  return Array.isArray(chosen) ? chosen.map((item) => given.get(item)) : given.get(chosen);
}

export const showInputBox: typeof vscode.window.showInputBox = (options = {}, token) =>
  caret.during(() => vscode.window.showInputBox(showPlainly(options), token));

export const showOpenDialog: typeof vscode.window.showOpenDialog = (...given) =>
  caret.during(() => vscode.window.showOpenDialog(...given));

export const showSaveDialog: typeof vscode.window.showSaveDialog = (...given) =>
  caret.during(() => vscode.window.showSaveDialog(...given));

/** An item without a value cannot be chosen (a heading, an unusable text). */
export interface Offer<T> extends vscode.QuickPickItem {
  readonly value?: T;
}

interface PickOrType<T> {
  readonly title: string;
  readonly placeholder: string;
  readonly offers: readonly Offer<T>[];
  /** The meaning of the typed text; null when it only filters. */
  readonly typed: (text: string) => Offer<T> | null;
}

/** A list to choose from, in which other values can be typed. Null when the person cancelled. */
export function pickOrType<T>({ title, placeholder, offers, typed }: PickOrType<T>): Promise<T | null> {
  const picker = vscode.window.createQuickPick<Offer<T>>();
  const shown = offers.map((offer) => showPlainly(offer));
  Object.assign(picker, { title: showInOneLine(title), placeholder, ignoreFocusOut: true, matchOnDescription: true });
  picker.items = shown;
  const ask = () =>
    new Promise<T | null>((resolve) => {
      picker.onDidChangeValue((text) => {
        const own = typed(text.trim());
        picker.items = own ? [{ ...showPlainly(own), alwaysShow: true }, ...shown] : shown;
      });
      picker.onDidAccept(() => {
        const chosen = picker.activeItems[0] ?? typed(picker.value.trim());
        if (chosen?.value === undefined) return;
        resolve(chosen.value);
        picker.hide();
      });
      picker.onDidHide(() => {
        resolve(null);
        picker.dispose();
      });
      picker.show();
    });
  return caret.during(ask);
}

interface Doable {
  /** Without it the row is not selectable. */
  readonly act?: (() => unknown) | undefined;
  /** The list stays open and is read again afterwards, for several actions in sequence. */
  readonly stays?: boolean | undefined;
}

interface ListedButton extends Doable {
  /** Name of a codicon. */
  readonly icon: string;
  readonly tooltip: string;
}

export interface Listed extends Doable {
  readonly label: string;
  readonly description?: string | undefined;
  readonly detail?: string | undefined;
  /** The group heading above it. */
  readonly group?: string | undefined;
  readonly buttons?: readonly ListedButton[] | undefined;
}

interface ManagedList {
  readonly title: string;
  readonly placeholder?: string;
  readonly read: () => readonly Listed[] | Promise<readonly Listed[]>;
  /** Text for an empty list. */
  readonly empty?: string;
  /** The list is read again at each of these events while it is open. */
  readonly follow?: (listener: () => void) => { dispose(): unknown };
  /** A click elsewhere does not close it. */
  readonly lasting?: boolean;
}

interface Item extends vscode.QuickPickItem {
  readonly listed?: Listed;
}

/**
 * A list of things and their actions: a caller only supplies data. Resolves when the chosen action is done, or the person
 * cancelled.
 */
export async function manageList({ title, placeholder, read, empty, follow, lasting }: ManagedList): Promise<void> {
  const first = await read();
  if (first.length === 0) {
    if (empty !== undefined) await showInformation(empty);
    return;
  }
  const list = vscode.window.createQuickPick<Item>();
  list.title = showInOneLine(title);
  list.placeholder = placeholder;
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  list.ignoreFocusOut = lasting === true;
  const { promise: chosen, resolve, reject } = Promise.withResolvers<Doable | null>();
  const fill = (listed: readonly Listed[]) => {
    const [active] = list.activeItems;
    const at = active ? list.items.indexOf(active) : -1;
    list.items = itemsOf(listed);
    const same = list.items[at];
    if (same?.listed) list.activeItems = [same];
  };
  const fillAgain = async () => {
    const listed = await read();
    if (listed.length === 0) list.hide();
    else fill(listed);
  };
  const actAndStay = async ({ act }: Doable) => {
    await act?.();
    await fillAgain();
  };
  const take = (doable: Doable | undefined) => {
    if (doable?.stays) actAndStay(doable).catch(reject);
    else if (doable?.act) resolve(doable);
  };
  list.onDidAccept(() => take(list.activeItems[0]?.listed));
  list.onDidTriggerItemButton(({ item, button }) =>
    take(item.listed?.buttons?.find(({ tooltip }) => tooltip === button.tooltip)),
  );
  list.onDidHide(() => resolve(null));
  const following = follow?.(() => void fillAgain().catch(reject));
  fill(first);
  try {
    const doable = await caret.during(async () => {
      list.show();
      const done = await chosen;
      list.hide();
      return done;
    });
    await doable?.act?.();
  } finally {
    following?.dispose();
    list.dispose();
  }
}

/** A heading wherever the group changes; ungrouped items after a group follow a separator. */
function itemsOf(listed: readonly Listed[]): Item[] {
  return listed.flatMap((each, at): Item[] => {
    const { label, description, detail, group, buttons = [] } = each;
    const heads = group !== (at === 0 ? undefined : listed[at - 1]?.group);
    return [
      ...(heads ? [{ label: showInOneLine(group ?? ''), kind: vscode.QuickPickItemKind.Separator }] : []),
      {
        listed: each,
        ...showPlainly({
          label,
          ...(description !== undefined && { description }),
          ...(detail !== undefined && { detail }),
        }),
        buttons: buttons.map(({ icon, tooltip }) => ({ iconPath: new vscode.ThemeIcon(icon), tooltip })),
      },
    ];
  });
}
