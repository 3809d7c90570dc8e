/**
 * The product's settings in force: read once, and again when they change or when extensions come or go, since their
 * strategies have settings too. A problem is shown once, with a way to the setting.
 */

import * as vscode from 'vscode';
import type { CompactionSettings } from '../../core/compaction/settings.ts';
import type { Log } from '../../core/ports.ts';
import type { SettingProblem } from '../../core/settings/readSection.ts';
import { say, showWarning } from '../tell/notify.ts';
import type { AgentSettings } from './agentSettings.ts';

export interface ProductSettings {
  readonly agent: AgentSettings;
  readonly compaction: CompactionSettings;
  readonly problems: readonly SettingProblem[];
}

export class WatchedSettings implements vscode.Disposable {
  readonly #read: () => ProductSettings;
  readonly #log: Log;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: readonly vscode.Disposable[];
  readonly #shown = new Set<string>();
  #current: ProductSettings;

  readonly onDidChange = this.#changed.event;

  /** `foreign` gives the sections of other extensions that `read` looks at. */
  constructor(read: () => ProductSettings, foreign: () => readonly string[], log: Log) {
    this.#read = read;
    this.#log = log;
    this.#current = read();
    this.#showProblems();
    this.#subscriptions = [
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (['palimpsest', ...foreign()].some((section) => event.affectsConfiguration(section))) this.#readAgain();
      }),
      vscode.extensions.onDidChange(() => this.#readAgain()),
    ];
  }

  get current(): ProductSettings {
    return this.#current;
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#changed.dispose();
  }

  #readAgain(): void {
    this.#current = this.#read();
    this.#showProblems();
    this.#changed.fire();
  }

  #showProblems(): void {
    for (const { key, said } of this.#current.problems) {
      const message = say(said);
      if (this.#shown.has(message)) continue;
      this.#shown.add(message);
      this.#log('warn', message);
      const open = vscode.l10n.t('Open Settings');
      showWarning(message, open).then((chosen) => {
        if (chosen === open) return vscode.commands.executeCommand('workbench.action.openSettings', `@id:${key}`);
        return undefined;
      });
    }
  }
}
