import { expect, test } from 'vitest';
import { NO_SPENDING } from '../../../src/core/cost/spending.ts';
import { describeStatus, type StatusFacts } from '../../../src/node/session/describeStatus.ts';
import { t } from '../../support/inEnglish.ts';

const FACTS: StatusFacts = { status: 'idle', title: 'Fix it', tokens: 61_440, window: 128_000, spending: NO_SPENDING };
const describe = (facts: Partial<StatusFacts>) => describeStatus({ ...FACTS, ...facts }, t);

test('says how full the context is, and what it cost where that is known', () => {
  expect(describe({})).toEqual({
    text: '$(layers) 48%',
    tooltip: ['Palimpsest: Fix it', 'Context: 61,440 / 128,000 tokens'],
    waits: false,
  });
  const spending = { ...NO_SPENDING, requests: 4, known: [{ amount: 0.42, currency: 'USD' }], unknown: 1 };
  expect(describe({ spending }).text).toBe('$(layers) 48% · ≥ $0.42');
  expect(describe({ spending }).tooltip.at(-1)).toBe(
    'Cost of this session: ≥ $0.42, without 1 request of unknown price',
  );
});

test('an unknown window is no share, and an unknown cost is not shown as nothing', () => {
  expect(describe({ window: 0, spending: { ...NO_SPENDING, requests: 1, unknown: 1 } })).toMatchObject({
    text: '$(layers) 61,440',
    tooltip: ['Palimpsest: Fix it', 'Context: 61,440 tokens, window unknown'],
  });
});

test('shows that it runs, compacts, or waits', () => {
  expect(describe({ status: 'running' })).toMatchObject({ text: '$(loading~spin) 48%', waits: false });
  expect(describe({ status: 'compacting' }).tooltip).toContain('The context is being compacted');
  expect(describe({ status: 'waiting' })).toMatchObject({ text: '$(bell-dot) 48%', waits: true });
});
