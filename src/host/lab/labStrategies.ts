/** The strategies that the lab can replay, with what of each can be set and what the person's settings say of it now. */

import * as vscode from 'vscode';
import type { StrategyRegistry } from '../../core/compaction/run/registry.ts';
import type { ListedStrategy } from '../../core/compaction/run/strategyEntry.ts';
import { extensionOf } from '../../core/compaction/run/strategyId.ts';
import { readCompactionSettings } from '../../core/compaction/settings.ts';
import { BUILT_IN_STRATEGIES } from '../../core/compaction/strategies/builtIn.ts';
import { PLAIN_STRATEGIES } from '../../lab/baselines/baselines.ts';
import type { ContributedStrategies } from '../api/contributedStrategies.ts';
import { readSetting } from '../settings/settings.ts';
import type { StrategyFiles } from '../strategyFiles/strategyFiles.ts';
import { listStrategies } from '../tell/listStrategies.ts';
import type { LabStrategy } from './contenders.ts';
import { declaredFields, fieldsOf } from './labFields.ts';

export interface StrategyParts {
  readonly registry: StrategyRegistry;
  readonly strategyFiles: StrategyFiles;
  readonly contributed: ContributedStrategies;
}

export function listLabStrategies({ registry, contributed }: StrategyParts): LabStrategy[] {
  return [
    ...listStrategies(registry).map((listed) => describeStrategy(listed, contributed)),
    ...PLAIN_STRATEGIES.map((id) => ({ id, label: id, kind: 'yardstick' as const, fields: [], inForce: {} })),
  ];
}

function describeStrategy(
  { id, label, publisher, file }: ListedStrategy,
  contributed: ContributedStrategies,
): LabStrategy {
  const kind = file !== undefined ? 'file' : publisher === null ? 'builtIn' : 'contributed';
  const section = kind === 'contributed' ? contributed.declared().find((it) => it.id === id)?.section : null;
  const manifest: unknown = section ? vscode.extensions.getExtension(extensionOf(id))?.packageJSON : undefined;
  const fields = [
    ...(section ? declaredFields(manifest, section) : []),
    ...fieldsOf(BUILT_IN_STRATEGIES.find((builtIn) => builtIn.id === id) ?? null),
  ];
  const own = contributed.section(id);
  const { settings } = readCompactionSettings(readSetting, () => own, id);
  const general: Readonly<Record<string, unknown>> = {
    'trigger.ratio': settings.trigger.ratio,
    targetRatio: settings.targetRatio,
    'keep.recent': settings.keep.recent,
  };
  const inForce = fields.map(({ name, place }) => {
    const last = name.slice(name.lastIndexOf('.') + 1);
    return [name, place === 'own' ? own[name] : (general[name] ?? settings.section[last])];
  });
  return { id, label, kind, fields, inForce: Object.fromEntries(inForce) };
}

/** What the person set below `palimpsest.compaction.` and is in force for the strategy, by the names there. */
export function settingsFor(id: string): Readonly<Record<string, unknown>> {
  const settings: Record<string, unknown> = {};
  const read: typeof readSetting = (key) => {
    const found = readSetting(key);
    if (found.explicit) settings[key.replace(/^compaction\./, '')] = found.value;
    return found;
  };
  readCompactionSettings(read, () => ({}), id);
  // A replay asks no model.
  delete settings['summary.model'];
  return settings;
}
