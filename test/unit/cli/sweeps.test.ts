import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readArguments } from '../../../src/cli/arguments.ts';
import { checkSets, openStrategies, readSets } from '../../../src/cli/strategies.ts';

const folder = mkdtempSync(join(tmpdir(), 'sweeps-'));
afterAll(() => rmSync(folder, { recursive: true }));
const mine = join(folder, 'mine.js');
writeFileSync(
  mine,
  `export default {
  needs: ['settings'],
  settings: {
    longest: { type: 'integer', default: 4000, minimum: 100 },
    mode: { type: 'string', enum: ['gentle', 'hard'], default: 'gentle' },
  },
  create: () => ({ compact: async () => null }),
};
`,
);

describe('settings of the command line', { tags: ['K11'] }, () => {
  it('make a row for every value, and for every pair of them', () => {
    const { settings, variants } = readSets(
      ['mine.longest=100,200', 'mine.mode=gentle,hard', 'layered.keptShare=0.2,0.3', 'targetRatio=0.4'],
      ['layered', mine, 'none'],
    );
    expect(settings).toEqual({ targetRatio: 0.4 });
    expect(variants).toEqual([
      ...[0.2, 0.3].map((share) => ({
        name: `layered (keptShare ${share})`,
        strategy: 'layered',
        settings: { targetRatio: 0.4, 'layered.keptShare': share },
        section: {},
      })),
      ...[100, 200].flatMap((longest) =>
        ['gentle', 'hard'].map((mode) => ({
          name: `${mine} (longest ${longest}, mode ${mode})`,
          strategy: mine,
          settings: { targetRatio: 0.4 },
          section: { longest, mode },
        })),
      ),
      'none',
    ]);
  });

  it('are rows without a list, too, where they are a file’s', () => {
    const { strategies, variants } = readArguments(['--strategies', `${mine},none`, '--set', 'mine.longest=100']);
    expect(strategies).toEqual([`${mine} (longest 100)`, 'none']);
    expect(variants[0]).toMatchObject({ strategy: mine, section: { longest: 100 } });
  });

  it.each([
    ['mine.longest=5', '--set mine.longest=5: It must be at least 100.'],
    ['mine.mode=soft', '--set mine.mode=soft: It must be one of these: gentle, hard.'],
    ['mine.length=5', '--set mine.length=5: The file declares no such setting. It declares these: longest, mode.'],
  ])('are checked by what the file declares: %s', async (text, message) => {
    const { variants } = readSets([text], [mine]);
    const registry = await openStrategies([mine]);
    expect(() => checkSets(variants, registry)).toThrow(message);
  });

  it.each([
    [['yours.x=1'], 'and no file of --strategies has that name (mine)'],
    [['triger.ratio=0.5'], 'palimpsest.compaction.triger.ratio is no setting'],
    [[`mine.longest=${Array.from({ length: 65 }, (_, i) => i).join(',')}`], '64 are the most'],
  ])('that cannot be used are named: %s', (texts, message) => {
    expect(() => readSets(texts, [mine])).toThrow(message);
  });
});
