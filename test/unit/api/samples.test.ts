/** The sample extensions, in the product's own compactor and by the conformance kit. */

import { describe, expect, it } from 'vitest';
import type { StrategyFactory, StrategyPorts } from '../../../src/api/index.ts';
import { assertConforms } from '../../../src/core/compaction/conformance/kit.ts';
import { StrategyRegistry } from '../../../src/core/compaction/hosting/registry.ts';
import type { AnyFactory } from '../../../src/core/compaction/strategies/strategyEntry.ts';
import { calls, compactionHarness, going, type Line, says, user, words } from '../../support/compactionHarness.ts';

/** They are plain JavaScript, as their authors write them. */
const sample = async (name: string, strategy: string): Promise<StrategyFactory<keyof StrategyPorts>> =>
  (await import(new URL(`../../extensions/${name}/strategy.js`, import.meta.url).href))[strategy];
const todoKeeper = await sample('todo-keeper', 'todoKeeper');
const semanticDedupe = await sample('semantic-dedupe', 'semanticDedupe');

/** What the model sees after a compaction: the beginning of each text, `…` for a stub. */
async function left(factory: StrategyFactory<keyof StrategyPorts>, history: readonly Line[]): Promise<string[]> {
  const registry = new StrategyRegistry();
  const entry = { id: 'acme.x/x', label: 'X', description: '', publisher: null };
  registry.register({ ...entry, factory: factory as unknown as AnyFactory });
  const settings = { strategy: 'contributed', contributedStrategy: entry.id };
  const h = await compactionHarness({ history, settings, registry });
  await h.compactor.compact({ trigger: 'manual' }, going);
  const texts = h.journal.context.conversation.filter(({ message }) => message.text !== '');
  return texts.map(({ hidden, message }) => (hidden ? '…' : message.text.slice(0, 6).trim()));
}

const long = (name: string) => `${name} ${words(200)}`;
const read = (path: string, name: string, more: object = {}) => calls(['read_file', long(name), { path, ...more }]);

describe('todo-keeper', () => {
  it('keeps people, edits, the newest plan and the newest groups, and hides the rest', async () => {
    const history = [
      user(long('ask 1')),
      says(`- [ ] read\n${long('plan')}`),
      read('a.ts', 'read 1'),
      calls(['edit_file', long('edit 1'), { path: 'a.ts' }]),
      says(`- [x] read\n- [ ] edit\n${long('plan')}`),
      read('a.ts', 'read 2'),
      user(long('ask 2')),
      read('b.ts', 'read 3'),
      says(long('done 1')),
      says(long('done 2')),
    ];
    const kept = ['ask 1', '…', '…', 'edit 1', '- [x]', '…', 'ask 2', 'read 3', 'done 1', 'done 2'];
    expect(await left(todoKeeper, history)).toEqual(kept);
  });

  it('knows a plan that a tool keeps, and one is enough', async () => {
    const plan = (name: string) => calls(['TodoWrite', long(name)]);
    const history = [
      user('go'),
      plan('plan 1'),
      plan('plan 2'),
      ...['a', 'b', 'c', 'd', 'e'].map((n) => says(long(n))),
    ];
    expect((await left(todoKeeper, history)).slice(0, 4)).toEqual(['go', '…', 'plan 2', '…']);
  });

  it('conforms', async () => {
    const { compactions } = await assertConforms(todoKeeper, { cases: 40, settings: { keepGroups: 2 } });
    expect(compactions).toBeGreaterThan(0);
  });
});

describe('semantic-dedupe', () => {
  it('hides a read when the same lines are read again or the file is written whole', async () => {
    const history = [
      user('go'),
      read('./a.ts', 'a old'),
      read('b.ts', 'b old'),
      read('c.ts', 'c old'),
      read('a.ts', 'a new'),
      calls(['write_file', 'ok', { path: 'b.ts', content: '' }]),
      calls(['edit_file', 'ok', { path: 'c.ts' }]),
    ];
    expect(await left(semanticDedupe, history)).toEqual(['go', '…', '…', 'c old', 'a new', 'ok', 'ok']);
  });

  it('keeps lines that no later read shows', async () => {
    const part = (first: number, last: number) =>
      calls(['read_file', `a.ts: lines ${first}-${last} of 90\n${words(200)}`, { path: 'a.ts' }]);
    const lines = (text: string) => (text === '…' ? text : 'shown');
    const shown = async (...history: Line[]) =>
      (await left(semanticDedupe, [user('go'), ...history])).slice(1).map(lines);
    expect(await shown(part(1, 40), part(20, 60))).toEqual(['shown', 'shown']);
    expect(await shown(part(20, 40), part(1, 60))).toEqual(['…', 'shown']);
    expect(await shown(part(1, 90), part(1, 60))).toEqual(['shown', 'shown']);
    const failed = read('a.ts', 'failed').map((m) => (m.role === 'tool' ? { ...m, isError: true } : m));
    expect(await shown(part(1, 60), failed)).toEqual(['shown', 'shown']);
  });

  it('takes arguments that are no JSON, or no object', async () => {
    const broken = read('a.ts', 'a').map((m) =>
      m.role === 'assistant' && m.toolCalls
        ? { ...m, toolCalls: m.toolCalls.map((call) => ({ ...call, arguments: '{"path' })) }
        : m,
    );
    const text = calls(['read_file', long('text'), 'a.ts']);
    expect(await left(semanticDedupe, [user('go'), broken, text])).toEqual(['go', 'a word', 'text w']);
  });

  it('conforms', async () => {
    const { compactions } = await assertConforms(semanticDedupe, { cases: 40 });
    expect(compactions).toBeGreaterThan(0);
  });
});
