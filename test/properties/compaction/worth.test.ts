import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WITHOUT_RULE } from '../../../src/core/compaction/sections/generalSettings.ts';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import { type EndlessOutcome, endlessSession } from '../../support/endlessSession.ts';

/** `npm test -- properties --chains 100000 --seed 7` runs a hundredth of as many sessions. */
const SESSIONS = Math.ceil(
  Number(process.env.PALIMPSEST_CHAINS || (process.env.PALIMPSEST_FULL ? 40_000 : 4_000)) / 100,
);
const SEED = Number(process.env.PALIMPSEST_SEED || Date.now() & 0x7fffffff);

const share = (most: number) => fc.double({ min: 0, max: most, noNaN: true });

const session = fc.record({
  strategy: fc.constantFrom(...BUILT_IN_STRATEGIES.map(({ id }) => id)),
  window: fc
    .double({ min: Math.log(4_000), max: Math.log(200_000), noNaN: true })
    .map((log) => Math.round(Math.exp(log))),
  /** All sizes are shares of the window. */
  header: share(0.92),
  turns: fc.array(
    fc.record({ message: share(0.03), results: fc.array(share(0.06), { maxLength: 3 }), answer: share(0.02) }),
    { minLength: 2, maxLength: 24 },
  ),
  summary: fc.integer({ min: 20, max: 2_000 }),
  /** What a provider reports: its tokenizer, nothing at all, and now and then a number that cannot be true. */
  factor: fc.constantFrom(0.6, 1, 1, 1, 1.6),
  silent: fc.constantFrom(false, false, false, true),
  false: fc.constantFrom(0, 0, 3, 7),
  reopens: fc.constantFrom(0, 0, 2, 5),
});
type Session = typeof session extends fc.Arbitrary<infer T> ? T : never;

async function run({ window, strategy, header, turns, summary, factor, silent, reopens, ...rest }: Session) {
  const sized = (part: number) => Math.ceil((part * window) / factor);
  return endlessSession({
    window,
    strategy,
    summary,
    header: sized(header),
    turns: turns.map(({ message, results, answer }) => ({
      message: 1 + sized(message),
      results: results.map(sized),
      answer: 1 + sized(answer),
    })),
    report: (input, nth) => {
      if (silent) return null;
      const truth = Math.round(input * factor);
      return rest.false > 0 && nth % rest.false === rest.false - 1 ? truth + 3 * window : truth;
    },
    reopenBefore: new Set(reopens ? turns.flatMap((_, i) => (i % reopens === reopens - 1 ? [i] : [])) : []),
  });
}

/** Refused requests are another matter: the provider's word is enough there. */
const bySelf = ({ compactions }: EndlessOutcome) => compactions.filter(({ trigger }) => trigger !== 'overflow');

describe('what runs by itself', () => {
  it(`is worth it: ${SESSIONS} sessions, seed ${SEED}`, { timeout: 3_600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(session, async (given) => {
        const done = await run(given);
        const gain = WITHOUT_RULE.holdGrowth * given.window;
        const made = bySelf(done);
        const growth = done.growth * given.factor;
        expect(made.length).toBeLessThanOrEqual(growth / gain + 1);
        // Summaries are asked for only together with a compaction or a failure, each in at most a few parts.
        expect(done.asked === 0 || made.length + done.failures.length > 0).toBe(true);
        done.agent.dispose();
      }),
      { numRuns: SESSIONS, seed: SEED, endOnFailure: !process.env.PALIMPSEST_SHRINK },
    );
  });
});
