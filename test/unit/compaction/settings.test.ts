import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SETTING_GROUPS, settingsOf } from '../../../scripts/manifest/describeSettings.ts';
import { ROOT } from '../../../scripts/paths.ts';
import { parametersQuery, readCompactionSettings } from '../../../src/core/compaction/settings/compactionSettings.ts';
import { BUILT_IN_STRATEGIES, DEFAULT_STRATEGY } from '../../../src/core/compaction/strategies/builtIn.ts';
import { LAB_FIGURES } from '../../../src/core/compaction/strategies/labFigures.ts';
import { inEnglish } from '../../../src/core/words.ts';

const read = (values: Readonly<Record<string, unknown>>) =>
  readCompactionSettings((key) => {
    const value = values[key.replace('compaction.', '')];
    return { value, explicit: value !== undefined };
  });

const settings = SETTING_GROUPS.flatMap(settingsOf);

describe('the tables of settings', () => {
  it.each(settings)('%s has a default that it accepts itself', (_key, { schema, default: byDefault }) => {
    expect(schema.parse(byDefault)).toEqual(byDefault);
  });

  it('name each setting once', () => {
    expect(new Set(settings.map(([key]) => key)).size).toBe(settings.length);
  });
});

describe('the built-in strategies', () => {
  it('are three that pickers show first, and others after these', () => {
    const plain = BUILT_IN_STRATEGIES.filter(({ more }) => !more).map(({ id }) => id);
    expect(plain).toEqual(['layered', 'selective', 'llm-summary']);
    expect(BUILT_IN_STRATEGIES.slice(0, 3).map(({ id }) => id)).toEqual(plain);
  });

  it.each(BUILT_IN_STRATEGIES)(
    '$id is found by its parameters in every editor, each by its whole name',
    ({ section }) => {
      const [tag, ids = ''] = parametersQuery(section).split(' @id:palimpsest.');
      expect(tag).toBe('@tag:advanced');
      const named = ids.split(',palimpsest.');
      expect(named.length).toBeGreaterThan(0);
      expect(settings.map(([key]) => key)).toEqual(expect.arrayContaining(named));
    },
  );

  it('say what the lab found of them', () => {
    const [, section = ''] = readFileSync(join(ROOT, 'docs/results.md'), 'utf8').split('\n### As the picker has them');
    for (const { id } of BUILT_IN_STRATEGIES) {
      const row = new RegExp(`^\\| ${id} \\| ([\\d.]+) \\| ([\\d.]+) \\|`, 'm').exec(section);
      const [cost, kept] = row ? [Number(row[1]), Number(row[2])] : [];
      expect([id, LAB_FIGURES[id]?.cost, LAB_FIGURES[id]?.kept]).toEqual([id, cost, kept]);
    }
    expect(LAB_FIGURES[DEFAULT_STRATEGY]).toBeDefined();
  });
});

describe('a setting', () => {
  it('names an unknown strategy and its setting, and the default is in force', { tags: ['K3'] }, () => {
    const { settings, problems } = read({ strategy: 'magic' });
    expect(settings.strategy).toBe('layered');
    expect(problems.map(({ key, message }) => [key, inEnglish(message)])).toEqual([
      [
        'palimpsest.compaction.strategy',
        expect.stringMatching(/palimpsest\.compaction\.strategy has the value "magic".*default "layered"/),
      ],
    ]);
  });

  it('a badly shaped contributed id is named too', { tags: ['K3'] }, () => {
    const { settings, problems } = read({ strategy: 'contributed', contributedStrategy: 'nonsense' });
    expect(settings.strategy).toBe('layered');
    expect(problems.map(({ key }) => key)).toEqual(['palimpsest.compaction.contributedStrategy']);
  });

  it('without any setting the strategy is layered', { tags: ['K8'] }, () => {
    expect(read({}).settings.strategy).toBe('layered');
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
