import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHOICES, PlanEdit } from '../../../src/core/compaction/consent/planEdit.ts';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import { lowerContext } from '../../../src/core/context/lower.ts';
import { estimateMessage } from '../../../src/core/tokens/estimate.ts';
import { Chain } from '../../support/chains/chain.ts';
import { checkKept, checkRequest } from '../../support/chains/checkCompaction.ts';
import { messagesOf, turn } from '../../support/chains/randomHistory.ts';

const RUNS = process.env.PALIMPSEST_FULL ? 20_000 : 600;

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('choose'), at: fc.nat(), choice: fc.constantFrom(...CHOICES) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('write'),
      at: fc.nat(3),
      text: fc.constantFrom('', 'mine', 'mine '.repeat(900), '[palimpsest:f00d tool result hidden]', 'half \ud83d'),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const scenario = fc.record({
  turns: fc.array(turn, { minLength: 1, maxLength: 6 }),
  strategy: fc.constantFrom(...BUILT_IN_STRATEGIES),
  pin: fc.nat(),
  steps: fc.array(step, { minLength: 1, maxLength: 30 }),
});

function take(edit: PlanEdit, given: Step): PlanEdit {
  const { messages } = edit.start.history;
  if (given.kind === 'write') {
    const outcome = edit.rewrite(given.at, given.text);
    return outcome.kind === 'edit' ? outcome.edit : edit;
  }
  const index = given.at % messages.length;
  const outcome = edit.choose(index, given.choice);
  if (outcome.kind === 'refused') {
    expect(outcome.reason).not.toEqual([]);
    return edit;
  }
  expect(outcome.edit.choiceAt(index)).toBe(given.choice);
  const { block } = messages[index] ?? { block: -1 };
  const fates = messages.flatMap((each, i) => (each.block === block ? [outcome.edit.choiceAt(i) === 'drop'] : []));
  expect(new Set(fates).size).toBe(1);
  return outcome.edit;
}

describe('a plan that a person changed', () => {
  it('is valid after any choices, says its size, and an undo gives back every byte', { tags: ['B16'] }, async () => {
    const applied = { count: 0 };
    await fc.assert(
      fc.asyncProperty(scenario, async ({ turns, strategy, pin, steps }) => {
        const chain = new Chain(messagesOf(turns));
        const pinned = chain.context.conversation[pin % chain.context.conversation.length];
        if (pinned && pin % 3 === 0) chain.pin(pinned.id);
        const outcome = await chain.propose(strategy);
        if (outcome.kind !== 'proposal') return;
        const start = chain.start(strategy.id);
        const edit = steps.reduce(take, new PlanEdit(start, outcome.proposal));
        const { proposal, refused } = edit.apply();
        if (refused) return;
        const before = JSON.stringify(lowerContext(chain.context));
        const items = [...chain.context.conversation];
        const entry = chain.commit(proposal);
        applied.count++;
        checkRequest(chain, pin);
        checkKept(chain, items, start.history, true);
        const counted = chain.context.conversation.reduce((sum, { message }) => sum + estimateMessage(message), 0);
        expect(proposal.draft.tokens).toBe(counted);
        chain.undo(entry.seq);
        expect(JSON.stringify(lowerContext(chain.context))).toBe(before);
        // Without changes it is what was proposed.
        expect(new PlanEdit(start, outcome.proposal).apply().proposal).toBe(outcome.proposal);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
    // Plans that are all refused would show nothing.
    expect(applied.count).toBeGreaterThan(0);
  });
});
