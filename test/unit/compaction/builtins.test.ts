import { describe, expect, it } from 'vitest';
import type { BuiltInId, CompactionContext, ContextMessage, NewSummary } from '../../../src/api/index.ts';
import { checkStrategy } from '../../../src/core/compaction/conformance/kit.ts';
import { StrategyRegistry } from '../../../src/core/compaction/run/registry.ts';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import type { AnyFactory } from '../../../src/core/compaction/strategies/strategyEntry.ts';
import {
  compactionHarness,
  going,
  type Harness,
  type HarnessOptions,
  reads,
  says,
  user,
} from '../../support/compactionHarness.ts';

const ID = 'acme.composed/strategy';

type Messages = readonly (ContextMessage | NewSummary)[];
type Act = (context: CompactionContext) => unknown;

const factoryOf = (act: Act, needs: readonly string[]) =>
  ({ needs, create: () => ({ compact: async (context: CompactionContext) => act(context) }) }) as unknown as AnyFactory;

async function open(act: Act, needs: readonly string[], options: HarnessOptions = {}): Promise<Harness> {
  const entry = { id: ID, label: 'Composed', description: '', publisher: 'acme', factory: factoryOf(act, needs) };
  return compactionHarness({
    history: [user('look around'), ...reads(8), says('seen'), user('now mend it'), ...reads(3)],
    registry: new StrategyRegistry([...BUILT_IN_STRATEGIES, entry]),
    settings: { strategy: 'contributed', contributedStrategy: ID },
    ...options,
  });
}

const compact = (h: Harness) => h.compactor.compact({ trigger: 'manual' }, going);
const hidden = (h: Harness) => h.journal.context.conversation.filter((item) => item.hidden).length;

describe('built-in strategies for a strategy', () => {
  it('each runs on the same context and gives what it gives alone', { tags: ['B18'] }, async () => {
    for (const { id } of BUILT_IN_STRATEGIES) {
      const summaries = Array.from({ length: 4 }, () => ({ text: 'notes of the work' }));
      const composed = await open(({ builtins }) => builtins.run(id), ['llm'], { summaries });
      await compact(composed);
      const alone = await open(() => null, [], { summaries, settings: { strategy: id } });
      await compact(alone);
      const stubs = /palimpsest:\w+/g;
      const view = (h: Harness) => h.view().map((text) => text.replace(stubs, ''));
      expect([id, view(composed)]).toEqual([id, view(alone)]);
      expect([id, composed.view().length]).not.toEqual([id, 0]);
    }
  });

  it('what they hide is accepted in the final answer, beside what the strategy does itself', {
    tags: ['B18'],
  }, async () => {
    const act = async ({ builtins, hide }: CompactionContext): Promise<Messages> => {
      const made = await builtins.run('tool-result-hiding', { settings: { preserveRecentGroups: 8 } });
      const last = made.findLastIndex((each) => each.id !== undefined && each.role === 'tool');
      return made.map((each, i) => (i === last && each.id !== undefined ? hide(each) : each));
    };
    const h = await open(act, []);
    expect(await compact(h)).toMatchObject({ kind: 'compacted' });
    expect(hidden(h)).toBe(4);
  });

  it('the result of one is a history for the next, new summaries and stubs included', { tags: ['B18'] }, async () => {
    const lengths: number[] = [];
    const act = async ({ builtins, history }: CompactionContext): Promise<Messages> => {
      const first = await builtins.run('llm-summary', { settings: { preserveRecentMessages: 6 } });
      const second = await builtins.run('tool-result-hiding', {
        history: first,
        settings: { preserveRecentGroups: 1 },
      });
      lengths.push(history.length, first.length, second.length);
      expect(first.filter(({ id }) => id === undefined)).toHaveLength(1);
      expect(second.find(({ id }) => id === undefined)).toBe(first.find(({ id }) => id === undefined));
      const again = await builtins.run('tool-result-hiding', {
        history: second,
        settings: { preserveRecentGroups: 1 },
      });
      expect(again).toBe(second);
      return second;
    };
    const h = await open(act, ['llm'], { summaries: [{ text: 'what was seen' }] });
    expect(await compact(h)).toMatchObject({ kind: 'compacted' });
    expect(lengths[1]).toBeLessThan(lengths[0] ?? 0);
    expect(lengths[2]).toBe(lengths[1]);
    expect(h.view().filter((text) => text.includes('what was seen'))).toHaveLength(1);
    expect(hidden(h)).toBeGreaterThan(0);
  });

  it('a summary of one may be merged by the next', { tags: ['B18'] }, async () => {
    const act = async ({ builtins }: CompactionContext): Promise<Messages> => {
      const first = await builtins.run('llm-summary', { settings: { preserveRecentMessages: 6 } });
      return builtins.run('llm-summary', { history: first, settings: { preserveRecentMessages: 1 } });
    };
    const h = await open(act, ['llm'], { summaries: [{ text: 'the first' }, { text: 'the second' }] });
    expect(await compact(h)).toMatchObject({ kind: 'compacted' });
    expect(h.view().join()).toContain('the second');
    expect(h.view().join()).not.toContain('the first');
    expect(JSON.stringify(h.model.requests[1])).toContain('the first');
  });

  it('they run with the person’s settings, and with those given instead', { tags: ['B18'] }, async () => {
    const found: number[] = [];
    const act = async ({ builtins, history }: CompactionContext): Promise<Messages> => {
      const differ = (made: Messages) => made.filter((each, i) => each !== history[i]).length;
      found.push(differ(await builtins.run('tool-result-hiding')));
      found.push(differ(await builtins.run('tool-result-hiding', { settings: { preserveRecentGroups: 9 } })));
      return history;
    };
    const contributed = { strategy: 'contributed', contributedStrategy: ID };
    const h = await open(act, [], { settings: { ...contributed, 'toolResultHiding.preserveRecentGroups': 2 } });
    expect(await compact(h)).toMatchObject({ kind: 'none' });
    expect(found).toEqual([9, 2]);
  });

  it('one that summarises asks the strategy’s own model, which it must need', { tags: ['B18'] }, async () => {
    const h = await open(({ builtins }) => builtins.run('llm-summary'), []);
    expect(await compact(h)).toMatchObject({ kind: 'failed', reason: expect.stringContaining('needs llm') });
    expect(h.model.requests).toEqual([]);
  });

  it('what it costs is charged to the compaction', { tags: ['B18'] }, async () => {
    const h = await open(({ builtins }) => builtins.run('llm-summary'), ['llm'], { summaries: [{ text: 'notes' }] });
    const outcome = await compact(h);
    expect(outcome).toMatchObject({ kind: 'compacted', entry: { strategy: ID, summaryModel: 'test' } });
  });

  it.each<[string, (context: CompactionContext) => readonly [unknown, unknown], RegExp]>([
    ['an unknown id', () => ['no-such', {}], /no-such is none of layered, selective, llm-summary, tool-result-hiding/],
    ['a strategy of another', () => [ID, {}], /is none of/],
    ['no list', () => ['selective', { history: 'x' }], /history is no list/],
    [
      'a foreign message',
      ({ history }) => ['selective', { history: [{ ...history[0], id: 'x' }] }],
      /entry 0 has an id/,
    ],
    ['nothing in a list', () => ['selective', { history: [null] }], /entry 0 is no message/],
    [
      'an unknown setting',
      () => ['tool-result-hiding', { settings: { preserveRecent: 3 } }],
      /tool-result-hiding has no setting preserveRecent\. It has summaryStyle, .*preserveRecentGroups\./,
    ],
    [
      'an inherited name',
      () => ['selective', { settings: { constructor: 3 } }],
      /selective has no setting constructor\./,
    ],
    [
      'a value of another type',
      () => ['tool-result-hiding', { settings: { preserveRecentGroups: '3' } }],
      /preserveRecentGroups of tool-result-hiding cannot be "3"\. It must be a number\./,
    ],
    [
      'a value out of range',
      () => ['llm-summary', { settings: { outputTokenMax: 1 } }],
      /outputTokenMax of llm-summary cannot be 1\. It must be at least 64\./,
    ],
    [
      'an entry in a table',
      () => ['selective', { settings: { rules: { users: '5 drop' } } }],
      /At users: There is no kind of message users\./,
    ],
    ['settings in a list', () => ['selective', { settings: [1] }], /settings is no object/],
  ])('%s is refused by name', { tags: ['B18'] }, async (_what, ask, reason) => {
    const act = (context: CompactionContext) => {
      const [id, options] = ask(context);
      return context.builtins.run(id as BuiltInId, options as object);
    };
    expect(await compact(await open(act, []))).toMatchObject({ kind: 'failed', reason: expect.stringMatching(reason) });
  });

  it('nothing runs when the compaction is over', { tags: ['B18'] }, async () => {
    let kept: CompactionContext | null = null;
    const h = await open((context) => {
      kept = context;
      return null;
    }, []);
    await compact(h);
    const late = kept as CompactionContext | null;
    await expect(late?.builtins.run('tool-result-hiding')).rejects.toThrow('over');
  });

  it('the kit runs them too, and finds nothing broken in what they compose', { tags: ['B18', 'long'] }, async () => {
    const act = async ({ builtins }: CompactionContext) => {
      const history = await builtins.run('prune-then-summary');
      return { messages: await builtins.run('tool-result-hiding', { history }), details: { composed: true } };
    };
    const report = await checkStrategy(factoryOf(act, ['llm']), { cases: 30 });
    expect(report.broken).toEqual([]);
    expect(report.compactions).toBeGreaterThan(0);
  });
});
