import { expect, it } from 'vitest';
import { runFaults } from '../../../scripts/faults/runFaults.ts';

// The whole size is `npm run faults -- 10`; this is what each run can afford.
it('holds every gate of storage faults', { timeout: 120_000 }, async () => {
  const results = await runFaults(0.1);
  expect(results.flatMap(({ name, violations }) => violations.map((violation) => `${name}: ${violation}`))).toEqual([]);
  expect(results.every(({ tried }) => tried > 0)).toBe(true);
});
