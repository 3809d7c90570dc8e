/**
 * The branches of a session as a small tree: each stands below the one that it leaves, can be looked at on a page, and can
 * be chosen.
 */

import * as vscode from 'vscode';
import { type Branch, listBranches } from '../../core/journal/branches.ts';
import type { Journal } from '../../core/journal/journal.ts';
import { showInformation } from '../tell/notify.ts';

interface BranchItem extends vscode.QuickPickItem {
  readonly branch: Branch;
}

/** A space that is drawn also at the beginning of a line. */
const INDENT = '\u2003';

/** Null when the person left without choosing, or wants to look at one first. */
export async function chooseBranch(journal: Journal, view: (branch: Branch) => void): Promise<Branch | null> {
  const branches = listBranches(journal);
  if (branches.length === 0) {
    void showInformation(
      vscode.l10n.t('This session has no other branch. Going back, editing a message and clearing leave one.'),
    );
    return null;
  }
  const look = { iconPath: new vscode.ThemeIcon('eye'), tooltip: vscode.l10n.t('View This Branch') };
  const pick = vscode.window.createQuickPick<BranchItem>();
  pick.title = vscode.l10n.t('Branches of This Session');
  pick.placeholder = vscode.l10n.t('Choose one to return to. What is shown now is kept as a branch.');
  pick.matchOnDetail = true;
  pick.ignoreFocusOut = true;
  pick.items = branches.map((branch) => ({ ...describeBranch(branch), branch, buttons: [look] }));
  return new Promise((resolve) => {
    pick.onDidTriggerItemButton(({ item: { branch } }) => {
      // The list would lie over the page.
      pick.hide();
      view(branch);
    });
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]?.branch ?? null);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(null);
      pick.dispose();
    });
    pick.show();
  });
}

/** Where a branch leaves, why, and when. */
export function describeOrigin({ time, cause, after }: Branch): string {
  const when = new Date(time).toLocaleString(vscode.env.language);
  const where = after === '' ? vscode.l10n.t('from the beginning') : vscode.l10n.t('after “{0}”', after);
  return [where, describeCause(cause), when].join(' · ');
}

function describeBranch(branch: Branch): vscode.QuickPickItem {
  const { label, depth, messages } = branch;
  const count = messages === 1 ? vscode.l10n.t('1 message') : vscode.l10n.t('{0} messages', messages);
  const indent = INDENT.repeat(2 * depth);
  return {
    label: `${indent}$(git-branch) ${label}`,
    description: count,
    detail: `${indent}${describeOrigin(branch)}`,
  };
}

function describeCause(cause: Branch['cause']): string {
  switch (cause) {
    case 'user':
      return vscode.l10n.t('left by going back');
    case 'edit':
      return vscode.l10n.t('left by editing a message');
    case 'dmail':
      return vscode.l10n.t('left by the agent’s message to its past');
    case 'clear':
      return vscode.l10n.t('left by clearing the conversation');
    case null:
      return vscode.l10n.t('left earlier');
  }
}
