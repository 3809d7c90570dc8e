import { describe, expect, it } from 'vitest';
import type { CompactionContext, ContextMessage, NewSummary } from '../../../src/api/index.ts';
import { StrategyRegistry } from '../../../src/core/compaction/hosting/registry.ts';
import type { StrategyEntry } from '../../../src/core/compaction/strategies/strategyEntry.ts';
import type { ContextItem } from '../../../src/core/context/item.ts';
import { lowerContext } from '../../../src/core/context/lower.ts';
import { countTokens } from '../../../src/core/tokens/estimate.ts';
import { calls, compactionHarness, going, says, user, words } from '../../support/compactionHarness.ts';

const ID = 'acme.test/own';
const history = [
  user('read it'),
  calls(['read_file', words(400)], ['read_file', 'ok']),
  says('read'),
  calls(['write_file', words(300), { path: 'a.ts', text: words(200) }]),
  user('go on'),
  calls(['read_file', words(100)]),
];
type Result = readonly (ContextMessage | NewSummary)[] | null;

async function run(...each: readonly ((context: CompactionContext) => Result)[]) {
  let at = 0;
  const compact = async (context: CompactionContext) => each[at++]?.(context) ?? null;
  const factory = { needs: [], create: () => ({ compact }) };
  const entry: StrategyEntry = { id: ID, label: 'Own', description: '', publisher: 'acme', factory };
  const h = await compactionHarness({
    history,
    registry: new StrategyRegistry([entry]),
    settings: { strategy: 'contributed', contributedStrategy: ID, 'verify.enabled': false },
  });
  const outcomes: unknown[] = [];
  for (const _ of each) outcomes.push(await h.compactor.compact({ trigger: 'manual' }, going));
  return { ...h, outcomes };
}

/** A summary as the context holds it. */
function itemOf(text: string): ContextItem {
  const facts = { id: 'c1.0', tokens: 1, block: 1, round: 0, time: 0, seq: 1, pinned: false, hidden: false };
  return { ...facts, kind: 'summary', message: { role: 'user', kind: 'summary', text } };
}

const at = (of: readonly ContextMessage[], index: number) => of[index] as ContextMessage;
const note: NewSummary = { role: 'user', kind: 'summary', text: words(20) };

describe('hide and tokensOf', () => {
  it('a hidden message says what its stub costs and that it is hidden, as the next history does', {
    tags: ['B7'],
  }, async () => {
    let copy: ContextMessage | null = null;
    let again: ContextMessage | null = null;
    await run(
      ({ history, hide }) => {
        copy = hide(at(history, 2));
        return history.map((message, i) => (i === 2 && copy ? copy : message));
      },
      ({ history }) => {
        again = at(history, 2);
        return null;
      },
    );
    expect(copy).toMatchObject({ hidden: true, text: expect.stringMatching(/^\[palimpsest:/) });
    expect((copy as unknown as ContextMessage).tokens).toBeLessThan(50);
    expect(again).toEqual(copy);
  });

  it('hiding twice is the same as hiding once, for the message, the copy and a changed copy', {
    tags: ['B7'],
  }, async () => {
    const { outcomes } = await run(({ history, hide }) => {
      const message = at(history, 2);
      const once = hide(message);
      expect(hide(once)).toBe(once);
      expect(hide(message)).toEqual(once);
      expect(hide(message, 'pruned')).toEqual(once);
      expect(hide({ ...message, text: 'short' })).toEqual(once);
      expect(hide({ ...once, hidden: false })).toEqual(once);
      expect(hide({ ...message, protected: false, id: 'm999' }).hidden).toBe(false);
      return history.map((each, i) => (i === 2 ? hide(hide(each)) : each));
    });
    expect(outcomes).toMatchObject([{ kind: 'compacted' }]);
  });

  it('a changed copy of what must stay is not hidden', { tags: ['B7'] }, async () => {
    await run(({ history, hide }) => {
      const latest = history.findLast(({ role }) => role === 'user') as ContextMessage;
      const copy = { ...latest, protected: false, text: words(500) };
      expect(hide(copy)).toBe(copy);
      return null;
    });
  });

  it('what tokensOf says of every message of a result is what the compaction comes to', { tags: ['B7'] }, async () => {
    let said = 0;
    const { journal, outcomes } = await run((context) => {
      const { history, hide, tokensOf } = context;
      const result = history.flatMap((message, i): (ContextMessage | NewSummary)[] => {
        if (i === 0) return [note];
        if (i === 2) return [hide(message)];
        if (i === 5 && message.role === 'assistant') {
          const short = { ...message, toolCalls: message.toolCalls.map((call) => ({ ...call, arguments: '{}' })) };
          return [{ ...short, tokens: tokensOf(short) }];
        }
        return i === 6 ? [{ ...message, text: 'short' }] : [message];
      });
      said = result.reduce((sum, message) => sum + tokensOf(message), 0);
      return result;
    });
    expect(outcomes).toMatchObject([{ kind: 'compacted' }]);
    expect(journal.context.conversation.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(said);
  });

  it('a new summary costs its text and its frame', { tags: ['B7'] }, async () => {
    await run((context) => {
      expect(context.tokensOf(note)).toBeGreaterThan(context.tokensOf({ ...note, text: 'x' }));
      const frame =
        lowerContext({ header: null, conversation: [itemOf('')], lastUsage: null, epoch: -1 })[0]?.text ?? '';
      expect(frame).toMatch(/^<context-notes>\n/);
      expect(context.tokensOf({ ...note, text: '' })).toBe(4 + countTokens(frame));
      expect(() => context.tokensOf({ ...at(context.history, 2), id: 'm999' })).toThrow(/no message of this history/);
      return null;
    });
  });

  it('the stub of an earlier compaction cannot be rewritten', { tags: ['B7'] }, async () => {
    const { outcomes } = await run(
      ({ history, hide }) => history.map((message, i) => (i === 2 ? hide(message) : message)),
      ({ history }) => history.map((message, i) => (i === 2 ? { ...message, text: 'gone' } : message)),
    );
    expect(outcomes).toMatchObject([
      { kind: 'compacted' },
      { kind: 'failed', reason: expect.stringMatching(/a changed placeholder/) },
    ]);
  });
});
