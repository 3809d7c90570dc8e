/** What the kit finds of faults that outlast a call, and that it blames nobody who does the same as it should. */

import { afterEach, describe, expect, it } from 'vitest';
import { checkStrategy } from '../../../../src/core/compaction/conformance/kit.ts';
import { LASTING, LASTING_HONEST, LEFT_OPEN } from './lastingFaults.ts';

afterEach(() => {
  for (const end of LEFT_OPEN.splice(0)) end();
});

describe('faults that outlast a call', () => {
  it('are of many kinds, each told once', { tags: ['B7'] }, () => {
    expect(LASTING.length).toBeGreaterThanOrEqual(48);
    expect(LASTING_HONEST.length).toBeGreaterThanOrEqual(15);
    expect(new Set(LASTING.map(({ name }) => name)).size).toBe(LASTING.length);
  });

  it.each(LASTING)(
    'the kit names it when a strategy $name',
    { tags: ['B7', 'long'] },
    async ({ make, rule, options }) => {
      const { broken } = await checkStrategy(make(), { cases: 4, ...options });
      const told = [...new Set(broken.map((each) => each.rule))];
      expect(told.find((each) => rule.test(each)) ?? told).toMatch(rule);
    },
  );

  it('what was left open is told with the place of its author', { tags: ['B7', 'long'] }, async () => {
    const interval = LASTING.find(({ name }) => name === 'opens an interval at its first compaction');
    const { broken } = await checkStrategy(interval?.make() as never, { cases: 1 });
    expect(broken).toMatchObject([
      { where: 'dispose', stack: expect.stringMatching(/^A timer was opened here\n[\s\S]*lastingFaults\.ts/) },
    ]);
  });

  it.each(LASTING_HONEST)(
    'the kit does not blame a strategy that $name',
    { tags: ['B7', 'long'] },
    async ({ make }) => {
      for (const seed of [1, 2]) {
        const { broken, compactions } = await checkStrategy(make(), { cases: 20, seed });
        expect(broken).toEqual([]);
        expect(compactions).toBeGreaterThan(0);
      }
    },
  );
});
