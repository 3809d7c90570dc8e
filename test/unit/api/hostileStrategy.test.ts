import { describe, expect, it } from 'vitest';
import type { CompactionContext, ContextMessage, StrategyPorts } from '../../../src/api/index.ts';
import { StrategyRegistry } from '../../../src/core/compaction/hosting/registry.ts';
import type { StrategyCall } from '../../../src/core/compaction/hosting/strategyCall.ts';
import { StrategyHost } from '../../../src/core/compaction/hosting/strategyHost.ts';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import type { AnyFactory, StrategyEntry } from '../../../src/core/compaction/strategies/strategyEntry.ts';
import { calls, compactionHarness, going, type Harness, says, user, words } from '../../support/compactionHarness.ts';

const ID = 'mallory.tools/strategy';
const OTHER = 'acme.tools/strategy';

type Ports = Partial<StrategyPorts>;
type Compact = (context: CompactionContext, ports: Ports) => unknown;
type Hostile = { readonly compact: Compact; readonly needs?: unknown };

const history = [
  user('do the thing'),
  calls(['read_file', words(300)], ['read_file', words(300)]),
  says('half way'),
  user('and now this'),
  says('done'),
];

function entry(id: string, { compact, needs = [] }: Hostile) {
  const create = (ports: Ports) => ({ compact: (context: CompactionContext) => compact(context, ports) });
  const factory = Object.defineProperty({ create }, 'needs', {
    get: typeof needs === 'function' ? (needs as () => unknown) : () => needs,
  });
  return { id, label: 'L', description: '', publisher: 'p', factory: factory as unknown as AnyFactory };
}

async function open(hostile: Hostile, other: Hostile = { compact: () => null }): Promise<Harness> {
  return compactionHarness({
    history,
    registry: new StrategyRegistry([...BUILT_IN_STRATEGIES, entry(ID, hostile), entry(OTHER, other)]),
    settings: { strategy: 'contributed', contributedStrategy: ID },
    summaries: ['an answer'],
  });
}

const byHand = (h: Harness) => h.compactor.compact({ trigger: 'manual' }, going);

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const trap = (): never => {
  throw new Error('trap');
};
const throwing = (value: unknown): Compact => {
  return () => {
    throw value;
  };
};
const withCalls = (history: readonly ContextMessage[], toolCalls: unknown) =>
  history.map((message) =>
    message.role === 'assistant' && message.toolCalls.length ? { ...message, toolCalls } : message,
  );

const contained: [string, Compact, RegExp][] = [
  ['throws a revoked proxy', throwing(revoked()), /it threw an error: /],
  ['throws what has no text', throwing({ toString: trap }), /it threw an error: /],
  ['throws an object without prototype', throwing(Object.create(null)), /it threw an error: /],
  ['throws a symbol', throwing(Symbol('s')), /it threw an error: Symbol\(s\)/],
  [
    'throws an error whose message is no text',
    throwing(Object.assign(new Error(), { message: 7 })),
    /it threw an error: 7/,
  ],
  [
    'throws an error whose message throws',
    throwing(Object.defineProperty(new Error(), 'message', { get: trap })),
    /it threw an error: /,
  ],
  [
    'throws an error with a name that throws',
    throwing(Object.defineProperty(new Error('x'), 'name', { get: trap })),
    /it threw an error/,
  ],
  ['throws a novel', throwing(new Error('x'.repeat(1e6))), /^.{0,600}$/s],
  ['returns a revoked proxy', () => revoked(), /it threw an error: .*revoked/],
  ['returns a list with a revoked proxy in it', ({ history }) => [revoked(), ...history], /could not be read/],
  [
    'has getters that throw what has no text',
    () => [Object.defineProperty({}, 'id', { get: throwing({ toString: trap }) as () => unknown })],
    /could not be read/,
  ],
  [
    'has getters that throw a novel',
    () => [Object.defineProperty({}, 'id', { get: throwing(new Error('x'.repeat(1e6))) as () => unknown })],
    /^.{0,600}$/s,
  ],
  [
    'is a thenable whose then throws',
    () => Object.defineProperty({}, 'then', { get: trap }),
    /it threw an error: trap/,
  ],
  [
    'gives a list of calls with a map of its own',
    ({ history }) => {
      const own = history[1]?.role === 'assistant' ? history[1].toolCalls : [];
      const forged = { every: () => true, some: () => true, entries: () => [][Symbol.iterator]() };
      return withCalls(history, Object.assign([...own], { map: () => forged }));
    },
    /nothing/,
  ],
  [
    'gives calls whose arguments are no text',
    ({ history }) => {
      const own = history[1]?.role === 'assistant' ? history[1].toolCalls : [];
      return withCalls(
        history,
        own.map((call) => ({ ...call, arguments: { toString: () => '{}' } })),
      );
    },
    /other tool calls/,
  ],
  [
    'makes one text a giant',
    ({ history }) => history.map((m) => (m.role === 'tool' ? { ...m, text: 'x'.repeat(9e6) } : m)),
    /more than/,
  ],
  [
    'changes its ports',
    (_context, ports) => {
      (ports as { log: unknown }).log = trap;
    },
    /extensible|read only|only a getter/,
  ],
  [
    'changes its model',
    ({ llm }) => {
      (llm as { complete: unknown }).complete = trap;
    },
    /read only|Cannot assign/,
  ],
  [
    'gives its list another prototype',
    ({ history }) => Object.setPrototypeOf([...history].slice(1, 2), null),
    /lost its|could not be read/,
  ],
];

describe('a hostile strategy', () => {
  it.each(contained)(
    '%s: contained, and the context is as before',
    { tags: ['B7'] },
    async (_name, compact, reason) => {
      const h = await open({ compact });
      const before = JSON.stringify(h.journal.context.conversation);
      const outcome = await byHand(h);
      expect(outcome).toMatchObject({
        kind: expect.stringMatching(/failed|none/),
        reason: expect.stringMatching(reason),
      });
      // Nothing else of the answer is passed on: for an automatic one, when it is tried again.
      expect(Object.keys(outcome).filter((key) => key !== 'retry')).toEqual(['kind', 'reason']);
      expect(JSON.stringify(h.journal.context.conversation)).toBe(before);
    },
  );

  it.each(contained)('%s: in a turn the ladder makes the room', { tags: ['B7'] }, async (_name, compact) => {
    const h = await open({ compact });
    await h.add(user('on'), ...Array.from({ length: 8 }, () => calls(['read_file', words(1_000)])));
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'compacted' });
    expect(h.compactor.gauge.reading.tokens).toBeLessThan(8_000);
  });

  it.each([
    ['throws at the second look', 2, 'none'],
    // The default takes its place.
    ['throws at once', 1, 'compacted'],
  ])('a list of needs that %s is read once', { tags: ['B7'] }, async (_name, at, kind) => {
    let looks = 0;
    const needs = () => {
      if (++looks === at) trap();
      return ['log'];
    };
    const h = await open({ compact: () => null, needs });
    expect((await byHand(h)).kind).toBe(kind);
    expect(looks).toBe(1);
  });

  it('logs at its own levels only, whatever it names', { tags: ['B7'] }, async () => {
    const h = await open({
      needs: ['log'],
      compact: (_context, { log }) => {
        for (const level of ['dispose', 'clear', 'error', '__proto__', { toString: trap }]) log?.(level as 'info', 'x');
        return null;
      },
    });
    await byHand(h);
    const own = h.logs.filter((line) => line.includes(ID) && line.endsWith(': x'));
    expect(own).toEqual(Array.from({ length: 5 }, () => `info ${ID}: x`));
  });

  it('cannot ask the model while the strategy after it runs', { tags: ['B7'] }, async () => {
    const kept: { ports?: Ports } = {};
    const answers: unknown[] = [];
    const h = await open(
      {
        needs: ['llm', 'settings'],
        compact: (_context, ports) => {
          kept.ports = ports;
          return null;
        },
      },
      {
        compact: async () => {
          const asked = kept.ports?.llm?.complete({ prompt: 'spend' });
          answers.push(await asked?.catch((thrown: Error) => thrown.message), kept.ports?.llm?.maxInputTokens);
          return null;
        },
        needs: ['llm', 'settings'],
      },
    );
    await byHand(h);
    h.set({ strategy: 'contributed', contributedStrategy: OTHER });
    await byHand(h);
    expect(answers).toEqual(['No compaction is running.', 0]);
    expect(h.model.requests).toEqual([]);
  });

  it('reads no settings of the strategy after it', { tags: ['B7'] }, async () => {
    const kept: Ports[] = [];
    const keeping = (id: string) => {
      const made = entry(id, { compact: () => null });
      const create = (ports: Ports) => {
        kept.push(ports);
        return made.factory.create(ports as StrategyPorts);
      };
      return { ...made, factory: { needs: ['settings'], create } as unknown as AnyFactory };
    };
    const host = new StrategyHost(() => undefined);
    const [first, second] = [keeping(ID), keeping(OTHER)];
    const read = () => kept.map((ports) => ports.settings?.());
    const run = (strategy: StrategyEntry, section: object) =>
      host.run(strategy, { section } as StrategyCall, async () => read());
    expect(await run(first, { words: 1 })).toEqual([{ words: 1 }]);
    expect(await run(second, { secret: 2 })).toEqual([{}, { secret: 2 }]);
  });

  it.each([
    ['a prompt that is no text', { prompt: { toString: trap } }],
    ['a system prompt that is no text', { prompt: 'x', system: ['y'] }],
    ['no request', undefined],
  ])('asks its model with %s: refused, and the model is not blamed', { tags: ['B7'] }, async (_name, request) => {
    const h = await open({
      needs: ['llm'],
      compact: ({ llm }) => llm.complete(request as unknown as { prompt: string }),
    });
    await byHand(h);
    await byHand(h);
    expect(h.model.requests).toEqual([]);
    expect(h.journal.entries.findLast(({ type }) => type === 'compactionFailed')).toMatchObject({
      reason: expect.stringMatching(/text/),
    });
  });

  it('limits of output that are no numbers are not sent', { tags: ['B7'] }, async () => {
    const h = await open({
      needs: ['llm'],
      compact: async ({ llm }) => {
        await llm.complete({ prompt: 'x', maxOutputTokens: Number.NaN });
        return null;
      },
    });
    await byHand(h);
    expect(h.model.requests[0]?.maxOutputTokens).toBeGreaterThan(0);
  });

  it('reports progress as a share, whatever it gives', { tags: ['B7'] }, async () => {
    const h = await open({
      compact: ({ report }) => {
        for (const share of [7, -1, Number.NaN, '0.5', trap]) report('at it', share as number);
        return null;
      },
    });
    await byHand(h);
    expect(h.fractions.slice(-5)).toEqual([1, 0, null, null, null]);
  });

  it('calls in from its own compaction: the second one is refused, the first goes on', { tags: ['B7'] }, async () => {
    const inner: unknown[] = [];
    const h: Harness = await open({
      compact: async () => {
        inner.push(await byHand(h), await h.compactor.undo());
        return null;
      },
    });
    expect((await byHand(h)).kind).toBe('none');
    expect(inner).toEqual([{ kind: 'none', reason: 'A compaction is already running.' }, false]);
  });
});
