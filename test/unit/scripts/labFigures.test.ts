import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withFigures } from '../../../scripts/lab/writeFigures.ts';
import { ROOT } from '../../../scripts/paths.ts';
import type { LabReport } from '../../../src/lab/makeReport.ts';

const FILE = readFileSync(join(ROOT, 'src/core/compaction/strategies/labFigures.ts'), 'utf8');

const reportOf = (rows: readonly object[], window = 64_000) =>
  ({ window, strategies: rows }) as unknown as Pick<LabReport, 'window' | 'strategies'>;

test('a report changes the figures of the strategies that it names, and no other', () => {
  const written = withFigures(
    FILE,
    reportOf([{ id: 'selective', longRangeRecall: 70.04, costWithRereadsPercent: 31.96 }]),
  );
  expect(written).toContain('selective: { kept: 70, cost: 32 },');
  expect(withFigures(FILE, reportOf([]))).toBe(FILE);
  expect(() => withFigures(FILE, reportOf([], 32_000))).toThrow('32000');
});
