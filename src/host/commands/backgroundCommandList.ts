/** *Background Commands…*: what runs on while the conversation goes on, with its output, and how to stop it. */

import * as vscode from 'vscode';
import type { BackgroundCommand } from '../../core/tools/backgroundCommands.ts';
import { showCommandInOneLine } from '../../core/tools/text/showHidden.ts';
import type { ReadOnlyDocuments } from '../inspect/readOnlyDocuments.ts';
import type { BackgroundShell } from '../shell/backgroundShell.ts';
import { showInformation } from '../tell/notify.ts';

interface CommandItem extends vscode.QuickPickItem {
  readonly id: string;
}

export class BackgroundCommandList {
  readonly #background: BackgroundShell;
  readonly #documents: ReadOnlyDocuments;

  constructor(background: BackgroundShell, documents: ReadOnlyDocuments) {
    this.#background = background;
    this.#documents = documents;
  }

  /** The list follows the commands while it is open. Choosing one shows its output; its button stops it. */
  async show(): Promise<void> {
    if (this.#background.list().length === 0) {
      await showInformation(vscode.l10n.t('No command has been started in the background of this window.'));
      return;
    }
    const list = vscode.window.createQuickPick<CommandItem>();
    list.title = vscode.l10n.t('Background Commands');
    list.placeholder = vscode.l10n.t('Choose one to see its output. They end with this window.');
    const fill = () => {
      list.items = this.#background.list().toReversed().map(describe);
    };
    fill();
    const following = this.#background.onDidChangeList(fill);
    const { promise, resolve } = Promise.withResolvers<string | null>();
    list.onDidTriggerItemButton(({ item }) => void this.#background.stop(item.id, 'unread'));
    list.onDidAccept(() => resolve(list.activeItems[0]?.id ?? null));
    list.onDidHide(() => resolve(null));
    list.show();
    try {
      const id = await promise;
      if (id !== null) await this.showOutput(id);
    } finally {
      following.dispose();
      list.dispose();
    }
  }

  async showOutput(id: string): Promise<void> {
    await this.#documents.show(`${id}.log`, this.#background.outputOf(id));
  }
}

function describe({ id, command, ended }: BackgroundCommand): CommandItem {
  const stop = { iconPath: new vscode.ThemeIcon('debug-stop'), tooltip: vscode.l10n.t('Stop') };
  return {
    id,
    // A `$(…)` would be an icon.
    label: `$(${ended ? 'circle-outline' : 'vm-running'}) ${showCommandInOneLine(command).replaceAll('$(', '$ (')}`,
    description: [id, describeState(ended)].join(' · '),
    buttons: ended ? [] : [stop],
  };
}

function describeState(ended: BackgroundCommand['ended']): string {
  if (!ended) return vscode.l10n.t('running');
  if (ended.ended === 'aborted') return vscode.l10n.t('stopped');
  return ended.exitCode === null ? vscode.l10n.t('ended by a signal') : vscode.l10n.t('exit {0}', ended.exitCode);
}
