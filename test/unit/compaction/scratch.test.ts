import { it } from 'vitest';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import { endlessSession } from '../../support/endlessSession.ts';
const turns = (n: number, message: number, results: number[], answer: number) => Array.from({ length: n }, () => ({ message, results, answer }));
it('measures', async () => {
  for (const { id } of BUILT_IN_STRATEGIES) {
    for (const [name, o] of [
      ['32k/26.5k long', { window: 32_000, header: 26_500, turns: turns(40, 100, [300], 200) }],
      ['32k/28.2k', { window: 32_000, header: 28_200, turns: turns(15, 100, [60], 100) }],
      ['32k/10k big results', { window: 32_000, header: 10_000, turns: turns(10, 100, [9000, 6000, 9000], 200) }],
      ['8k', { window: 8_000, header: 4_000, turns: turns(20, 60, [300, 200], 150) }],
    ] as const) {
      const r = await endlessSession({ ...o, strategy: id });
      const reading = r.agent.compactor.gauge.reading.tokens;
      console.log(id, name, 'compactions', r.compactions.length, 'failed', r.failures.length, 'asked', r.asked, 'done', r.turnsDone, 'growth', r.growth, 'reading', reading, 'freed', r.compactions.map((c) => `${c.tokensBefore - c.tokensAfter}${c.trigger[0]}`).join(' '), r.pauses.length, r.pauses.slice(0, 1).join('|'));
    }
  }
});
