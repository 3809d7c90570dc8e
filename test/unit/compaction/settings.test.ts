import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  GENERAL_FIELDS,
  readCompactionSettings,
  type SettingField,
  STRATEGY_SECTIONS,
} from '../../../src/core/compaction/settings.ts';
import { inEnglish } from '../../../src/core/words.ts';

interface Property {
  readonly type: string;
  readonly default: unknown;
  readonly enum?: readonly string[];
  readonly enumItemLabels?: readonly string[];
  readonly markdownEnumDescriptions?: readonly string[];
  readonly markdownDescription: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly scope: string;
}

const readJson = (name: string) => JSON.parse(readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8'));

const contributed: Record<string, Property> = Object.assign(
  {},
  ...(readJson('package.json').contributes.configuration as { properties: Record<string, Property> }[]).map(
    ({ properties }) => properties,
  ),
);

const fields: [string, SettingField][] = [
  ...Object.entries(GENERAL_FIELDS),
  ...Object.values(STRATEGY_SECTIONS).flatMap(({ name, fields: own }) =>
    Object.entries(own).map(([key, it]): [string, SettingField] => [`${name}.${key}`, it]),
  ),
];

const read = (values: Readonly<Record<string, unknown>>) =>
  readCompactionSettings((key) => {
    const value = values[key.replace('compaction.', '')];
    return { value, explicit: value !== undefined };
  });

describe('the manifest and the code', () => {
  it.each(fields)('agree on palimpsest.compaction.%s', (key, { schema, fallback }) => {
    const property = contributed[`palimpsest.compaction.${key}`];
    expect(property?.default).toEqual(fallback);
    if (key === 'strategy') return;
    const json = z.toJSONSchema(schema) as { enum?: string[]; minimum?: number; maximum?: number; type?: string };
    expect(property?.type).toBe(json.type);
    expect(property?.enum).toEqual(json.enum);
    expect(property?.minimum).toBe(json.minimum);
    if (property?.maximum !== undefined) expect(property.maximum).toBe(json.maximum);
  });

  it('contribute nothing that the code does not read', () => {
    const known = new Set(fields.map(([key]) => `palimpsest.compaction.${key}`));
    const keys = Object.keys(contributed).filter((key) => key.startsWith('palimpsest.compaction.'));
    expect(keys.filter((key) => !known.has(key))).toEqual([]);
  });

  it('offer every built-in strategy, and one from elsewhere', () => {
    const { enum: values } = contributed['palimpsest.compaction.strategy'] as Property;
    expect(values).toEqual([...Object.keys(STRATEGY_SECTIONS), 'contributed']);
  });

  it.each(['package.nls.json', 'package.nls.zh-cn.json'])('have words for everything in %s', (file) => {
    const words: Record<string, string> = readJson(file);
    const keys = Object.entries(contributed)
      .filter(([key]) => key.startsWith('palimpsest.compaction.'))
      .flatMap(([, it]) => [
        it.markdownDescription,
        ...(it.enumItemLabels ?? []),
        ...(it.markdownEnumDescriptions ?? []),
      ]);
    expect(keys.filter((key) => !words[key.slice(1, -1)])).toEqual([]);
    for (const { enum: values, enumItemLabels } of Object.values(contributed)) {
      if (enumItemLabels) expect(enumItemLabels).toHaveLength(values?.length ?? -1);
    }
  });
});

describe('a setting', () => {
  it('K3: names an unknown strategy and its setting, and the default is in force', () => {
    const { settings, problems } = read({ strategy: 'magic' });
    expect(settings.strategy).toBe('llm-summary');
    expect(problems.map(({ key, said }) => [key, inEnglish(said)])).toEqual([
      [
        'palimpsest.compaction.strategy',
        expect.stringMatching(/palimpsest\.compaction\.strategy has the value "magic".*default "llm-summary"/),
      ],
    ]);
  });

  it('K3: a badly shaped contributed id is named too', () => {
    const { settings, problems } = read({ strategy: 'contributed', contributedStrategy: 'nonsense' });
    expect(settings.strategy).toBe('llm-summary');
    expect(problems.map(({ key }) => key)).toEqual(['palimpsest.compaction.contributedStrategy']);
  });

  it('K8: without any setting the strategy is llm-summary', () => {
    expect(read({}).settings.strategy).toBe('llm-summary');
  });

  it.each([
    ['trigger.ratio', 2],
    ['trigger.basis', 'guess'],
    ['auto', 'yes'],
    ['summary.retries', 1.5],
  ])('of the wrong value is named, and its default used: %s = %j', (key, value) => {
    const { settings, problems } = read({ [key]: value });
    expect(problems).toMatchObject([{ key: `palimpsest.compaction.${key}` }]);
    expect(settings).toEqual(read({}).settings);
  });

  it('precedence: own section set > set in general > own default > general default', () => {
    const ratio = (values: Readonly<Record<string, unknown>>) =>
      read({ strategy: 'prune-then-summary', ...values }).settings.trigger.ratio;
    expect(ratio({})).toBe(0.7);
    expect(ratio({ 'trigger.ratio': 0.6 })).toBe(0.6);
    expect(ratio({ 'trigger.ratio': 0.6, 'pruneThenSummary.triggerRatio': 0.65 })).toBe(0.65);
    expect(read({}).settings.trigger.ratio).toBe(0.8);
  });
});
