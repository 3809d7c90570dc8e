import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import type { ContextItem } from '../../../src/core/context/item.ts';
import { lowerContext } from '../../../src/core/context/lower.ts';
import type { Message } from '../../../src/core/context/message.ts';
import { protectedIds } from '../../../src/core/context/protect.ts';
import { inEnglish } from '../../../src/core/words.ts';
import { answering, Chain, defaultsOf, refuseRequest } from '../../support/compactionChain.ts';

/** A case is one compaction of a chain; the cases are shared out over the strategies. */
const CASES = process.env.PALIMPSEST_FULL ? 200_000 : 10_000;
const PER_CHAIN = 5;

const text = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'ok',
      'src/a.ts changed',
      '修复重试测试',
      'let x = 1;\n',
      '👩‍👩‍👧 done',
      'Error: E42 at line 7',
    ),
  },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  { weight: 2, arbitrary: fc.nat(400).map((n) => 'word '.repeat(n)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'x'.repeat(9_000),
      '[palimpsest:f00d tool result hidden, 3 characters; recall with id m1]',
      '',
    ),
  },
);

interface Step {
  readonly says: string;
  readonly reasons: boolean;
  readonly results: readonly string[];
}

const step: fc.Arbitrary<Step> = fc.record({
  says: text,
  reasons: fc.boolean(),
  results: fc.array(text, { maxLength: 3 }),
});

const turn = fc.record({
  asks: text,
  kind: fc.constantFrom('user', 'user', 'user', 'reminder', 'skillPrompt', 'skillMetadata', 'summary'),
  steps: fc.array(step, { maxLength: 4 }),
});
type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

const history = fc.array(turn, { minLength: 1, maxLength: 5 });

let nextCall = 0;
const messagesOf = (turns: readonly Turn[]): Message[] =>
  turns.flatMap(({ asks, kind, steps }): Message[] => [
    { role: 'user', kind: kind as 'user', text: asks || 'go' },
    ...steps.flatMap(({ says, reasons, results }): Message[] => {
      const toolCalls = results.map((result, i) => ({
        id: `t${nextCall++}`,
        name: ['read_file', 'write_file', result.length % 2 ? 'run_command' : 'skill'][i] ?? 'task',
        arguments: JSON.stringify({ path: `src/${i}.ts`, text: result }),
      }));
      const reasoning = reasons ? { reasoning: { field: 'reasoning_content', text: 'because' } } : {};
      return [
        {
          role: 'assistant',
          text: says || (results.length ? '' : 'hm'),
          ...(results.length ? { toolCalls } : {}),
          ...reasoning,
        },
        ...results.map(
          (result, i): Message => ({
            role: 'tool',
            toolCallId: toolCalls[i]?.id ?? '',
            toolName: toolCalls[i]?.name ?? '',
            text: result,
            ...(result.startsWith('Error') ? { isError: true } : {}),
            ...(result.startsWith('let') ? { ephemeral: { keepNewest: 1 } } : {}),
          }),
        ),
      ];
    }),
  ]);

const scenario = fc.record({
  turns: history,
  more: fc.array(turn, { minLength: PER_CHAIN, maxLength: PER_CHAIN }),
  pin: fc.nat(),
  windows: fc.array(fc.constantFrom(0, 300, 1_000, 5_000), { minLength: PER_CHAIN, maxLength: PER_CHAIN }),
  meters: fc.array(fc.record({ factor: fc.constantFrom(0.6, 1, 1, 1.7), overhead: fc.constantFrom(0, 0, 120, 900) }), {
    minLength: PER_CHAIN,
    maxLength: PER_CHAIN,
  }),
  answer: fc.constantFrom(
    'short notes',
    'x',
    'long notes '.repeat(300),
    '<summary>in</summary>',
    '[palimpsest:f00d tool result hidden]',
  ),
});

describe.each(BUILT_IN_STRATEGIES)('chains of five compactions with $id', (strategy) => {
  it('C6: B4: C8: keep every invariant, and each undo gives back what was there', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ turns, more, pin, windows, meters, answer }) => {
        const chain = new Chain(messagesOf(turns));
        const pinned = chain.context.conversation[pin % chain.context.conversation.length];
        if (pinned && pin % 3 === 0) chain.pin(pinned.id);
        for (const [i, window] of windows.entries()) {
          await compactOnce(chain, strategy, window, answer, meters[i] ?? EXACT);
          chain.add(messagesOf(more.slice(i, i + 1)));
        }
      }),
      { numRuns: Math.ceil(CASES / PER_CHAIN / BUILT_IN_STRATEGIES.length), endOnFailure: true },
    );
  }, 600_000);
});

interface Meter {
  readonly factor: number;
  readonly overhead: number;
}

const EXACT: Meter = { factor: 1, overhead: 0 };
/** What is left of a message that was cut, stub or note and all. */
const CUT = 280;

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
  strategy: (typeof BUILT_IN_STRATEGIES)[number],
  window: number,
  answer: string,
  meter: Meter,
): Promise<void> {
  const { context } = chain;
  const view = context.conversation;
  const items = [...view];
  const before = JSON.stringify(items);
  const guarded = protectedIds(items);
  const outcome = await chain.propose(strategy, {
    window,
    automatic: window > 0,
    llm: answering(answer),
    keepUserTokens: window % 3 ? 200 : 0,
    ...meter,
  });
  const limit =
    window > 0 ? window - Math.min(defaultsOf(strategy.id).trigger.reserve, window >> 2) : Number.POSITIVE_INFINITY;
  if (outcome.kind === 'stuck') expect(leastOf(items, guarded, meter)).toBeGreaterThan(limit * 0.9);
  expect(context.conversation).toBe(view);
  if (outcome.kind === 'failed') {
    // A valid result of our own strategies is never rejected but for not being smaller.
    expect(inEnglish(outcome.reason)).toMatch(/^its result is not smaller/);
    return;
  }
  if (outcome.kind !== 'proposal') return;
  if (outcome.failure) expect(inEnglish(outcome.failure.reason)).toMatch(/^its result is not smaller/);
  const tokens = () => context.conversation.reduce((sum, item) => sum + item.tokens, 0);
  const had = tokens();
  const entry = chain.commit(outcome.proposal);
  expect(refuseRequest(lowerContext(context))).toBeNull();
  expect(tokens()).toBeLessThan(had);
  expect(entry.tokensBefore - entry.tokensAfter).toBe(Math.round(meter.factor * (had - tokens())));
  // The promise of the last step: it fits by the provider's count, or the turn was stopped.
  expect(entry.tokensAfter).toBeLessThan(limit);
  const left = new Map(context.conversation.map((item) => [item.id, item]));
  for (const item of items) {
    // A giant result of an open loop may be cut; what a person wrote or pinned, and reasoning, never change.
    if (!guarded.has(item.id) || (window > 0 && item.kind === 'toolResult' && !item.pinned)) continue;
    expect(left.get(item.id)?.message).toEqual(item.message);
  }
  const order = context.conversation.map(({ id }) => id).filter((id) => items.some((item) => item.id === id));
  expect(order).toEqual(items.map(({ id }) => id).filter((id) => left.has(id)));
  chain.undo(entry.seq);
  expect(JSON.stringify(context.conversation)).toBe(before);
  // The undone one is committed again, so that the chain goes on from it.
  chain.commit(outcome.proposal);
  expect(context.conversation).toHaveLength(left.size);
}
