/** *Allowed Strategies…*: which publishers and files may see conversations as strategies, and takes it back. */

import * as vscode from 'vscode';
import { showInformation } from '../tell/notify.ts';

/** What a person has allowed, in the words of a list. */
export interface Allowance {
  readonly label: string;
  readonly description: string;
  readonly withdraw: () => PromiseLike<void>;
}

/** What is taken back is asked about again before its next use. */
export async function showAllowedStrategies(read: () => readonly Allowance[]): Promise<void> {
  const allowed = read();
  if (allowed.length === 0) {
    await showInformation(
      vscode.l10n.t('No strategies from others are allowed yet. You are asked before one sees a conversation.'),
    );
    return;
  }
  const chosen = await vscode.window.showQuickPick(
    allowed.map((each) => ({ ...each, iconPath: new vscode.ThemeIcon('trash') })),
    {
      title: vscode.l10n.t('Allowed Strategies'),
      placeHolder: vscode.l10n.t('These may see your conversations. Choose one to be asked again.'),
    },
  );
  if (!chosen) return;
  await chosen.withdraw();
  await showInformation(vscode.l10n.t('{0} is asked about again before its next use.', chosen.label));
}
