import { describe, expect, it } from 'vitest';
import type { CompactionContext, StrategyPorts } from '../../../src/api/index.ts';
import { StrategyRegistry } from '../../../src/core/compaction/hosting/registry.ts';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import type { AnyFactory } from '../../../src/core/compaction/strategies/strategyEntry.ts';
import { calls, compactionHarness, going, says, user, words } from '../../support/compactionHarness.ts';

const history = [user('first'), ...[1, 2, 3].map(() => calls(['read_file', words(100)])), user('second'), says('done')];

/** Runs a strategy that only looks, and gives what it saw. */
async function look(needs: readonly (keyof StrategyPorts)[], settings: Readonly<Record<string, unknown>> = {}) {
  const seen: { ports?: Partial<StrategyPorts>; context?: CompactionContext } = {};
  const factory = {
    needs,
    create: (ports: Partial<StrategyPorts>) => {
      seen.ports = ports;
      return {
        compact: async (context: CompactionContext) => {
          seen.context = context;
          return null;
        },
      };
    },
  } as unknown as AnyFactory;
  const entry = { id: 'a.b/c', label: 'C', description: '', publisher: 'a', factory };
  const h = await compactionHarness({
    history,
    registry: new StrategyRegistry([...BUILT_IN_STRATEGIES, entry]),
    settings: { strategy: 'contributed', contributedStrategy: 'a.b/c', ...settings },
  });
  const outcome = await h.compactor.compact({ trigger: 'manual', instructions: 'mind the tests' }, going);
  return { ...seen, h, outcome };
}

describe('a strategy', () => {
  it('gets the ports it needs, by name, and no others', { tags: ['K4'] }, async () => {
    expect(Object.keys((await look([])).ports ?? {})).toEqual([]);
    expect(Object.keys((await look(['log', 'countTokens'])).ports ?? {})).toEqual(['log', 'countTokens']);
  });

  it('a port that does not exist is named, and the default takes its place at once', {
    tags: ['K3', 'K4'],
  }, async () => {
    const { h, outcome } = await look(['shell' as 'log']);
    expect(outcome).toMatchObject({ entry: { strategy: 'layered' } });
    expect(h.journal.entries.filter(({ type }) => type === 'note')).toMatchObject([
      { level: 'warning', text: expect.stringContaining('it needs shell, which is not a port') },
    ]);
  });

  it('logs under its own name', { tags: ['K4'] }, async () => {
    const { ports, h } = await look(['log']);
    ports?.log?.('info', 'hello');
    expect(h.logs.at(-1)).toBe('info a.b/c: hello');
  });

  it('is told history, tokens, window, reserve, target, attempt, trigger and instructions', {
    tags: ['K1'],
  }, async () => {
    const { context, h } = await look([]);
    expect(context).toMatchObject({
      tokenCount: h.compactor.gauge.reading.tokens,
      maxContextSize: 10_000,
      reservedContextSize: 2_000,
      attempt: 1,
      trigger: 'manual',
      instructions: 'mind the tests',
    });
    const total = context?.history.reduce((sum, message) => sum + message.tokens, 0) ?? 0;
    expect(context?.targetTokens).toBe(Math.floor(total / 2));
    expect(context?.history.map(({ role, block, round }) => [role, block, round])).toEqual([
      ['user', 1, 1],
      ['assistant', 2, 1],
      ['tool', 2, 1],
      ['assistant', 3, 1],
      ['tool', 3, 1],
      ['assistant', 4, 1],
      ['tool', 4, 1],
      ['user', 5, 2],
      ['assistant', 6, 2],
    ]);
    expect(context?.history.map((message) => message.protected)).toEqual([...Array(7).fill(false), true, false]);
  });

  it('null changes nothing and leaves no entry', { tags: ['K1'] }, async () => {
    const { h, outcome } = await look([]);
    expect(outcome).toEqual({ kind: 'none', reason: 'The strategy found nothing to compact.', retry: 'nextTurn' });
    expect(h.journal.entries.some(({ type }) => type.startsWith('compaction'))).toBe(false);
  });

  it('everything it is given is frozen, to the last call', { tags: ['K1'] }, async () => {
    const { context } = await look([]);
    const [, call] = context?.history ?? [];
    if (call?.role !== 'assistant') throw new Error('no call');
    const parts = [context, context?.history, call, call.toolCalls, call.toolCalls[0], context?.llm];
    expect(parts.map((part) => Object.isFrozen(part))).toEqual([true, true, true, true, true, true]);
  });

  it('protected are pins, the latest user message, and reasoning in an open loop', { tags: ['C8', 'B4'] }, async () => {
    const h = await compactionHarness({ history: [user('go'), says('a')] });
    const reasoned = calls(['read_file', 'r']).map((m) =>
      m.role === 'assistant' ? { ...m, reasoning: { field: 'reasoning', text: 'hm' } } : m,
    );
    await h.add(reasoned, ...[calls(['read_file', 'r'])]);
    const { protectedIds } = await import('../../../src/core/context/item.ts');
    expect([...protectedIds(h.journal.context.conversation)]).toEqual(['m2', 'm4', 'm5']);
    await h.add(says('the answer ends the loop'));
    await h.journal.append({ type: 'pinned', ids: ['m3'] });
    expect([...protectedIds(h.journal.context.conversation)].sort()).toEqual(['m2', 'm3']);
  });
});
