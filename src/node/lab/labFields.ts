/**
 * The settings of a strategy on the lab's page: its own section, built in or declared by its extension, and the general
 * settings that decide how much stays and when. Each is validated by its own schema.
 */

import { KEEP, TRIGGER } from '../../core/compaction/sections/generalSettings.ts';
import { COMPACTION } from '../../core/compaction/settings/compactionSettings.ts';
import { DeclaredSettings } from '../../core/compaction/settings/declaredSettings.ts';
import type { BuiltInStrategy } from '../../core/compaction/strategies/defineStrategy.ts';
import { fileNameOf } from '../../core/compaction/strategies/strategyIds.ts';
import { isObject } from '../../core/json.ts';
import { type Choices, describeIssue, keyOf, type Setting, type Settings } from '../../core/setting.ts';
import type { Words } from '../../core/words.ts';
import type { PageField } from '../../protocol/pages.ts';

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
    const it = key.startsWith(`${section}.`) && isObject(property) ? DeclaredSettings.readOne(property) : null;
    return it ? fieldOf(it, key, key.slice(section.length + 1), 'own') : [];
  });
}

/** Settings that a loaded file declares. `id`: of its strategy. */
export function fileFields(id: string, declared: Settings): readonly LabField[] {
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
