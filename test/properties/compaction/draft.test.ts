import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generateHistory } from '../../../src/core/compaction/conformance/generateHistory.ts';
import { type Decision, DROP, Draft, UNDECIDED } from '../../../src/core/compaction/draft/draft.ts';
import { type History, HistoryView } from '../../../src/core/compaction/draft/history.ts';
import { makeStub } from '../../../src/core/compaction/draft/stub.ts';
import { toPlan } from '../../../src/core/compaction/draft/toPlan.ts';
import type { ContextItem } from '../../../src/core/context/item.ts';
import type { Message } from '../../../src/core/context/message.ts';
import { seededRandom } from '../../../src/core/seededRandom.ts';
import { estimateMessage } from '../../../src/core/tokens/estimate.ts';
import { Chain } from '../../support/chains/chain.ts';

const RUNS = process.env.PALIMPSEST_FULL ? 20_000 : 400;
const STAMP = { nonce: 'f00d', now: Date.UTC(2026, 0, 1) };

/** Something done to a draft; `at` finds the message. */
type Step =
  | { readonly kind: 'drop' | 'hide' | 'prune' | 'arguments' | 'undecided'; readonly at: number }
  | { readonly kind: 'text'; readonly at: number; readonly text: string }
  | { readonly kind: 'insert'; readonly at: number; readonly text: string };

const text = fc.constantFrom('', 'short', '修复重试测试', 'word '.repeat(50), '{"a": 1}');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('drop', 'drop', 'hide', 'prune', 'arguments', 'undecided'), at: fc.nat() }),
  fc.record({ kind: fc.constant('text'), at: fc.nat(), text }),
  fc.record({ kind: fc.constant('insert'), at: fc.nat(), text }),
);
const scenario = fc.record({
  seed: fc.nat(),
  turns: fc.integer({ min: 1, max: 4 }),
  first: fc.array(step, { maxLength: 12 }),
  second: fc.array(step, { maxLength: 12 }),
});

const check = (property: (given: typeof scenario extends fc.Arbitrary<infer T> ? T : never) => void) =>
  fc.assert(fc.property(scenario, property), { numRuns: RUNS, endOnFailure: true });

const open = ({ seed, turns }: { readonly seed: number; readonly turns: number }) =>
  new Chain(generateHistory(seededRandom(seed), turns, 'c'));

function historyOf({ context }: Chain): History {
  return new HistoryView().of(context.conversation, (id) => context.slot(id)?.message as Message);
}

function decisionOf({ messages }: History, given: Exclude<Step, { kind: 'insert' }>): readonly [number, Decision] {
  const index = given.at % messages.length;
  const message = messages[index];
  if (!message) throw new Error('An empty history');
  switch (given.kind) {
    case 'drop':
      return [index, DROP];
    case 'hide':
      return [index, { kind: 'hide', stub: makeStub(message, 'hidden', STAMP) }];
    case 'prune':
      return [index, { kind: 'hide', stub: makeStub(message, 'pruned', STAMP) }];
    case 'arguments': {
      const calls = message.role === 'assistant' ? message.toolCalls : [];
      return [index, { kind: 'replace', arguments: calls.map((_, i) => `{"cut":${i}}`) }];
    }
    case 'text':
      return [index, { kind: 'replace', text: given.text }];
    case 'undecided':
      return [index, UNDECIDED];
  }
}

const take = (draft: Draft, given: Step): Draft =>
  given.kind === 'insert'
    ? draft.insert(given.at % (draft.history.messages.length + 1), given.text)
    : draft.decide([decisionOf(draft.history, given)]);

const draftOf = (chain: Chain, steps: readonly Step[]) => steps.reduce(take, Draft.of(historyOf(chain)));

/** What the draft says that the model would see. */
function shown(draft: Draft): string[] {
  const lines: string[] = [];
  let inserted = 0;
  const insertUpTo = (index: number) => {
    for (; (draft.inserts[inserted]?.before ?? Number.POSITIVE_INFINITY) <= index; inserted++) {
      lines.push(line('user', draft.inserts[inserted]?.text ?? '', [], false));
    }
  };
  draft.visit(({ role, hidden }, index) => {
    insertUpTo(index);
    const decision = draft.at(index);
    const stays = decision.kind === 'undecided' || (decision.kind === 'replace' && decision.text === undefined);
    lines.push(line(role, draft.textAt(index), draft.argumentsAt(index), stays ? hidden : decision.kind === 'hide'));
  });
  insertUpTo(draft.history.messages.length);
  return lines;
}

const line = (role: string, body: string, json: readonly string[], hidden: boolean) =>
  JSON.stringify([role, body, json, hidden]);

const lineOf = ({ message, hidden }: ContextItem) => {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  return line(
    message.role,
    message.text,
    calls.map((call) => call.arguments),
    hidden,
  );
};

/** Counted from the messages themselves, not from what the plan says of them. */
const recount = ({ context }: Chain) =>
  context.conversation.reduce((tokens, { message }) => tokens + estimateMessage(message), 0);

const commit = (chain: Chain, draft: Draft) =>
  chain.commit({
    draft,
    tokensBefore: 0,
    tokensAfter: 0,
    attempt: 1,
    by: 'strategy',
    bare: draft,
    changes: null,
    asked: [],
    proposed: [],
  });

describe('a draft', () => {
  it('shows exactly the messages that the fold makes of its plan, and counts their tokens', { tags: ['K1'] }, () => {
    check((given) => {
      const chain = open(given);
      for (const steps of [given.first, given.second]) {
        if (chain.context.conversation.length === 0) return;
        const draft = draftOf(chain, steps);
        const expected = shown(draft);
        commit(chain, draft);
        expect(chain.context.conversation.map(lineOf)).toEqual(expected);
        expect(recount(chain)).toBe(draft.tokens);
      }
    });
  });

  it('comes to the same whether it is decided in one step or in many', () => {
    check((given) => {
      const history = historyOf(open(given));
      const steps = [...given.first, ...given.second].filter((each) => each.kind !== 'insert');
      const decisions = steps.map((each) => decisionOf(history, each));
      const many = decisions.reduce((draft, each) => draft.decide([each]), Draft.of(history));
      const once = Draft.of(history).decide(decisions);
      const last = Draft.of(history).decide(new Map(decisions));
      for (const draft of [once, last]) {
        expect(toPlan(draft)).toEqual(toPlan(many));
        expect(draft.tokens).toBe(many.tokens);
      }
    });
  });

  it('is never changed by a later step, and decisions can be taken back', () => {
    check((given) => {
      const chain = open(given);
      const before = draftOf(chain, given.first);
      const [plan, tokens] = [toPlan(before), before.tokens];
      const after = given.second.reduce(take, before);
      expect([toPlan(before), before.tokens]).toEqual([plan, tokens]);
      const undecided = after.decide(after.history.messages.map((_, index) => [index, UNDECIDED] as const));
      expect(toPlan(undecided).filter(({ op }) => op !== 'keep' && op !== 'insert')).toEqual([]);
      const noted = after.inserts.reduce(
        (draft, each) => draft.insert(each.before, each.text),
        Draft.of(after.history),
      );
      expect(undecided.tokens).toBe(noted.tokens);
    });
  });

  it('puts each note right after the last message before it that stays, and after the notes that stand there', () => {
    check((given) => {
      const draft = draftOf(open(given), [...given.first, ...given.second]);
      const places = draft.inserts.map(({ before }) => before);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      for (const before of places) expect(before === 0 || !draft.isDropped(before - 1)).toBe(true);
      const at = given.seed % draft.history.messages.length;
      const more = draft.insert(at, 'one').insert(at, 'two');
      const texts = more.inserts.map(({ text }) => text);
      expect(texts.indexOf('two')).toBe(texts.indexOf('one') + 1);
    });
  });
});
