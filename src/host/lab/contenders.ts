/**
 * A strategy as the lab compares it, with the settings from the page. The same strategy may appear several times; the
 * names in the figures distinguish them.
 */

import * as vscode from 'vscode';
import type { StrategyRegistry } from '../../core/compaction/run/registry.ts';
import { KEEP, TRIGGER } from '../../core/compaction/sections/generalSettings.ts';
import { COMPACTION, readCompactionSettings } from '../../core/compaction/settings/compactionSettings.ts';
import { declaredBy, toSetting, withDeclared } from '../../core/compaction/settings/declaredSettings.ts';
import { BUILT_IN_STRATEGIES } from '../../core/compaction/strategies/builtIn.ts';
import type { BuiltInStrategy } from '../../core/compaction/strategies/defineStrategy.ts';
import type { ListedStrategy } from '../../core/compaction/strategies/strategyEntry.ts';
import { extensionOf, fileNameOf } from '../../core/compaction/strategies/strategyIds.ts';
import { isObject } from '../../core/json.ts';
import { type Choices, describeIssue, keyOf, type Setting, type Settings } from '../../core/setting.ts';
import type { Words } from '../../core/words.ts';
import { PLAIN_STRATEGIES } from '../../lab/baselines/baselines.ts';
import type { Variant } from '../../lab/replay.ts';
import type { PageField } from '../../protocol/pages.ts';
import type { ContributedStrategies } from '../api/contributedStrategies.ts';
import { readSetting } from '../settings.ts';
import { listStrategies } from '../tell/listStrategies.ts';

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
  const declared = declaredBy(registry.get(id)?.factory);
  const section = kind === 'contributed' ? contributed.declared().find((it) => it.id === id)?.section : null;
  const manifest: unknown = section ? vscode.extensions.getExtension(extensionOf(id))?.packageJSON : undefined;
  const fields = [
    ...(section ? declaredFields(manifest, section) : []),
    ...(kind === 'file' ? fileFields(id, declared) : []),
    ...fieldsOf(BUILT_IN_STRATEGIES.find((builtIn) => builtIn.id === id) ?? null),
  ];
  const { settings } = readCompactionSettings(readSetting, () => contributed.section(id), id);
  const own = kind === 'file' ? withDeclared(declared, settings.section) : contributed.section(id);
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

// The settings of a strategy on the lab's page: its own section, built in or declared by its extension, and the general
// settings that decide how much stays and when. Each is validated by its own schema.

export interface LabField {
  /** Full setting key in the editor. */
  readonly key: string;
  /** Its name in a replay: below `palimpsest.compaction.`, or in the strategy's own section. */
  readonly name: string;
  readonly place: 'compaction' | 'own';
  readonly description: string;
  readonly input: PageField['input'];
  readonly choices: Choices;
  readonly read: (typed: string) => { readonly value: unknown } | { readonly problem: Words };
}

/** Names in a strategy's own section, and the general field that each replaces. */
const TAKEN: Readonly<Record<string, string>> = { triggerRatio: 'trigger.ratio' };

const GENERAL: readonly (readonly [string, Setting])[] = [
  [keyOf(TRIGGER, 'ratio'), TRIGGER.fields.ratio],
  [keyOf(COMPACTION, 'targetRatio'), COMPACTION.fields.targetRatio],
  [keyOf(KEEP, 'recent'), KEEP.fields.recent],
];

/** `builtIn`: null for other strategies. */
export function fieldsOf(builtIn: BuiltInStrategy | null): readonly LabField[] {
  const section = builtIn?.section;
  const own = Object.entries(section?.fields ?? {});
  const taken = new Set(own.map(([name]) => TAKEN[name]));
  const general = GENERAL.filter(([key]) => !taken.has(withoutPrefix(key)));
  return [...own.map(([name, it]) => [section ? keyOf(section, name) : name, it] as const), ...general].flatMap(
    ([key, it]) => fieldOf(it, `palimpsest.${key}`, withoutPrefix(key), 'compaction'),
  );
}

/**
 * Settings that an extension's manifest declares for `section`, as far as their type is known. A manifest is foreign
 * text: malformed parts are omitted.
 */
export function declaredFields(manifest: unknown, section: string): readonly LabField[] {
  const contributes = isObject(manifest) ? manifest.contributes : undefined;
  const configuration = isObject(contributes) ? contributes.configuration : undefined;
  const parts: unknown[] = Array.isArray(configuration) ? configuration : [configuration];
  const properties = parts.flatMap((part) =>
    isObject(part) && isObject(part.properties) ? Object.entries(part.properties) : [],
  );
  return properties.flatMap(([key, property]) => {
    const it = key.startsWith(`${section}.`) && isObject(property) ? toSetting(property) : null;
    return it ? fieldOf(it, key, key.slice(section.length + 1), 'own') : [];
  });
}

/** Settings that a loaded file declares. `id`: of its strategy. */
function fileFields(id: string, declared: Settings): readonly LabField[] {
  return Object.entries(declared).flatMap(([name, it]) => fieldOf(it, `${fileNameOf(id)}.${name}`, name, 'own'));
}

const withoutPrefix = (key: string) => key.replace(/^compaction\./, '');

/** Empty for values that one field cannot hold: lists, tables, prompts. */
function fieldOf(it: Setting, key: string, name: string, place: LabField['place']): LabField[] {
  const input = inputOf(it);
  if (input === null) return [];
  const read: LabField['read'] = (typed) => {
    const parsed = it.schema.safeParse(readTyped(typed, input));
    return parsed.success ? { value: parsed.data } : { problem: describeIssue(parsed.error.issues[0]) };
  };
  return [{ key, name, place, description: it.description, input, choices: it.choices ?? {}, read }];
}

function inputOf({ choices, default: byDefault, multiline }: Setting): LabField['input'] | null {
  if (choices) return 'choice';
  switch (typeof byDefault) {
    case 'boolean':
      return 'check';
    case 'number':
      return 'number';
    case 'string':
      return multiline ? null : 'text';
    default:
      return null;
  }
}

function readTyped(typed: string, input: LabField['input']): unknown {
  if (input === 'check') return typed === 'true';
  // An empty text would count as 0.
  if (input === 'number') return typed.trim() === '' ? Number.NaN : Number(typed);
  return typed;
}
