import { describe, expect, it } from 'vitest';
import type { CompactionContext, ContextMessage } from '../../../src/api/index.ts';
import { checkConformance } from '../../../src/core/compaction/conformance/checkConformance.ts';
import { StrategyRegistry } from '../../../src/core/compaction/run/registry.ts';
import type { AnyFactory } from '../../../src/core/compaction/run/strategyEntry.ts';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import { redactEntry } from '../../../src/core/journal/redactEntry.ts';
import {
  compactionHarness,
  going,
  type Harness,
  type HarnessOptions,
  reads,
  user,
} from '../../support/compactionHarness.ts';

const ID = 'acme.memory/counter';

const compactions = ({ journal }: Pick<Harness, 'journal'>) =>
  journal.entries.flatMap((entry) => (entry.type === 'compaction' ? [entry] : []));

/** Hides the oldest result that is still shown. */
function hideOldest({ history, hide }: CompactionContext): readonly ContextMessage[] {
  const at = history.findIndex((message) => message.role === 'tool' && !message.hidden);
  return history.map((message, i) => (i === at ? hide(message) : message));
}

type Act = (context: CompactionContext) => unknown;

const factoryOf = (act: Act, needs: readonly string[] = []) =>
  ({
    needs,
    create: () => ({ compact: async (context: CompactionContext) => act(context) }),
  }) as unknown as AnyFactory;

type Opening = HarnessOptions & { readonly needs?: readonly string[] };

async function open(act: Act, { needs, ...options }: Opening = {}): Promise<Harness> {
  const entry = { id: ID, label: 'Counter', description: '', publisher: 'acme', factory: factoryOf(act, needs) };
  return compactionHarness({
    ...(options.resumed ? {} : { history: [user('look around'), ...reads(8)] }),
    registry: new StrategyRegistry([...BUILT_IN_STRATEGIES, entry]),
    settings: { strategy: 'contributed', contributedStrategy: ID },
    ...options,
  });
}

/** Counts its compactions, and records what it was handed back. */
function counter() {
  const seen: unknown[] = [];
  const act: Act = (context) => {
    seen.push(context.details);
    const { count = 0 } = (context.details ?? {}) as { readonly count?: number };
    return { messages: hideOldest(context), details: { count: count + 1 } };
  };
  return { seen, act };
}

const compact = (h: Harness) => h.compactor.compact({ trigger: 'manual' }, going);

describe('details of a strategy', () => {
  it('are stored with the compaction and handed back at the next', async () => {
    const { seen, act } = counter();
    const h = await open(act);
    for (let i = 0; i < 3; i++) expect(await compact(h)).toMatchObject({ kind: 'compacted' });
    expect(seen).toEqual([undefined, { count: 1 }, { count: 2 }]);
    expect(compactions(h).map(({ details }) => details)).toEqual(
      [1, 2, 3].map((count) => ({ by: ID, value: { count } })),
    );
  });

  it('are taken back by undo and brought again by redo', async () => {
    const { seen, act } = counter();
    const h = await open(act);
    for (let i = 0; i < 3; i++) await compact(h);
    await h.compactor.undo();
    await h.compactor.undo();
    await h.compactor.redo();
    await compact(h);
    expect(seen.at(-1)).toEqual({ count: 2 });
    await h.compactor.undo();
    await h.compactor.undo();
    await h.compactor.undo();
    await compact(h);
    expect(seen.at(-1)).toBeUndefined();
  });

  it('follow the branch that the session is on', async () => {
    const { seen, act } = counter();
    const h = await open(act);
    await compact(h);
    const fork = h.journal.head;
    await compact(h);
    await compact(h);
    const left = h.journal.head;
    await h.journal.revert(fork, 'user');
    await h.add(user('another way'));
    await compact(h);
    expect(seen.at(-1)).toEqual({ count: 1 });
    await h.journal.revert(left, 'user');
    await compact(h);
    expect(seen.at(-1)).toEqual({ count: 3 });
  });

  it('survive a closed session', async () => {
    const { seen, act } = counter();
    const h = await open(act);
    await compact(h);
    await compact(await open(act, { resumed: h.lines }));
    expect(seen.at(-1)).toEqual({ count: 1 });
  });

  it('are the strategy’s own: another one neither sees nor loses them', async () => {
    const { seen, act } = counter();
    const h = await open(act);
    await compact(h);
    h.set({ strategy: 'tool-result-hiding' });
    expect(await compact(h)).toMatchObject({ kind: 'compacted' });
    h.set({ strategy: 'contributed', contributedStrategy: ID });
    await compact(h);
    expect(seen.at(-1)).toEqual({ count: 1 });
  });

  it('of an imported session are kept and not handed back', async () => {
    const { seen, act } = counter();
    const h = await open(act);
    await compact(h);
    await h.journal.append({ type: 'opened', writer: 'w', imported: true });
    await compact(h);
    await compact(h);
    expect(seen).toEqual([undefined, undefined, { count: 1 }]);
  });

  it('go with a preview that is applied', async () => {
    const { seen, act } = counter();
    const h = await open(act);
    const preview = await h.compactor.preview({}, going);
    if (preview.kind !== 'preview') throw new Error(preview.kind);
    expect(compactions(h)).toEqual([]);
    await h.compactor.apply(preview);
    await compact(h);
    expect(seen.at(-1)).toEqual({ count: 1 });
  });

  it('come back also where a strategy went on without its model', async () => {
    const seen: unknown[] = [];
    const compactAnyway = async (context: CompactionContext) => {
      seen.push(context.details);
      await context.llm.complete({ prompt: 'sum up' }).catch(() => null);
      return { messages: hideOldest(context), details: { tried: true } };
    };
    const h = await open(compactAnyway, { summaries: [], needs: ['llm'] });
    await compact(h);
    expect(compactions(h)[0]).toMatchObject({ strategy: 'fallback' });
    await compact(h);
    expect(seen).toEqual([undefined, { tried: true }]);
  });

  it('come back as a frozen copy', async () => {
    const kept = { list: [{ at: 1 }] };
    let back: unknown;
    const h = await open((context) => {
      back = context.details;
      return { messages: hideOldest(context), details: kept };
    });
    await compact(h);
    kept.list.push({ at: 2 });
    await compact(h);
    expect(back).toEqual({ list: [{ at: 1 }] });
    const [first] = (back as typeof kept).list;
    expect([back, (back as typeof kept).list, first].every((each) => Object.isFrozen(each))).toBe(true);
  });

  it('of 64 KB are kept, and not a byte more', async () => {
    let details: unknown = 'x'.repeat(65_534);
    const h = await open((context) => ({ messages: hideOldest(context), details }));
    expect(await compact(h)).toMatchObject({ kind: 'compacted' });
    details = 'x'.repeat(65_535);
    expect(await compact(h)).toMatchObject({ kind: 'failed', reason: expect.stringContaining('larger than 64 KB') });
    details = { more: Array.from({ length: 22_000 }, () => '汉') };
    expect(await compact(h)).toMatchObject({ kind: 'failed', reason: expect.stringContaining('larger than 64 KB') });
    expect(compactions(h)).toHaveLength(1);
  });

  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  it.each<[string, unknown, string]>([
    ['a function', { a: () => 1 }, 'details.a is function'],
    ['undefined in a field', { a: { b: undefined } }, 'details.a.b is undefined'],
    ['NaN', [1, Number.NaN], 'details[1] is NaN'],
    ['a bigint', 1n, 'details is bigint'],
    ['a date', { at: new Date(0) }, 'details.at is no plain object'],
    ['a map', new Map(), 'details is no plain object'],
    ['a circle', cyclic, 'nested more than 32 deep'],
    ['a half of a character', ['\ud800'], 'details[0] is not well-formed'],
    ['holes', new Array(1e9), 'details[0] is undefined'],
    [
      'a getter that throws',
      {
        get a() {
          throw new Error('boom');
        },
      },
      'boom',
    ],
  ])('that hold %s are refused, and nothing is compacted', async (_what, details, reason) => {
    const h = await open((context) => ({ messages: hideOldest(context), details }));
    expect(await compact(h)).toMatchObject({ kind: 'failed', reason: expect.stringContaining(reason) });
    expect(compactions(h)).toEqual([]);
  });

  it('are not read from a line that was changed by hand', async () => {
    const { seen, act } = counter();
    const h = await open(act);
    await compact(h);
    const [made] = compactions(h);
    for (const details of ['text', null, { by: ID }, { by: 7, value: 1 }, { by: ID, value: 'x'.repeat(99_999) }]) {
      Object.assign(made ?? {}, { details });
      await h.compactor.preview({}, going);
      expect(seen.at(-1)).toBeUndefined();
    }
  });

  it('without a change make no compaction and are not kept', async () => {
    const h = await open(({ history }) => ({ messages: history, details: { kept: true } }));
    expect(await compact(h)).toMatchObject({ kind: 'none' });
    expect(compactions(h)).toEqual([]);
  });

  it('are redacted, names of fields and numbers too', async () => {
    const details = { hunter2: 'the key is hunter2', type: 'hunter2', pin: 20_261_122, 'list of hunter2': ['hunter2'] };
    const h = await open((context) => ({ messages: hideOldest(context), details }));
    await compact(h);
    const [made] = compactions(h);
    if (!made) throw new Error('not compacted');
    const { entry, count } = redactEntry(made, ['hunter2', '20261122'], new Map());
    expect(JSON.stringify(entry)).not.toMatch(/hunter2|20261122/);
    expect(entry).toMatchObject({ details: { by: ID } });
    expect(count).toBe(6);
  });
});

describe('the conformance kit', () => {
  const timers = { after: () => () => undefined };

  it('accepts both forms of an answer, hands details back, and takes them back on an undo', async () => {
    for (const form of ['list', 'result']) {
      const { seen, act } = counter();
      const both: Act = (context) => (form === 'list' ? hideOldest(context) : act(context));
      const report = await checkConformance(factoryOf(both), { cases: 20, timers });
      expect(report).toMatchObject({ broken: [] });
      expect(report.compactions).toBeGreaterThan(0);
      if (form === 'result') expect(seen).toEqual(expect.arrayContaining([undefined, { count: 1 }, { count: 2 }]));
    }
  });

  it('names details that are no JSON', async () => {
    const report = await checkConformance(
      factoryOf((context) => ({ messages: hideOldest(context), details: { at: new Date(0) } })),
      { cases: 3, timers },
    );
    expect(report.broken[0]?.rule).toContain('details.at is no plain object');
  });
});
