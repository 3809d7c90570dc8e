/** *Allowed Commands…*: what runs without asking, word by word, and takes it back. */

import * as vscode from 'vscode';
import type { CommandRule } from '../../core/tools/commandRules.ts';
import type { AllowedCommands } from '../shell/allowedCommands.ts';
import { showInformation } from '../tell/notify.ts';

interface RuleItem extends vscode.QuickPickItem {
  readonly rule: CommandRule;
}

/** The list stays open, so that several can be taken back; the newest first. */
export async function showAllowedCommands(allowed: AllowedCommands): Promise<void> {
  if (allowed.list.length === 0) {
    await showInformation(
      vscode.l10n.t(
        'No command is always allowed yet. The question before a command offers “Always…” when it is a program with plain arguments.',
      ),
    );
    return;
  }
  const list = vscode.window.createQuickPick<RuleItem>();
  list.title = vscode.l10n.t('Allowed Commands');
  list.placeholder = vscode.l10n.t('These run without asking, exactly as written here. Choose one to be asked again.');
  list.matchOnDescription = true;
  const fill = () => {
    list.items = allowed.list.toReversed().map((rule) => ({
      rule,
      label: rule.argv.join(' '),
      description: rule.background ? vscode.l10n.t('in the background · {0}', rule.folder) : rule.folder,
      buttons: [{ iconPath: new vscode.ThemeIcon('trash'), tooltip: vscode.l10n.t('Ask again from now on') }],
    }));
  };
  fill();
  await new Promise<void>((resolve, reject) => {
    const remove = ({ rule }: RuleItem) => {
      allowed.remove(rule).then(() => {
        fill();
        if (list.items.length === 0) list.hide();
      }, reject);
    };
    list.onDidTriggerItemButton(({ item }) => remove(item));
    list.onDidAccept(() => {
      const [item] = list.activeItems;
      if (item) remove(item);
    });
    list.onDidHide(resolve);
    list.show();
  }).finally(() => list.dispose());
}
