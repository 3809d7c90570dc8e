/**
 * The product's settings in force: read once, and again when VS Code says that they changed. A problem is shown once,
 * with the way to the setting.
 */

import * as vscode from 'vscode';
import type { SettingProblem } from '../core/checkSetting.ts';
import type { CompactionSettings } from '../core/compaction/settings.ts';
import type { Log } from '../core/ports.ts';
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
  readonly #subscription: vscode.Disposable;
  readonly #shown = new Set<string>();
  #current: ProductSettings;

  readonly onDidChange = this.#changed.event;

  constructor(read: () => ProductSettings, log: Log) {
    this.#read = read;
    this.#log = log;
    this.#current = read();
    this.#showProblems();
    this.#subscription = vscode.workspace.onDidChangeConfiguration((event) => {
      if (!event.affectsConfiguration('palimpsest')) return;
      this.#current = this.#read();
      this.#showProblems();
      this.#changed.fire();
    });
  }

  get current(): ProductSettings {
    return this.#current;
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  #showProblems(): void {
    for (const { key, message } of this.#current.problems) {
      if (this.#shown.has(message)) continue;
      this.#shown.add(message);
      this.#log('warn', message);
      const open = vscode.l10n.t('Open Settings');
      vscode.window.showWarningMessage(message, open).then((chosen) => {
        if (chosen === open) return vscode.commands.executeCommand('workbench.action.openSettings', `@id:${key}`);
        return undefined;
      });
    }
  }
}
