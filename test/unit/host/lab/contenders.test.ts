import { describe, expect, it } from 'vitest';
import { BUILT_IN_STRATEGIES } from '../../../../src/core/compaction/strategies/builtIn.ts';
import { inEnglish } from '../../../../src/core/words.ts';
import { type Contender, nameContenders, readContender, toVariant } from '../../../../src/host/lab/contenders.ts';
import { declaredFields, fieldsOf } from '../../../../src/node/lab/labFields.ts';

const layered = BUILT_IN_STRATEGIES.find(({ id }) => id === 'layered') ?? null;
const manifest = {
  contributes: {
    configuration: {
      properties: {
        'acme.words': { type: 'integer', default: 150, minimum: 10, description: 'Longest digest.' },
        'acme.style': { enum: ['short', 'long'], enumDescriptions: ['Few words.', 'Many.'] },
        'acme.quiet': { type: 'boolean' },
        'acme.list': { type: 'array' },
        'other.words': { type: 'integer' },
      },
    },
  },
};

function contender(
  typed: Contender['typed'],
  fields = fieldsOf(layered),
  inForce: Record<string, unknown> = {},
): Contender {
  const known = { 'layered.keptShare': 0.31, 'trigger.ratio': 0.8, ...inForce };
  return { key: '0', strategy: { id: 'layered', label: 'Layered', kind: 'builtIn', fields, inForce: known }, typed };
}

describe('what can be set of a strategy on the lab’s page', { tags: ['B6'] }, () => {
  it('is every single value of its own section, and when and how much of every strategy', () => {
    expect(fieldsOf(layered).map(({ key, input }) => [key, input])).toEqual([
      ['palimpsest.compaction.layered.recentTokens', 'number'],
      ['palimpsest.compaction.layered.keptShare', 'number'],
      ['palimpsest.compaction.layered.userShare', 'number'],
      ['palimpsest.compaction.layered.summary', 'check'],
      ['palimpsest.compaction.layered.prefer', 'choice'],
      ['palimpsest.compaction.layered.whenItPays', 'check'],
      ['palimpsest.compaction.trigger.ratio', 'number'],
      ['palimpsest.compaction.targetRatio', 'number'],
      ['palimpsest.compaction.keep.recent', 'text'],
    ]);
    for (const { section } of BUILT_IN_STRATEGIES) {
      const names = fieldsOf({ ...(layered as NonNullable<typeof layered>), section }).map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  it('is not offered twice where a strategy has a trigger of its own', () => {
    const prune = BUILT_IN_STRATEGIES.find(({ id }) => id === 'prune-then-summary') ?? null;
    const keys = fieldsOf(prune).map(({ name }) => name);
    expect(keys).toContain('pruneThenSummary.triggerRatio');
    expect(keys).not.toContain('trigger.ratio');
  });

  it('is, of a contributed strategy, what its extension declares', () => {
    const fields = declaredFields(manifest, 'acme');
    expect(fields.map(({ name, input, place }) => [name, input, place])).toEqual([
      ['words', 'number', 'own'],
      ['style', 'choice', 'own'],
      ['quiet', 'check', 'own'],
    ]);
    expect(fields[1]?.choices).toEqual({ short: ['short', 'Few words.'], long: ['long', 'Many.'] });
    expect(declaredFields({ contributes: { configuration: [7, null] } }, 'acme')).toEqual([]);
    expect(declaredFields(undefined, 'acme')).toEqual([]);
  });

  it.each([
    ['layered.keptShare', 'many', 'It must be a number.'],
    ['layered.keptShare', '', 'It must be a number.'],
    ['layered.keptShare', '0.9', 'It must be at most 0.8.'],
    ['keep.recent', '15', 'Give tokens or a share of the window, for example 20000 tokens or 15%, or nothing.'],
    ['layered.prefer', 'x', 'It must be one of these: lines, messages.'],
  ])('is checked by the rule of the setting: %s %j', (name, typed, reason) => {
    const { changed, problems } = readContender(contender({ [name]: typed }));
    expect(changed.size).toBe(0);
    expect(inEnglish(problems[name] ?? [])).toBe(reason);
  });

  it('is checked by what the extension declares, too', () => {
    const its = contender({ words: '9' }, declaredFields(manifest, 'acme'), { words: 150 });
    expect(inEnglish(readContender(its).problems.words ?? [])).toBe('It must be at least 10.');
  });
});

describe('several settings of one strategy side by side', { tags: ['B6'] }, () => {
  it('have names that say what differs, and no two the same', () => {
    const all = [
      contender({}),
      contender({ 'layered.keptShare': '0.2', 'trigger.ratio': '0.7' }),
      contender({ 'layered.keptShare': ' 0.31 ' }),
      contender({ 'layered.keptShare': 'many' }),
    ];
    expect(nameContenders(all, ({ id }) => id)).toEqual([
      'layered',
      'layered (keptShare 0.2, ratio 0.7)',
      'layered #2',
      'layered #3',
    ]);
  });

  it('are replayed with the person’s settings and what was changed of them', () => {
    const general = { 'trigger.ratio': 0.8, auto: true };
    const typed = { 'trigger.ratio': '0.7', words: '20' };
    const fields = [...declaredFields(manifest, 'acme'), ...fieldsOf(null)];
    expect(toVariant(contender(typed, fields, { words: 150 }), 'a name', general, { words: 150, quiet: true })).toEqual(
      {
        name: 'a name',
        strategy: 'layered',
        settings: { 'trigger.ratio': 0.7, auto: true },
        section: { words: 20, quiet: true },
      },
    );
  });
});
