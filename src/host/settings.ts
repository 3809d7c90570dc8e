/**
 * The product's settings in force: read once, and again when they change or when extensions are added or removed, since
 * their strategies have settings too. A problem is shown once, with a link to the setting.
 */

import { basename, extname } from 'node:path';
import * as vscode from 'vscode';
import type { StrategyRegistry } from '../core/compaction/hosting/registry.ts';
import { type CompactionSettings, readCompactionSettings } from '../core/compaction/settings/compactionSettings.ts';
import { FileSettings } from '../core/compaction/settings/fileSettings.ts';
import { isFileId } from '../core/compaction/strategies/strategyIds.ts';
import type { Log } from '../core/log.ts';
import type { SettingProblem, SettingReader } from '../core/setting.ts';
import { type AgentSettings, readAgentSettings } from '../node/agentSettings.ts';
import type { ContributedStrategies } from './api/contributedStrategies.ts';
import { inEditorLanguage, showWarning } from './notices/notify.ts';

const FILE_SETTINGS = 'palimpsest.compaction.fileSettings';

interface ProductSettings {
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
  /** Settings with another strategy than the setting's, as read since the last change. */
  readonly #byStrategy = new Map<string, CompactionSettings>();

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
    const known = this.#byStrategy.get(strategy) ?? this.#readCompaction(strategy).settings;
    this.#byStrategy.set(strategy, known);
    return known;
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#changed.dispose();
  }

  #readAgain(): void {
    this.#byStrategy.clear();
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
    return new FileSettings(fileSettings).findFaults(FILE_SETTINGS, names, (id) => this.#registry.get(id));
  }

  #showProblems(problems = this.#current.problems): void {
    for (const { key, message: words } of problems) {
      const message = inEditorLanguage(words);
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

/**
 * Reads `palimpsest.*` from VS Code's configuration. Values are returned unchecked, with whether a person or a
 * workspace set them; callers validate them against the tables of settings.
 */
export const readSetting: SettingReader = (key) => {
  const section = vscode.workspace.getConfiguration('palimpsest');
  const inspected = section.inspect(key);
  const explicit = [inspected?.globalValue, inspected?.workspaceValue, inspected?.workspaceFolderValue];
  return { value: section.get(key), explicit: explicit.some((value) => value !== undefined) };
};

export type SettingScope = 'user' | 'workspace';

/** Where a value of these settings counts: in the workspace's settings where they have one already, otherwise in the user's. */
export function scopeOf(...keys: readonly string[]): SettingScope {
  const section = vscode.workspace.getConfiguration('palimpsest');
  return keys.some((key) => section.inspect(key)?.workspaceValue !== undefined) ? 'workspace' : 'user';
}

/**
 * In order, all of them or none: where one cannot be written, those before it are as they were. `scope`: one for all,
 * where they mean something only together.
 */
export async function writeSettings(
  settings: readonly (readonly [key: string, value: unknown])[],
  scope?: SettingScope,
): Promise<void> {
  const written: (() => Promise<void>)[] = [];
  try {
    for (const [key, value] of settings) {
      const where = scope ?? scopeOf(key);
      const before = settingIn(where, key);
      await writeSetting(key, value, where);
      written.push(() => writeSetting(key, before, where));
    }
  } catch (thrown) {
    for (const putBack of written.reverse()) await putBack().catch(() => undefined);
    throw thrown;
  }
}

function settingIn(scope: SettingScope, key: string): unknown {
  const { workspaceValue, globalValue } = vscode.workspace.getConfiguration('palimpsest').inspect(key) ?? {};
  return scope === 'workspace' ? workspaceValue : globalValue;
}

export async function writeSetting(key: string, value: unknown, scope = scopeOf(key)): Promise<void> {
  const target = scope === 'workspace' ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await vscode.workspace.getConfiguration('palimpsest').update(key, value, target);
}

/** The setting with values added by `file.name`, as a person writes them for their strategy files. */
export function withFileSettings(values: Readonly<Record<string, unknown>>): readonly [key: string, value: unknown] {
  const key = 'compaction.fileSettings';
  const now = vscode.workspace.getConfiguration('palimpsest').inspect<Record<string, unknown>>(key)?.globalValue;
  return [key, { ...now, ...values }];
}
