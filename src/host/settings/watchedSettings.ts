/**
 * The product's settings in force: read once, and again when they change or when extensions are added or removed, since
 * their strategies have settings too. A problem is shown once, with a link to the setting.
 */

import { basename, extname } from 'node:path';
import * as vscode from 'vscode';
import { findFaults } from '../../core/compaction/run/ownSettings.ts';
import type { StrategyRegistry } from '../../core/compaction/run/registry.ts';
import { isFileId } from '../../core/compaction/run/strategyEntry.ts';
import { type CompactionSettings, readCompactionSettings } from '../../core/compaction/settings.ts';
import type { Log } from '../../core/ports.ts';
import type { SettingProblem } from '../../core/settings/setting.ts';
import type { ContributedStrategies } from '../api/contributedStrategies.ts';
import { say, showWarning } from '../tell/notify.ts';
import { type AgentSettings, readAgentSettings, readSetting } from './agentSettings.ts';

const FILE_SETTINGS = 'palimpsest.compaction.fileSettings';

export interface ProductSettings {
  readonly agent: AgentSettings;
  readonly compaction: CompactionSettings;
  readonly problems: readonly SettingProblem[];
}

export class WatchedSettings implements vscode.Disposable {
  readonly #contributed: ContributedStrategies;
  readonly #registry: StrategyRegistry;
  readonly #log: Log;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: readonly vscode.Disposable[];
  readonly #shown = new Set<string>();
  #current: ProductSettings;

  readonly onDidChange = this.#changed.event;

  constructor(contributed: ContributedStrategies, registry: StrategyRegistry, log: Log) {
    this.#contributed = contributed;
    this.#registry = registry;
    this.#log = log;
    this.#current = this.#read();
    this.#showProblems();
    this.#subscriptions = [
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (['palimpsest', ...contributed.sections()].some((section) => event.affectsConfiguration(section)))
          this.#readAgain();
      }),
      vscode.extensions.onDidChange(() => this.#readAgain()),
      // Only a loaded file tells what can be set in it.
      registry.onDidChange((id) => {
        if (isFileId(id)) this.#showProblems(this.#faultsOfFiles());
      }),
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
      problems: [...agent.problems, ...compaction.problems, ...this.#faultsOfFiles(compaction.settings)],
    };
  }

  #readCompaction(strategy?: string) {
    return readCompactionSettings(readSetting, (id) => this.#contributed.section(id), strategy);
  }

  #faultsOfFiles({ fileSettings, strategyFiles } = this.#current.compaction): SettingProblem[] {
    const names = strategyFiles.map((path) => basename(path, extname(path)));
    return findFaults(FILE_SETTINGS, fileSettings, names, (id) => this.#registry.get(id));
  }

  #showProblems(problems = this.#current.problems): void {
    for (const { key, said } of problems) {
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
