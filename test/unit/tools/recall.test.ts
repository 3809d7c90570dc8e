import { describe, expect, it } from 'vitest';
import { ToolError } from '../../../src/core/errors.ts';
import { recall } from '../../../src/core/tools/builtIn/recall.ts';
import { RecallBudget } from '../../../src/core/tools/recallBudget.ts';
import { calls, compactionHarness, going, type Harness, says, user, words } from '../../support/compactionHarness.ts';
import { memoryBlobs } from '../../support/ports/memoryStore.ts';

async function compacted(): Promise<Harness> {
  const h = await compactionHarness({
    history: [user('go'), calls(['read_file', `needle in ${words(300)}`]), says('one'), says('two'), says('three')],
    summaries: ['notes'],
  });
  await h.compactor.compact({ trigger: 'manual' }, going);
  return h;
}

function reader(h: Harness, tokensPerTurn = 8_000) {
  const budget = new RecallBudget(() => tokensPerTurn);
  const ports = { blobs: memoryBlobs(), session: { context: h.journal.context, recall: budget } } as never;
  const run = async (input: { id?: string; query?: string; offset?: number }) => {
    const call = await recall.prepare({ offset: 0, ...input }, ports);
    return (await call.run({ onOutput: () => undefined, signal: going })).text;
  };
  return { beginTurn: () => budget.beginTurn(), run };
}

describe('recall', () => {
  it('B3: reads what was summarised away by its id', async () => {
    expect(await reader(await compacted()).run({ id: 'm4' })).toBe(`needle in ${words(300)}`);
  });

  it('B3: reads on from an offset', async () => {
    expect(await reader(await compacted()).run({ id: 'm4', offset: 10 })).toBe(words(300));
  });

  it('B3: finds words in what left, and not in what is still seen', async () => {
    const { run } = reader(await compacted());
    expect(await run({ query: 'NEEDLE' })).toMatch(/^m4 \(result of read_file\): …needle in word word/);
    expect(await run({ query: 'three' })).toMatch(/^Nothing that was compacted away contains/);
  });

  it('B3: reads under a budget of tokens a turn', async () => {
    const { run, beginTurn } = reader(await compacted(), 100);
    expect(await run({ id: 'm4' })).toMatch(
      /^needle in[\s\S]*\(\d+ of 1509 characters read; the budget of this turn ends here\.\)$/,
    );
    await expect(run({ id: 'm4' })).rejects.toThrow(/budget of this turn is used up/);
    beginTurn();
    expect(await run({ id: 'm5' })).toBe('one');
  });

  it.each([
    [{}, 8_000, /either an id or a query/],
    [{ id: 'm1', query: 'x' }, 8_000, /either an id or a query/],
    [{ id: 'm99' }, 8_000, /no message m99/],
    [{ id: 'm4' }, 0, /switched off/],
    [{ query: '  ' }, 8_000, /query is empty/],
  ])('B3: refuses %j with the reason', async (input, budget, reason) => {
    const { run } = reader(await compacted(), budget);
    const refused = run(input);
    await expect(refused).rejects.toThrow(ToolError);
    await expect(refused).rejects.toThrow(reason);
  });
});
