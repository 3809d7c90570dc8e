import { expect, it } from 'vitest';
import { TEST_SIZES } from '../../../scripts/faults/gate.ts';
import { GATE_NAMES, runGate } from '../../../scripts/faults/runFaults.ts';

// `npm run faults` looks much harder; these sizes are what each run can afford.
it.each(GATE_NAMES)('holds the gate of storage faults %s', { timeout: 120_000 }, async (name) => {
  const { tried, violations } = await runGate(name, TEST_SIZES);
  expect(violations).toEqual([]);
  expect(tried).toBeGreaterThan(0);
});
