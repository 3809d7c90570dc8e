/**
 * The product's settings in force: read once, and again when they change or when extensions are added or removed, since
 * their strategies have settings too. A problem is shown once, with a link to the setting.
 */

import * as vscode from 'vscode';
import { type CompactionSettings, readCompactionSettings } from '../../core/compaction/settings.ts';
import type { Log } from '../../core/ports.ts';
import type { SettingProblem } from '../../core/settings/readSection.ts';
import type { ContributedStrategies } from '../api/contributedStrategies.ts';
import { say, showWarning } from '../tell/notify.ts';
import { type AgentSettings, readAgentSettings, readSetting } from './agentSettings.ts';

export interface ProductSettings {
  readonly agent: AgentSettings;
  readonly compaction: CompactionSettings;
  readonly problems: readonly SettingProblem[];
}

export class WatchedSettings implements vscode.Disposable {
  readonly #contributed: ContributedStrategies;
  readonly #log: Log;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: readonly vscode.Disposable[];
  readonly #shown = new Set<string>();
  #current: ProductSettings;

  readonly onDidChange = this.#changed.event;

  constructor(contributed: ContributedStrategies, log: Log) {
    this.#contributed = contributed;
    this.#log = log;
    this.#current = this.#read();
    this.#showProblems();
    this.#subscriptions = [
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (['palimpsest', ...contributed.sections()].some((section) => event.affectsConfiguration(section)))
          this.#readAgain();
      }),
      vscode.extensions.onDidChange(() => this.#readAgain()),
    ];
  }

  get current(): ProductSettings {
    return this.#current;
  }

  /** The settings with that strategy. */
  compactionFor(strategy: string): CompactionSettings {
    return this.#readCompaction(strategy).settings;
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

  #read(): ProductSettings {
    const agent = readAgentSettings(readSetting);
    const compaction = this.#readCompaction();
    return {
      agent: agent.settings,
      compaction: compaction.settings,
      problems: [...agent.problems, ...compaction.problems],
    };
  }

  #readCompaction(strategy?: string) {
    return readCompactionSettings(readSetting, (id) => this.#contributed.section(id), strategy);
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
