/** *Background Commands…*: what runs on while the conversation goes on, with its output, and how to stop it. */

import * as vscode from 'vscode';
import type { BackgroundCommand } from '../../core/tools/backgroundCommands.ts';
import { showCommandInOneLine } from '../../core/tools/text/showHidden.ts';
import type { Handlers } from '../handlers.ts';
import type { ReadOnlyDocuments } from '../inspect/readOnlyDocuments.ts';
import type { BackgroundShell } from '../shell/backgroundShell.ts';
import { type Listed, manageList } from '../tell/manageList.ts';

export class BackgroundCommandList {
  readonly #background: BackgroundShell;
  readonly #documents: ReadOnlyDocuments;

  readonly handlers = {
    backgroundCommands: () => this.#show(),
    showBackground: ({ id }) => this.#showOutput(id),
    stopBackground: ({ id }) => this.#background.stop(id, 'unread'),
  } satisfies Partial<Handlers>;

  constructor(background: BackgroundShell, documents: ReadOnlyDocuments) {
    this.#background = background;
    this.#documents = documents;
  }

  /** The list follows the commands while it is open. Choosing one shows its output; its button stops it. */
  #show(): Promise<void> {
    return manageList({
      title: vscode.l10n.t('Background Commands'),
      placeholder: vscode.l10n.t('Choose one to see its output. They end with this window.'),
      empty: vscode.l10n.t('No command has been started in the background of this window.'),
      read: () =>
        this.#background
          .list()
          .toReversed()
          .map((command) => this.#describe(command)),
      follow: (listener) => this.#background.onDidChangeList(listener),
    });
  }

  async #showOutput(id: string): Promise<void> {
    await this.#documents.show(`${id}.log`, this.#background.outputOf(id));
  }

  #describe({ id, command, ended }: BackgroundCommand): Listed {
    const stop = { icon: 'debug-stop', tooltip: vscode.l10n.t('Stop'), stays: true };
    return {
      // A `$(…)` would be an icon.
      label: `$(${ended ? 'circle-outline' : 'vm-running'}) ${showCommandInOneLine(command).replaceAll('$(', '$ (')}`,
      description: [id, describeState(ended)].join(' · '),
      act: () => this.#showOutput(id),
      buttons: ended ? [] : [{ ...stop, act: () => this.#background.stop(id, 'unread') }],
    };
  }
}

function describeState(ended: BackgroundCommand['ended']): string {
  if (!ended) return vscode.l10n.t('running');
  if (ended.ended === 'aborted') return vscode.l10n.t('stopped');
  return ended.exitCode === null ? vscode.l10n.t('ended by a signal') : vscode.l10n.t('exit {0}', ended.exitCode);
}
