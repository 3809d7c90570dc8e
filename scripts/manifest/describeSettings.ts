/**
 * The manifest's settings, derived from their tables: `contributes.configuration`, and the settings that a workspace
 * may not choose before it is trusted. The order of the tables is the order in the Settings editor.
 */

import * as z from 'zod';
import { HOOKS } from '../../src/core/agent/hookSettings.ts';
import { AGENT } from '../../src/core/agent/settings.ts';
import { CHECKPOINTS } from '../../src/core/checkpoints/fileKeeper.ts';
import {
  COOL_DOWN,
  KEEP,
  OFFLOAD,
  SUMMARY,
  TRIGGER,
  VERIFY,
} from '../../src/core/compaction/sections/generalSettings.ts';
import { COMPACTION } from '../../src/core/compaction/settings/compactionSettings.ts';
import { BUILT_IN_STRATEGIES } from '../../src/core/compaction/strategies/builtIn.ts';
import { MEMORY } from '../../src/core/instructions/memoryFiles.ts';
import { SKILLS } from '../../src/core/instructions/skill.ts';
import { MENTIONS } from '../../src/core/mentions/mention.ts';
import { keyOf, type Setting, type SettingSection } from '../../src/core/setting.ts';
import { COMPACTION_TOOL, OUTPUT, RECALL } from '../../src/core/tools/toolSettings.ts';
import { MCP } from '../../src/node/mcp/serverConfig.ts';
import { MODEL } from '../../src/node/models/endpointConfig.ts';
import { SESSIONS } from '../../src/node/storage/sessions/pointerIndex.ts';
import type { ManifestWords } from './manifestWords.ts';

export interface SettingGroup {
  /** Below `palimpsest.` */
  readonly id: string;
  readonly title: string;
  readonly sections: readonly SettingSection[];
}

/** As the Settings editor shows them, in order. */
export const SETTING_GROUPS: readonly SettingGroup[] = [
  { id: 'model', title: 'Model', sections: [MODEL] },
  { id: 'agent', title: 'Agent', sections: [AGENT, HOOKS] },
  { id: 'memory', title: 'Memory, Skills and Mentions', sections: [MEMORY, SKILLS, MENTIONS] },
  { id: 'checkpoints', title: 'Checkpoints and Storage', sections: [CHECKPOINTS, SESSIONS] },
  { id: 'agent.output', title: 'Tool Output', sections: [OUTPUT] },
  { id: 'mcp', title: 'MCP Servers', sections: [MCP] },
  { id: 'compaction', title: 'Compaction', sections: [COMPACTION, COOL_DOWN] },
  { id: 'compaction.trigger', title: 'When to Compact', sections: [TRIGGER] },
  { id: 'compaction.summary', title: 'Summaries', sections: [SUMMARY] },
  {
    id: 'compaction.keeping',
    title: 'What Is Kept',
    sections: [KEEP, VERIFY, OFFLOAD, RECALL, COMPACTION_TOOL],
  },
  ...BUILT_IN_STRATEGIES.map(({ section, title }) => ({ id: section.name, title, sections: [section] })),
];

/**
 * Settings that a person meets first, taken out of the groups: the model, its cost and permissions, and when and how to
 * compact.
 */
const FIRST = {
  id: 'start',
  title: 'Start Here',
  keys: [
    'model',
    'endpoints',
    'effort',
    'agent.costLimit',
    'agent.shell',
    'checkpoints.enabled',
    'compaction.strategy',
    'compaction.auto',
    'compaction.trigger.ratio',
    'compaction.requireConfirmation',
  ],
};

/** Each setting of a group with its key below `palimpsest.`, in order. */
export function settingsOf({ sections }: SettingGroup): readonly (readonly [key: string, setting: Setting])[] {
  return sections.flatMap((section) =>
    Object.entries(section.fields).map(([name, setting]) => [keyOf(section, name), setting] as const),
  );
}

/** Keys of what the Settings editor shows only to those who ask for it. */
export const ADVANCED: ReadonlySet<string> = new Set(
  SETTING_GROUPS.flatMap(({ sections }) => sections)
    .flatMap((section) =>
      Object.entries(section.fields).flatMap(([name, { advanced }]) =>
        section.advanced || advanced ? keyOf(section, name) : [],
      ),
    )
    .filter((key) => !FIRST.keys.includes(key)),
);

export function describeConfiguration({ say }: ManifestWords): unknown {
  const all = new Map(SETTING_GROUPS.flatMap(settingsOf));
  const groups = [
    FIRST,
    ...SETTING_GROUPS.map((group) => ({
      id: group.id,
      title: group.title,
      keys: settingsOf(group).flatMap(([key]) => (FIRST.keys.includes(key) ? [] : [key])),
    })),
  ];
  return groups.map(({ id, title, keys }, i) => ({
    id: `palimpsest.${id}`,
    title: say(`config.title.${id}`, title),
    order: i + 1,
    properties: Object.fromEntries(
      keys.map((key, j) => [`palimpsest.${key}`, describeSetting(key, found(all, key), j + 1, say)]),
    ),
  }));
}

function found(all: ReadonlyMap<string, Setting>, key: string): Setting {
  const setting = all.get(key);
  if (!setting) throw new Error(`There is no setting ${key}.`);
  return setting;
}

export function listRestricted(): readonly string[] {
  return SETTING_GROUPS.flatMap(settingsOf).flatMap(([key, { restricted }]) =>
    restricted ? [`palimpsest.${key}`] : [],
  );
}

function describeSetting(name: string, setting: Setting, order: number, say: ManifestWords['say']): unknown {
  const key = `config.${name}`;
  const { choices, keywords, patternHint } = setting;
  const hint = patternHint === undefined ? {} : { patternErrorMessage: say(`${key}.pattern`, patternHint) };
  return {
    ...describeValue(setting, hint, (place, text) => say(`${key}.${place}`, text)),
    ...(choices && {
      enum: Object.keys(choices),
      enumItemLabels: Object.entries(choices).map(([value, [label]]) => say(`${key}.${value}.label`, label)),
      markdownEnumDescriptions: Object.entries(choices).map(([value, [, text]]) => say(`${key}.${value}`, text)),
    }),
    ...(setting.multiline && { editPresentation: 'multilineText' }),
    scope: setting.scope ?? 'window',
    ...(setting.ofThisMachine && { ignoreSync: true }),
    ...(ADVANCED.has(name) && { tags: ['advanced'] }),
    order,
    ...(keywords && { keywords: keywords.map((word, i) => say(`${key}.keyword${i + 1}`, word)) }),
    markdownDescription: say(key, setting.description, (translate) => writeDescription(setting, translate)),
  };
}

/** With its links, which the Settings editor runs as commands. */
function writeDescription({ description, links = [] }: Setting, translate: (english: string) => string): string {
  const written = links.map(([label, query]) => {
    const argument = encodeURIComponent(JSON.stringify(query));
    return `[${translate(label)}](command:workbench.action.openSettings?${argument})`;
  });
  return translate(description).replace('{0}', written.join(' · '));
}

/**
 * `hint` goes beside the pattern, which for a table of texts stands in the description of its values. `say` registers the
 * text of a part by its place.
 */
function describeValue({ schema, default: byDefault, pattern }: Setting, hint: object, say: Say): object {
  const { type, minimum, maximum, items, additionalProperties } = z.toJSONSchema(schema, { io: 'input' });
  // A schema of several parts has no type of its own: here they are all texts.
  if (type === undefined || type === 'string') {
    return {
      type: 'string',
      default: byDefault,
      ...(pattern && { pattern: pattern.source.replaceAll('\\/', '/') }),
      ...hint,
    };
  }
  return {
    type,
    default: byDefault,
    minimum,
    maximum,
    ...(type === 'array' && { items: describeParts(items, '', say), uniqueItems: true }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: { ...(describeParts(additionalProperties, '', say) as object), ...hint },
    }),
  };
}

type Say = (place: string, text: string) => string;

/** The schema of a part, with the descriptions in it as references to texts. */
function describeParts(schema: unknown, place: string, say: Say): unknown {
  if (Array.isArray(schema)) return schema.map((each) => describeParts(each, place, say));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => {
      if (name === 'description' && typeof value === 'string') return ['markdownDescription', say(place, value)];
      if (name !== 'properties') return [name, describeParts(value, place, say)];
      const parts = Object.entries(value).map(([field, part]) => [
        field,
        describeParts(part, [place, field].filter(Boolean).join('.'), say),
      ]);
      return [name, Object.fromEntries(parts)];
    }),
  );
}
