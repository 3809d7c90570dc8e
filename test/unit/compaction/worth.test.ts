import { expect, it } from 'vitest';
import { worthOfName } from '../../../src/core/compaction/strategies/layered/cover.ts';
import { type NameUse, SessionIndex } from '../../../src/core/compaction/strategies/layered/sessionIndex.ts';

/** Of a name that a call used once, so many tokens ago. */
function worthAfter(ago: number): number {
  const index = new SessionIndex();
  const tokens = 2_000_000;
  const use: NameUse = {
    name: 'retryLimit',
    isPath: false,
    last: tokens - ago,
    mentions: 2,
    calls: 1,
    said: false,
    asked: false,
  };
  return worthOfName(use, Object.assign(Object.create(index), { tokens, touched: new Set<string>() }));
}

it('layered: what was left long ago makes room: twice as long ago is worth less than half', () => {
  for (const ago of [300_000, 600_000]) expect(worthAfter(2 * ago)).toBeLessThan(worthAfter(ago) / 2);
  // What is within reach of the work in hand is told apart by its age alone, gently.
  expect(worthAfter(100_000)).toBeGreaterThan(worthAfter(50_000) / 2);
});
