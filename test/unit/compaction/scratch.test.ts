import { it } from 'vitest';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import { endlessSession } from '../../support/endlessSession.ts';

const turns = (n: number, message: number, results: number[], answer: number) =>
  Array.from({ length: n }, () => ({ message, results, answer }));
it('measures', async () => {
  for (const { id } of BUILT_IN_STRATEGIES) {
    for (const [name, o] of [
      ['32k/26.5k', { window: 32_000, header: 26_500, turns: turns(15, 100, [60], 100) }],
      ['16k/12k', { window: 16_000, header: 12_400, turns: turns(6, 60, [200], 100) }],
      ['6k/4k', { window: 6_144, header: 3_900, turns: turns(8, 20, [], 100) }],
      ['32k/5k', { window: 32_000, header: 5_000, turns: turns(20, 100, [3000, 2000], 200) }],
    ] as const) {
      const r = await endlessSession({ ...o, strategy: id });
      const reading = r.agent.compactor.gauge.reading.tokens;
      console.log(
        id,
        name,
        'compactions',
        r.compactions.length,
        'failed',
        r.failures.length,
        'asked',
        r.asked,
        'done',
        r.turnsDone,
        'growth',
        r.growth,
        'reading',
        reading,
        'freed',
        r.compactions.map((c) => c.tokensBefore - c.tokensAfter).join(' '),
        r.pauses
          .slice(0, 1)
          .map((s) => s.slice(0, 100))
          .join('|'),
      );
    }
  }
});
