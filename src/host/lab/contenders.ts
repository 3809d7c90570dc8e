/**
 * A strategy as the lab compares it, with the settings from the page. The same strategy may appear several times; the
 * names in the figures distinguish them.
 */

import * as vscode from 'vscode';
import type { StrategyRegistry } from '../../core/compaction/hosting/registry.ts';
import { readCompactionSettings } from '../../core/compaction/settings/compactionSettings.ts';
import { DeclaredSettings } from '../../core/compaction/settings/declaredSettings.ts';
import { BUILT_IN_STRATEGIES } from '../../core/compaction/strategies/builtIn.ts';
import type { ListedStrategy } from '../../core/compaction/strategies/strategyEntry.ts';
import { extensionOf } from '../../core/compaction/strategies/strategyIds.ts';
import type { Words } from '../../core/words.ts';
import { PLAIN_STRATEGIES } from '../../lab/baselines/baselines.ts';
import type { Variant } from '../../lab/replay.ts';
import { declaredFields, fieldsOf, fileFields, type LabField } from '../../node/lab/labFields.ts';
import type { ContributedStrategies } from '../api/contributedStrategies.ts';
import { listStrategies } from '../notices/listStrategies.ts';
import { readSetting } from '../settings.ts';

export interface LabStrategy {
  readonly id: string;
  readonly label: string;
  /**
   * `yardstick`: part of the lab, not offered for use. `contributed`: lives in the extension host and is replayed
   * there.
   */
  readonly kind: 'builtIn' | 'file' | 'contributed' | 'yardstick';
  readonly fields: readonly LabField[];
  /** Values of the settings, by field name; unset ones are missing. */
  readonly inForce: Readonly<Record<string, unknown>>;
}

export interface Contender {
  /** Identifies it in the page's actions for as long as the page lives. */
  readonly key: string;
  readonly strategy: LabStrategy;
  /** Typed values, by field name. */
  readonly typed: Readonly<Record<string, string>>;
}

export interface NamedContender {
  readonly contender: Contender;
  /** Its name in the results and in saved files. */
  readonly name: string;
  /** The same for people. */
  readonly label: string;
}

interface ReadContender {
  /** Values that differ from those in force, by field. */
  readonly changed: ReadonlyMap<LabField, unknown>;
  /** By field name. */
  readonly problems: Readonly<Record<string, Words>>;
}

export function readContender({ strategy, typed }: Contender): ReadContender {
  const changed = new Map<LabField, unknown>();
  const problems: Record<string, Words> = {};
  for (const field of strategy.fields) {
    const given = typed[field.name];
    if (given === undefined) continue;
    const read = field.read(given);
    if ('problem' in read) problems[field.name] = read.problem;
    else if (read.value !== strategy.inForce[field.name]) changed.set(field, read.value);
  }
  return { changed, problems };
}

/** Names in the figures, in order. `of` returns the strategy's name. */
export function nameContenders(contenders: readonly Contender[], of: (strategy: LabStrategy) => string): string[] {
  const seen = new Map<string, number>();
  return contenders.map((contender) => {
    const set = describeChanges(contender);
    const name = `${of(contender.strategy)}${set ? ` (${set})` : ''}`;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count > 1 ? `${name} #${count}` : name;
  });
}

/** `keptShare 0.2, recentTokens 1000`; empty without changes. */
export function describeChanges(contender: Contender): string {
  const { changed } = readContender(contender);
  return [...changed]
    .map(([{ name }, value]) => `${name.slice(name.lastIndexOf('.') + 1)} ${String(value)}`)
    .join(', ');
}

/** `general` are the person's general settings for it, `own` those of its own section. */
export function toVariant(
  contender: Contender,
  name: string,
  general: Readonly<Record<string, unknown>>,
  own: Readonly<Record<string, unknown>>,
): Variant {
  const { changed } = readContender(contender);
  const at = (place: LabField['place']) =>
    Object.fromEntries([...changed].flatMap(([field, value]) => (field.place === place ? [[field.name, value]] : [])));
  return {
    name,
    strategy: contender.strategy.id,
    settings: { ...general, ...at('compaction') },
    section: { ...own, ...at('own') },
  };
}

interface Parts {
  readonly registry: StrategyRegistry;
  readonly contributed: ContributedStrategies;
}

/** The strategies that the lab can replay, with the possible settings of each and the person's present values. */
export function listLabStrategies({ registry, contributed }: Parts): LabStrategy[] {
  return [
    ...listStrategies(registry).map((listed) => describeStrategy(listed, { registry, contributed })),
    ...PLAIN_STRATEGIES.map((id) => ({ id, label: id, kind: 'yardstick' as const, fields: [], inForce: {} })),
  ];
}

function describeStrategy(
  { id, label, publisher, file }: ListedStrategy,
  { registry, contributed }: Parts,
): LabStrategy {
  const kind = file !== undefined ? 'file' : publisher === null ? 'builtIn' : 'contributed';
  // A file declares its settings once it is loaded.
  const declared = DeclaredSettings.of(registry.get(id)?.factory);
  const section = kind === 'contributed' ? contributed.declared().find((it) => it.id === id)?.section : null;
  const manifest: unknown = section ? vscode.extensions.getExtension(extensionOf(id))?.packageJSON : undefined;
  const fields = [
    ...(section ? declaredFields(manifest, section) : []),
    ...(kind === 'file' ? fileFields(id, declared.settings) : []),
    ...fieldsOf(BUILT_IN_STRATEGIES.find((builtIn) => builtIn.id === id) ?? null),
  ];
  const { settings } = readCompactionSettings(readSetting, () => contributed.section(id), id);
  const own = kind === 'file' ? declared.complete(settings.section) : contributed.section(id);
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

/** The person's effective settings for the strategy, by their names below `palimpsest.compaction.`. */
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
