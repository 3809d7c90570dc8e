/** *Approvals…*: everything that runs, starts or sees without asking because the person said so, and takes it back. */

import * as vscode from 'vscode';
import { askInDialog, showInformation } from '../tell/notify.ts';

/** What a person has allowed, in the words of a list. */
export interface Allowance {
  readonly label: string;
  readonly description: string;
  /** The heading that it stands under together with its neighbours. */
  readonly group: string;
  /** It is asked about again before its next use. */
  readonly withdraw: () => PromiseLike<void>;
}

interface AllowanceItem extends vscode.QuickPickItem {
  readonly allowance?: Allowance;
  readonly all?: true;
}

/** The list stays open, so that several can be taken back. */
export async function showApprovals(read: () => Promise<readonly Allowance[]>): Promise<void> {
  if ((await read()).length === 0) {
    await showInformation(
      vscode.l10n.t(
        'Nothing is allowed beyond a single answer: each edit, command and tool that needs it is asked about.',
      ),
    );
    return;
  }
  const list = vscode.window.createQuickPick<AllowanceItem>();
  list.title = vscode.l10n.t('Approvals');
  list.placeholder = vscode.l10n.t('You are not asked about these. Choose one to be asked again.');
  list.matchOnDescription = true;
  let allowed: readonly Allowance[] = [];
  const fill = async () => {
    allowed = await read();
    list.items = itemsOf(allowed);
    if (allowed.length === 0) list.hide();
  };
  await fill();
  await new Promise<void>((resolve, reject) => {
    const take = (item: AllowanceItem | undefined) => {
      if (item?.all) {
        list.hide();
        withdrawAll(allowed).then(resolve, reject);
      } else if (item?.allowance) Promise.resolve(item.allowance.withdraw()).then(fill).catch(reject);
    };
    list.onDidTriggerItemButton(({ item }) => take(item));
    list.onDidAccept(() => take(list.activeItems[0]));
    list.onDidHide(() => resolve());
    list.show();
  }).finally(() => list.dispose());
}

function itemsOf(allowed: readonly Allowance[]): AllowanceItem[] {
  const groups = [...new Set(allowed.map(({ group }) => group))];
  const rows = groups.flatMap((group): AllowanceItem[] => [
    { label: group, kind: vscode.QuickPickItemKind.Separator },
    ...allowed
      .filter((each) => each.group === group)
      .map((allowance) => ({
        allowance,
        label: allowance.label,
        description: allowance.description,
        buttons: [{ iconPath: new vscode.ThemeIcon('trash'), tooltip: vscode.l10n.t('Ask again from now on') }],
      })),
  ]);
  const all: AllowanceItem = { label: vscode.l10n.t('Ask again about all of these…'), all: true };
  return [...rows, { label: '', kind: vscode.QuickPickItemKind.Separator }, all];
}

async function withdrawAll(allowed: readonly Allowance[]): Promise<void> {
  const ask = vscode.l10n.t('Ask Again');
  const chosen = await askInDialog(
    vscode.l10n.t('Ask again about all {0} approvals?', allowed.length),
    allowed
      .map(({ label, group }) => `${group}: ${label}`)
      .slice(0, MOST_NAMED)
      .join('\n'),
    ask,
  );
  if (chosen !== ask) return;
  for (const { withdraw } of allowed) await withdraw();
  await showInformation(vscode.l10n.t('You are asked again about all of these.'));
}

const MOST_NAMED = 30;
