import { describe, expect, it } from 'vitest';
import type { CompactionContext, ContextMessage } from '../../../src/api/index.ts';
import { checkStrategy } from '../../../src/core/compaction/conformance/kit.ts';
import { HistoryView } from '../../../src/core/compaction/draft/history.ts';
import { findPast } from '../../../src/core/compaction/draft/past.ts';
import { StrategyRegistry } from '../../../src/core/compaction/hosting/registry.ts';
import { publicSessionId, readMemory } from '../../../src/core/compaction/hosting/strategyMemory.ts';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import type { AnyFactory } from '../../../src/core/compaction/strategies/strategyEntry.ts';
import type { TreeEntry } from '../../../src/core/journal/entry.ts';
import { Journal } from '../../../src/core/journal/journal.ts';
import { redactEntry } from '../../../src/core/journal/redactEntry.ts';
import type { StoredEntries } from '../../../src/core/journal/storedEntries.ts';
import {
  calls,
  compactionHarness,
  going,
  type Harness,
  type HarnessOptions,
  reads,
  user,
  words,
} from '../../support/compactionHarness.ts';
import { entriesOf, memoryStore, memoryStored } from '../../support/ports/memoryStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';

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
  it('are stored with the compaction and handed back at the next', { tags: ['B18'] }, async () => {
    const { seen, act } = counter();
    const h = await open(act);
    for (let i = 0; i < 3; i++) expect(await compact(h)).toMatchObject({ kind: 'compacted' });
    expect(seen).toEqual([undefined, { count: 1 }, { count: 2 }]);
    expect(compactions(h).map(({ details }) => details)).toEqual(
      [1, 2, 3].map((count) => ({ by: ID, value: { count } })),
    );
  });

  it('are taken back by undo and brought again by redo', { tags: ['B18'] }, async () => {
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

  it('follow the branch that the session is on', { tags: ['B18'] }, async () => {
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

  it('survive a closed session', { tags: ['B18'] }, async () => {
    const { seen, act } = counter();
    const h = await open(act);
    await compact(h);
    await compact(await open(act, { resumed: h.lines }));
    expect(seen.at(-1)).toEqual({ count: 1 });
  });

  it('are found in a journal that opens from its index, and no other compaction is read for it', {
    tags: ['B18'],
  }, async () => {
    const { act } = counter();
    const h = await open(act);
    for (let i = 0; i < 4; i++) await compact(h);
    await h.compactor.undo();
    const read: number[] = [];
    const whole = memoryStored(entriesOf(h.lines));
    const stored: StoredEntries = {
      count: whole.count,
      facts: (seq) => whole.facts(seq),
      read: (seq) => {
        const entry = whole.read(seq);
        if (entry?.type === 'compaction') read.push(seq);
        return entry;
      },
    };
    const ports = { store: memoryStore(h.lines), clock: testClock(), crypto: testCrypto() };
    const { context } = Journal.resume(h.journal.snapshot(), stored, [], ports);
    read.length = 0;
    const history = { ...new HistoryView().of([], () => ({ role: 'user', kind: 'user', text: '' })) };
    const from = { context, history, nonce: 'f00d', sessionId: '', importedTo: -1, newest: () => [] };
    expect(readMemory(from, ID).details).toEqual({ count: 3 });
    expect(read.length).toBeLessThanOrEqual(1);
  });

  it('are the strategy’s own: another one neither sees nor loses them', { tags: ['B18'] }, async () => {
    const { seen, act } = counter();
    const h = await open(act);
    await compact(h);
    h.set({ strategy: 'tool-result-hiding' });
    expect(await compact(h)).toMatchObject({ kind: 'compacted' });
    h.set({ strategy: 'contributed', contributedStrategy: ID });
    await compact(h);
    expect(seen.at(-1)).toEqual({ count: 1 });
  });

  it('of an imported session are kept and not handed back', { tags: ['B18'] }, async () => {
    const { seen, act } = counter();
    const h = await open(act);
    await compact(h);
    await h.journal.append({ type: 'opened', writer: 'w', imported: true });
    await compact(h);
    await compact(h);
    expect(seen).toEqual([undefined, undefined, { count: 1 }]);
  });

  it('go with a preview that is applied', { tags: ['B18'] }, async () => {
    const { seen, act } = counter();
    const h = await open(act);
    const preview = await h.compactor.consent.preview({}, going);
    if (preview.kind !== 'preview') throw new Error(preview.kind);
    expect(compactions(h)).toEqual([]);
    await h.compactor.apply(preview);
    await compact(h);
    expect(seen.at(-1)).toEqual({ count: 1 });
  });

  it('come back also where a strategy went on without its model', { tags: ['B18'] }, async () => {
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

  it('come back as a frozen copy', { tags: ['B18'] }, async () => {
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

  it('of 64 KB are kept, and not a byte more', { tags: ['B18'] }, async () => {
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
    ['a date', { at: new Date(0) }, 'details.at is not a plain object'],
    ['a map', new Map(), 'details is not a plain object'],
    ['a circle', cyclic, 'details[0] refers to itself'],
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
  ])('that hold %s are refused, and nothing is compacted', { tags: ['B18'] }, async (_what, details, reason) => {
    const h = await open((context) => ({ messages: hideOldest(context), details }));
    expect(await compact(h)).toMatchObject({ kind: 'failed', reason: expect.stringContaining(reason) });
    expect(compactions(h)).toEqual([]);
  });

  it('are not read from a line that was changed by hand', { tags: ['B18'] }, async () => {
    const { seen, act } = counter();
    const h = await open(act);
    await compact(h);
    const [made] = compactions(h);
    for (const details of ['text', null, { by: ID }, { by: 7, value: 1 }, { by: ID, value: 'x'.repeat(99_999) }]) {
      Object.assign(made ?? {}, { details });
      await h.compactor.consent.preview({}, going);
      expect(seen.at(-1)).toBeUndefined();
    }
  });

  it('without a change make no compaction and are not kept', { tags: ['B18'] }, async () => {
    const h = await open(({ history }) => ({ messages: history, details: { kept: true } }));
    expect(await compact(h)).toMatchObject({ kind: 'none' });
    expect(compactions(h)).toEqual([]);
  });

  it('are redacted, names of fields and numbers too', { tags: ['B18'] }, async () => {
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

describe('what a strategy is told of the session', () => {
  /** The context of a compaction by hand that changes nothing. */
  const lookers = () => {
    const seen: CompactionContext[] = [];
    const act: Act = (context) => {
      seen.push(context);
      return null;
    };
    return { seen, act };
  };

  it('previousSummary is the newest summary that is in force, without its ledger', { tags: ['B18'] }, async () => {
    const { seen, act } = lookers();
    const contributed = { strategy: 'contributed', contributedStrategy: ID };
    const h = await open(act, { summaries: [{ text: 'first notes' }, { text: 'second notes' }] });
    await compact(h);
    for (let i = 0; i < 2; i++) {
      h.set({ strategy: 'llm-summary' });
      await h.add(...reads(4), user(`go on ${i}`));
      expect(await compact(h)).toMatchObject({ kind: 'compacted' });
      h.set(contributed);
      await compact(h);
    }
    await h.compactor.undo();
    await compact(h);
    expect(seen.map(({ previousSummary }) => previousSummary?.split('\n')[0])).toEqual([
      undefined,
      'first notes',
      'second notes',
      'first notes',
    ]);
  });

  it('previousSummary is whole where the summary is hidden, and no note of what was dropped', {
    tags: ['B18'],
  }, async () => {
    const notes = words(400, 'note');
    let summary: string | undefined;
    const h = await open(({ history, hide, previousSummary }) => {
      summary = previousSummary;
      const hidden = history.map((message) => (message.id.startsWith('c') ? hide(message) : message));
      return previousSummary === undefined
        ? [...history.slice(9), { role: 'user', kind: 'summary', text: notes }]
        : hidden;
    });
    for (let i = 0; i < 3; i++) await compact(h);
    expect(h.view().join()).not.toContain(notes);
    expect(summary).toBe(notes);
  });

  it('files are those of calls that succeeded, on this path, the newest last', { tags: ['B18'] }, async () => {
    const { seen, act } = lookers();
    const failed = calls(['write_file', 'no', { path: 'refused.ts' }]).map((each) =>
      each.role === 'tool' ? { ...each, isError: true } : each,
    );
    const h = await open(act, {
      history: [
        user('go'),
        calls(['read_file', 'text', { path: './a.ts' }], ['read_file', 'text', { path: 'b.ts' }]),
        calls(['edit_file', 'done', { path: 'b.ts' }], ['list_files', 'a b', { path: 'src' }]),
        failed,
        calls(['read_file', 'text', { path: 'a.ts' }]),
      ],
    });
    await h.journal.append({
      type: 'files',
      cause: 'command',
      files: [{ path: 'made.ts', before: null, restorable: true }],
    });
    await compact(h);
    const fork = h.journal.head;
    h.set({ strategy: 'llm-summary' });
    await h.add(...reads(3), user('go on'), calls(['write_file', 'ok', { path: 'left.ts' }]), user('more'));
    h.set({ strategy: 'contributed', contributedStrategy: ID });
    await compact(h);
    await h.journal.revert(fork, 'user');
    await compact(h);
    const [before, after, back] = seen.map(({ files }) => files);
    expect(before).toEqual({ read: ['b.ts', 'a.ts'], changed: ['b.ts', 'made.ts'] });
    expect(after).toEqual({ read: ['b.ts', 'a.ts'], changed: ['b.ts', 'made.ts', 'left.ts'] });
    expect(back).toEqual(before);
  });

  it('files stay known when a summary has taken their calls away', { tags: ['B18'] }, async () => {
    const { seen, act } = lookers();
    const h = await open(act, {
      history: [user('go'), calls(['read_file', words(500), { path: 'a.ts' }]), user('next'), ...reads(4)],
      summaries: [{ text: 'notes' }],
    });
    h.set({ strategy: 'llm-summary', 'verify.enabled': false });
    expect(await compact(h)).toMatchObject({ kind: 'compacted' });
    h.set({ strategy: 'contributed', contributedStrategy: ID });
    await compact(h);
    expect(JSON.stringify(seen[0]?.history)).not.toContain('a.ts');
    expect(seen[0]?.files.read).toEqual(['a.ts']);
  });

  it('sessionId is the same after a restart, another in another session, and not the name of its folder', {
    tags: ['B18'],
  }, async () => {
    const { seen, act } = lookers();
    const h = await open(act);
    await compact(h);
    await compact(await open(act, { resumed: h.lines }));
    const [first, again] = seen.map(({ sessionId }) => sessionId);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(again).toBe(first);
    expect(first).not.toContain(h.journal.session.id);
    const crypto = testCrypto();
    const idOf = (id: string, nonce: string) =>
      publicSessionId({ crypto, journal: { session: { ...h.journal.session, id, nonce } } as Journal });
    const { id, nonce } = h.journal.session;
    expect(await idOf(id, nonce)).toBe(first);
    expect(new Set([first, await idOf('another', nonce), await idOf(id, 'beef')]).size).toBe(3);
  });
});

describe('a strategy that is used no more', () => {
  const disposable = async (dispose: () => unknown) => {
    const made = { compactions: 0 };
    const factory = {
      needs: [],
      create: () => ({
        compact: async (context: CompactionContext) => {
          made.compactions++;
          return hideOldest(context);
        },
        dispose,
      }),
    } as unknown as AnyFactory;
    const entry = { id: ID, label: 'Counter', description: '', publisher: 'acme', factory };
    const registry = new StrategyRegistry();
    const registration = registry.register(entry);
    return { ...(await open(() => null, { registry })), registration, registry, entry, made };
  };

  it('is disposed of once: when another is used, when it is taken away, and with the session', {
    tags: ['B18'],
  }, async () => {
    let disposed = 0;
    const s = await disposable(() => disposed++);
    await compact(s);
    await compact(s);
    expect(disposed).toBe(0);
    s.set({ strategy: 'tool-result-hiding' });
    await compact(s);
    expect(disposed).toBe(1);
    s.set({ strategy: 'contributed', contributedStrategy: ID });
    await compact(s);
    s.registration.dispose();
    expect(disposed).toBe(2);
    s.registry.register(s.entry);
    await compact(s);
    expect(s.made.compactions).toBe(4);
    s.compactor.dispose();
    s.compactor.dispose();
    expect(disposed).toBe(3);
  });

  it('is not disposed of before its run is over', { tags: ['B18'] }, async () => {
    const order: string[] = [];
    const begun = Promise.withResolvers<void>();
    const factory = {
      needs: [],
      create: () => ({
        compact: ({ signal }: CompactionContext) => {
          signal.addEventListener('abort', () => order.push('signal'));
          begun.resolve();
          return new Promise(() => undefined);
        },
        dispose: () => order.push('dispose'),
      }),
    } as unknown as AnyFactory;
    const registry = new StrategyRegistry();
    const registration = registry.register({ id: ID, label: 'C', description: '', publisher: 'acme', factory });
    const h = await open(() => null, { registry });
    const running = compact(h);
    await begun.promise;
    registration.dispose();
    await running;
    expect(order).toEqual(['signal', 'dispose']);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
    ['rejects', () => Promise.reject(new Error('boom'))],
  ])('harms nobody when its dispose %s, and that is logged', { tags: ['B18'] }, async (_what, dispose) => {
    const s = await disposable(dispose);
    await compact(s);
    s.compactor.dispose();
    await Promise.resolve();
    await Promise.resolve();
    expect(s.logs.join()).toContain('its dispose failed: boom');
  });
});

describe('the conformance kit', () => {
  it('accepts both forms of an answer, hands details back, and takes them back on an undo', {
    tags: ['B18'],
  }, async () => {
    for (const form of ['list', 'result']) {
      const { seen, act } = counter();
      const both: Act = (context) => (form === 'list' ? hideOldest(context) : act(context));
      const report = await checkStrategy(factoryOf(both), { cases: 40 });
      expect(report).toMatchObject({ broken: [] });
      expect(report.compactions).toBeGreaterThan(0);
      if (form === 'result') expect(seen).toEqual(expect.arrayContaining([undefined, { count: 1 }, { count: 2 }]));
    }
  });

  it('names details that are no JSON', { tags: ['B18'] }, async () => {
    const report = await checkStrategy(
      factoryOf((context) => ({ messages: hideOldest(context), details: { at: new Date(0) } })),
      { cases: 3 },
    );
    expect(report.broken[0]?.rule).toContain('details.at is not a plain object');
  });
});

it('the past goes as far back as 20,000 entries, however it is read', () => {
  const entries = Array.from({ length: 20_040 }, (_, seq): TreeEntry => {
    const shared = { seq, parent: seq - 1, time: new Date(seq).toISOString() };
    return seq % 3 === 2
      ? { ...shared, type: 'usage', model: 'm', usage: { input: 1, cached: 0, output: 1, reasoning: 0 } }
      : { ...shared, type: 'message', tokens: 1, message: { role: 'user', kind: 'user', text: `${seq}` } };
  });
  const upTo = (count: number) => entries.slice(0, count).reverse();
  for (const count of [10, 19_990, 19_990, 20_003, 20_040]) {
    const past = findPast(upTo(count));
    const whole = findPast(structuredClone(upTo(count)));
    expect(past.map(({ id }) => id).join()).toBe(whole.map(({ id }) => id).join());
    expect(Number(past[0]?.text)).toBeGreaterThanOrEqual(count - 20_000);
  }
});
