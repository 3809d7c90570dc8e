import { describe, expect, it } from 'vitest';
import { readCompactionSettings } from '../../../src/core/compaction/settings/compactionSettings.ts';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import { lowerContext } from '../../../src/core/context/lower.ts';
import { calls, says, user } from '../../support/compactionHarness.ts';
import { grownSession } from '../../support/grownSession.ts';

const COMPACTIONS = 100;
const going = new AbortController().signal;

const code = (name: string, lines: number) =>
  Array.from({ length: lines }, (_, i) => `const ${name}Value${i} = compute(${name}Input${i});`).join('\n');

/** One round of work on a file of its own. */
const round = (n: number) => [
  user(`Request ${n}: never rename partNumber${n}.`),
  calls(['read_file', code(`file${n}`, 30), { path: `src/file${n}.ts` }]),
  calls(['edit_file', 'Changed.', { path: `src/file${n}.ts`, old_text: `file${n}Value3`, new_text: `file${n}Answer` }]),
  says(`Part ${n} is done.`),
];

describe('a hundred compactions of mixed strategies', () => {
  it('are undone one by one to exactly what the model would have seen before each', async () => {
    const s = await grownSession({
      window: 200_000,
      history: round(0),
      settings: { auto: false },
      summaries: Array.from({ length: COMPACTIONS * 3 }, (_, i) => ({ text: `Notes ${i}.` })),
    });
    const { compactor, journal } = s.agent;
    const seen = () => JSON.stringify(lowerContext(journal.context));
    const before: string[] = [];
    const used = new Map<string, number>();
    for (let n = 1; before.length < COMPACTIONS; n++) {
      expect(n).toBeLessThan(3 * COMPACTIONS);
      // More calls than any strategy leaves whole.
      await s.add(...round(n), ...round(n + 1_000), ...round(n + 2_000));
      const strategy = BUILT_IN_STRATEGIES[n % BUILT_IN_STRATEGIES.length]?.id ?? '';
      const settings = readCompactionSettings(
        () => ({ value: undefined, explicit: false }),
        undefined,
        strategy,
      ).settings;
      const preview = await compactor.consent.preview({ strategy, settings }, going);
      if (preview.kind !== 'preview') continue;
      before.push(seen());
      expect((await compactor.apply(preview)).kind).toBe('compacted');
      expect(seen()).not.toBe(before.at(-1));
      used.set(strategy, (used.get(strategy) ?? 0) + 1);
    }
    expect([...used.keys()].sort()).toEqual(BUILT_IN_STRATEGIES.map(({ id }) => id).sort());
    // What was said after a compaction stays when it is undone: it is taken off each view for the comparison.
    const after = () => JSON.parse(seen()) as unknown[];
    for (const then of before.toReversed()) {
      expect(await compactor.undo()).toBe(true);
      const whole = JSON.parse(then) as unknown[];
      expect(JSON.stringify(after().slice(0, whole.length))).toBe(then);
    }
    expect(await compactor.undo()).toBe(false);
  });
});
