/**
 * Offers the sandbox once, in words: after a command that was asked about, where the sandbox is there and the person has
 * not chosen anything else. Root is not offered it, because root's sandbox can read what only root may read.
 */

import * as vscode from 'vscode';
import type { CommandSandbox } from '../../node/sandbox/commandSandbox.ts';
import { showInformation } from '../notices/notify.ts';

const OFFERED = 'palimpsest.sandboxOffered';
let isOffering = false;

export async function offerSandbox(sandbox: CommandSandbox, globalState: vscode.Memento): Promise<void> {
  const shell = vscode.workspace.getConfiguration('palimpsest.agent').inspect('shell');
  if (isOffering || process.getuid?.() === 0 || globalState.get(OFFERED) === true) return;
  if (shell?.globalValue !== undefined || !vscode.workspace.isTrusted) return;
  isOffering = true;
  try {
    if ((await sandbox.open()).kind !== 'ready') return;
    await globalState.update(OFFERED, true);
    const turnOn = vscode.l10n.t('Turn On');
    const chosen = await showInformation(
      vscode.l10n.t(
        'This machine can run commands in a sandbox: they write only in the open folders, cannot read your keys, and have no network. There they need no question; what the sandbox refuses is asked about.',
      ),
      turnOn,
    );
    if (chosen !== turnOn) return;
    await vscode.workspace
      .getConfiguration('palimpsest.agent')
      .update('shell', 'sandbox', vscode.ConfigurationTarget.Global);
  } finally {
    isOffering = false;
  }
}
