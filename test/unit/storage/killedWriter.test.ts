import { expect, it } from 'vitest';
import { TEST_SIZES } from '../../../scripts/faults/gate.ts';
import { runGate } from '../../../scripts/faults/runFaults.ts';

// Writers are processes that append through the product's own journal, and are killed at each failpoint and at random.
it('what a killed process was told is written is there, nothing torn is taken, and the next one goes on', {
  tags: ['M1', 'long'],
  timeout: 120_000,
}, async () => {
  const { tried, violations } = await runGate('killWriters', { ...TEST_SIZES, kills: 26 });
  expect(violations).toEqual([]);
  expect(tried).toBe(26);
});
