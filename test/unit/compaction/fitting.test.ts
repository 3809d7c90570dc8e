import { describe, expect, it } from 'vitest';
import { calls, compactionHarness, going, says, user, words } from '../../support/compactionHarness.ts';

const reads = (n: number, tokens: number) => Array.from({ length: n }, () => calls(['read_file', words(tokens)]));

describe('a compaction fits by the count of the provider', () => {
  it.each([
    ['results that can be hidden', [user('go'), ...reads(4, 1_400)]],
    ['answers that can be dropped', [user('go'), says(words(2_800)), says(words(2_800)), user('on')]],
    ['one giant result', [user('go'), ...reads(1, 5_600)]],
  ])('also where estimates alone say that it fits already: %s', async (_name, history) => {
    const h = await compactionHarness({ history, settings: { strategy: 'tool-result-hiding' } });
    await h.used({ input: 9_700, output: 0 });
    expect(await h.compactor.beforeCall(going)).toMatchObject({ kind: 'compacted' });
    const made = h.journal.context.activeCompactions[0];
    expect(made?.tokensBefore).toBe(9_700);
    expect(made?.tokensAfter).toBeLessThan(8_000);
  });
});
