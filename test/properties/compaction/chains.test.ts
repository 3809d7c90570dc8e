import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import type { StrategyEntry } from '../../../src/core/compaction/strategies/strategyEntry.ts';
import type { ContextItem } from '../../../src/core/context/item.ts';
import { protectedIds } from '../../../src/core/context/item.ts';
import { lowerContext } from '../../../src/core/context/lower.ts';
import { inEnglish } from '../../../src/core/words.ts';
import { answering, Chain, defaultsOf } from '../../support/chains/chain.ts';
import {
  checkKept,
  checkLedger,
  checkOffloaded,
  checkRequest,
  checkWholeRounds,
} from '../../support/chains/checkCompaction.ts';
import { messagesOf, recordingOf, turn } from '../../support/chains/randomHistory.ts';
import { deeds, randomStrategy } from '../../support/chains/randomStrategy.ts';
import { refuseEncoded } from '../../support/chains/refuseRequest.ts';

/** Chains of five compactions, shared out over the strategies: `npm test -- properties --chains 100000 --seed 7`. */
const CHAINS = Number(process.env.PALIMPSEST_CHAINS || (process.env.PALIMPSEST_FULL ? 40_000 : 1_000));
const SEED = Number(process.env.PALIMPSEST_SEED || Date.now() & 0x7fffffff);
const PER_CHAIN = 5;

/** What happens after a compaction, beside what is said. */
const between = fc.record({
  kind: fc.constantFrom('on', 'on', 'on', 'undo', 'undoRedo', 'travel', 'pin', 'expire'),
  at: fc.nat(),
});
type Between = typeof between extends fc.Arbitrary<infer T> ? T : never;

const five = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { minLength: PER_CHAIN, maxLength: PER_CHAIN });

const scenario = fc.record({
  turns: fc.array(turn, { minLength: 1, maxLength: 5 }),
  /** Every so many messages another program compacted; -1: it was said here. */
  recorded: fc.constantFrom(-1, -1, -1, 0, 3, 6),
  more: five(turn),
  between: five(between),
  pin: fc.nat(),
  windows: five(fc.constantFrom(0, 300, 1_000, 5_000)),
  meters: five(fc.record({ factor: fc.constantFrom(0.6, 1, 1, 1.7), overhead: fc.constantFrom(0, 0, 120, 900) })),
  answer: fc.constantFrom(
    'short notes',
    'x',
    'long notes '.repeat(300),
    '<summary>in</summary>',
    '[palimpsest:f00d tool result hidden]',
  ),
  deeds: five(deeds),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

const OWN = BUILT_IN_STRATEGIES.map((strategy) => ({
  id: strategy.id,
  of: () => strategy as StrategyEntry,
  own: true,
}));
const ANY = {
  id: 'strategies that do anything',
  of: (given: Scenario, i: number) => randomStrategy(given.deeds[i] ?? []),
  own: false,
};

describe.each([...OWN, ANY])('chains of five compactions with $id', ({ of, own }) => {
  it('keep every invariant, over undo, branches, imports, expiry and redaction', {
    tags: ['C6', 'B1', 'B4', 'C8', 'C10', 'C12', 'M3'],
    timeout: 24 * 3_600_000,
  }, async () => {
    const runs = Math.ceil(CHAINS / (OWN.length + 1));
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const { turns, recorded, pin } = given;
        const chain = recorded < 0 ? new Chain(messagesOf(turns)) : await Chain.imported(recordingOf(turns, recorded));
        const pinned = chain.context.conversation[pin % chain.context.conversation.length];
        if (pinned && pin % 3 === 0) chain.pin(pinned.id);
        for (let i = 0; i < PER_CHAIN; i++) {
          await compactOnce(chain, of(given, i), own, given, i);
          await goBetween(chain, given.between[i] ?? { kind: 'on', at: 0 }, i);
          chain.add(messagesOf(given.more.slice(i, i + 1)));
        }
        checkReread(chain);
      }),
      { numRuns: runs, seed: SEED, endOnFailure: true },
    );
    if (process.env.PALIMPSEST_CHAINS) console.log(`${runs} chains, seed ${SEED}, 0 violations`);
  });
});

async function goBetween(chain: Chain, { kind, at }: Between, which: number): Promise<void> {
  const shown = JSON.stringify(chain.context.conversation);
  switch (kind) {
    case 'on':
      return;
    case 'undo':
      chain.step(true);
      break;
    case 'undoRedo':
      if (chain.step(true)) chain.step(false);
      expect(JSON.stringify(chain.context.conversation)).toBe(shown);
      break;
    case 'travel':
      chain.travel(at);
      break;
    case 'pin': {
      const item = chain.context.conversation[at % Math.max(1, chain.context.conversation.length)];
      if (item && !item.pinned) chain.pin(item.id);
      break;
    }
    case 'expire': {
      const { history } = chain;
      const items = [...chain.context.conversation];
      const entry = await chain.expire();
      if (!entry) return;
      checkKept(chain, items, history, false);
      await checkOffloaded(chain);
      checkRequest(chain, which);
      chain.undo(entry.seq);
      expect(JSON.stringify(chain.context.conversation)).toBe(shown);
      chain.step(false);
    }
  }
  checkRequest(chain, which);
}

/** Read again, the journal shows the same; without a text that stood in it, a conversation that can go on. */
function checkReread(chain: Chain): void {
  expect(JSON.stringify(chain.reread(null).context.conversation)).toBe(JSON.stringify(chain.context.conversation));
  const text = chain.context.conversation.find(({ message }) => message.text.length >= 8)?.message.text;
  if (text === undefined) return;
  const secret = [...text].slice(0, 8).join('');
  const { context } = chain.reread(secret);
  expect(context.conversation.map(({ id, hidden }) => [id, hidden])).toEqual(
    chain.context.conversation.map(({ id, hidden }) => [id, hidden]),
  );
  // What a model wrote may be no JSON any more: encoding knows that.
  expect(refuseEncoded(lowerContext(context), text.length)).toBeNull();
}

interface Meter {
  readonly factor: number;
  readonly overhead: number;
}

const EXACT: Meter = { factor: 1, overhead: 0 };
/** The last step aims at 0.95 of the room, and of a text that it cuts it keeps 0.6 of its room in front and 0.35 behind. */
const AIMED_AT = 0.95 * 0.95;
/** What is left of a message that was cut, with its stub or note and the frame of a summary. */
const CUT = 330;

/** Tokens by the provider's count that no step may take: what is protected, and the remains of what is only cut. */
function leastOf(items: readonly ContextItem[], guarded: ReadonlySet<string>, { factor, overhead }: Meter): number {
  const newest = items.at(-1)?.block;
  const least = items.map(({ id, kind, tokens, block, pinned }) => {
    if (guarded.has(id) && (kind !== 'toolResult' || pinned)) return tokens;
    return guarded.has(id) || kind === 'summary' || block === newest ? Math.min(tokens, CUT) : 0;
  });
  return factor * (50 + 2 * CUT + least.reduce((sum, tokens) => sum + tokens, 0)) + overhead;
}

async function compactOnce(
  chain: Chain,
  strategy: StrategyEntry,
  own: boolean,
  { windows, meters, answer }: Scenario,
  i: number,
): Promise<void> {
  const { context, history } = chain;
  const [window = 0, meter = EXACT] = [windows[i], meters[i]];
  const items = [...context.conversation];
  if (items.length === 0) return;
  const before = JSON.stringify(items);
  const settings = defaultsOf(strategy.id);
  const outcome = await chain.propose(strategy, {
    window,
    automatic: window > 0,
    llm: answering(answer),
    keepUserTokens: window % 3 ? 200 : 0,
    ...meter,
  });
  const limit = window > 0 ? window - Math.min(settings.trigger.reserve, window >> 2) : Number.POSITIVE_INFINITY;
  if (outcome.kind === 'stuck') expect(leastOf(items, protectedIds(items), meter)).toBeGreaterThan(limit * AIMED_AT);
  expect(JSON.stringify(context.conversation)).toBe(before);
  // A valid result of our own strategies is never rejected but for not being smaller.
  const failure = outcome.kind === 'failed' ? outcome : outcome.kind === 'proposal' ? outcome.failure : null;
  if (own && failure) expect(inEnglish(failure.reason)).toMatch(/^its result is not smaller/);
  if (outcome.kind !== 'proposal') return;
  const tokens = () => context.conversation.reduce((sum, item) => sum + item.tokens, 0);
  const had = tokens();
  const entry = chain.commit(outcome.proposal);
  checkRequest(chain, i);
  expect(tokens()).toBeLessThan(had);
  expect(entry.tokensBefore - entry.tokensAfter).toBe(Math.round(meter.factor * (had - tokens())));
  // The promise of the last step: it fits by the provider's count, or the turn was stopped; and the reserve is free if it can be.
  expect(entry.tokensAfter).toBeLessThan(window || Number.POSITIVE_INFINITY);
  if (entry.tokensAfter >= limit) expect(leastOf(items, protectedIds(items), meter)).toBeGreaterThan(limit * AIMED_AT);
  checkKept(chain, items, history, window > 0);
  checkLedger(chain, entry, items, settings.verify.ledgerTokens);
  await checkOffloaded(chain);
  // Below what the window can hold, what the strategy says of its last rounds is the last word.
  const whole = { history: history.messages, maxContextSize: window };
  const { wholeRounds = 0 } = strategy.resultPolicy?.(settings.section, whole) ?? {};
  if (outcome.proposal.by === 'ladder' && entry.tokensBefore < limit) checkWholeRounds(chain, items, wholeRounds);
  const left = context.conversation.length;
  chain.undo(entry.seq);
  expect(JSON.stringify(context.conversation)).toBe(before);
  // The undone one is committed again, so that the chain goes on from it.
  chain.commit(outcome.proposal);
  expect(context.conversation).toHaveLength(left);
}
