/** A list of things and their actions: a caller only supplies data. */

import * as vscode from 'vscode';
import { showInformation } from './notify.ts';
import { caret } from './pickers.ts';

interface Doable {
  /** Without it the row is not selectable. */
  readonly act?: (() => unknown) | undefined;
  /** The list stays open and is read again afterwards, for several actions in sequence. */
  readonly stays?: boolean | undefined;
}

export interface ListedButton extends Doable {
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

/** Resolves when the chosen action is done, or the person cancelled. */
export async function manageList({ title, placeholder, read, empty, follow, lasting }: ManagedList): Promise<void> {
  const first = await read();
  if (first.length === 0) {
    if (empty !== undefined) await showInformation(empty);
    return;
  }
  const list = vscode.window.createQuickPick<Item>();
  list.title = title;
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
      ...(heads ? [{ label: group ?? '', kind: vscode.QuickPickItemKind.Separator }] : []),
      {
        listed: each,
        label,
        ...(description !== undefined && { description }),
        ...(detail !== undefined && { detail }),
        buttons: buttons.map(({ icon, tooltip }) => ({ iconPath: new vscode.ThemeIcon(icon), tooltip })),
      },
    ];
  });
}
