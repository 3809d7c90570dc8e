import { describe, expect, it } from 'vitest';
import { ToolError } from '../../../src/core/errors.ts';
import { recall } from '../../../src/core/tools/builtIn/recall.ts';
import { RecallBudget } from '../../../src/core/tools/builtIn/recallBudget.ts';
import { calls, compactionHarness, going, type Harness, says, user, words } from '../../support/compactionHarness.ts';
import { memoryBlobs } from '../../support/ports/memoryStore.ts';
import { ScriptedModel } from '../../support/ports/scriptedModel.ts';
import { testAgent } from '../../support/testAgent.ts';

async function compacted(): Promise<Harness> {
  const h = await compactionHarness({
    history: [user('go'), calls(['read_file', `needle in ${words(300)}`]), says('one'), says('two'), says('three')],
    summaries: ['notes'],
  });
  await h.compactor.compact({ trigger: 'manual' }, going);
  return h;
}

function reader(h: Harness, tokensPerTurn = 8_000, blobs = memoryBlobs()) {
  const budget = new RecallBudget(() => tokensPerTurn);
  const ports = { blobs, session: { context: h.journal.context, recall: budget } } as never;
  const run = async (input: { id?: string; query?: string; offset?: number }) => {
    const call = await recall.prepare({ offset: 0, ...input }, ports);
    return (await call.run({ onOutput: () => undefined, signal: going })).text;
  };
  return { beginTurn: () => budget.beginTurn(), run };
}

describe('recall', () => {
  it('reads what was summarised away by its id', { tags: ['B3'] }, async () => {
    expect(await reader(await compacted()).run({ id: 'm4' })).toBe(`needle in ${words(300)}`);
  });

  it('reads on from an offset', { tags: ['B3'] }, async () => {
    expect(await reader(await compacted()).run({ id: 'm4', offset: 10 })).toBe(words(300));
  });

  it('finds words in what left, and not in what is still seen', { tags: ['B3'] }, async () => {
    const { run } = reader(await compacted());
    expect(await run({ query: 'NEEDLE' })).toMatch(/^m4 \(result of read_file\): …needle in word word/);
    expect(await run({ query: 'three' })).toMatch(/^Nothing that was compacted away contains/);
  });

  const many = async (...lines: readonly string[]) => {
    const history = [user('go'), ...lines.map((line) => calls(['run_command', line])), says('two'), says('three')];
    const h = await compactionHarness({ history, summaries: ['notes'] });
    await h.compactor.compact({ trigger: 'manual' }, going);
    return reader(h).run;
  };

  it('searches by words, in any order and not only side by side', { tags: ['B3'] }, async () => {
    const run = await many(
      `the clock is read twice in retry.test.ts ${words(100)}`,
      `the clock ${words(100)}`,
      `a retry ${words(100)}`,
    );
    expect(await run({ query: 'RETRY clock' })).toMatch(
      /^m4 \(result of run_command\): …the clock is read twice in retry\.test\.ts word[^\n]*… \(at 4\)$/,
    );
    // Where nothing has all of them, what has most is shown, and that it has not all.
    expect(await run({ query: 'clock retry (missing' })).toMatch(
      /^Nothing contains all of it; these have 2 of 3 words:\nm4 /,
    );
    expect(await run({ query: '.* nowhere' })).toMatch(/^Nothing that was compacted away contains/);
  });

  it('shows several places of a message, where each can be read on, and counts the others', {
    tags: ['B3'],
  }, async () => {
    const far = (n: number) => `${words(100)} needle ${n} `;
    const run = await many(`${far(1)}${far(2)}${far(3)}${words(100)} needle 4 and thread ${far(5)}`);
    const found = await run({ query: 'needle thread' });
    expect(found.split('\n')).toEqual([
      expect.stringMatching(/^m4 \(result of run_command\): ….*needle 1.*… \(at 500\)$/),
      expect.stringMatching(/^ {2}….*needle 2.*…/),
      expect.stringMatching(/^ {2}….*needle 4 and thread.*… \(at \d+\)$/),
      '  and 2 more places',
    ]);
    const at = Number(/thread.*\(at (\d+)\)/.exec(found)?.[1]);
    expect(await run({ id: 'm4', offset: at })).toMatch(/^needle 4 and thread/);
  });

  it('searches the whole of an output that was cut, also where the model still sees its beginning', {
    tags: ['B3'],
  }, async () => {
    const model = new ScriptedModel([
      { calls: [['run_command', { command: 'make' }]] },
      { calls: [['recall', { query: 'linker error' }]] },
      { calls: [['recall', { query: 'beginning' }]] },
      'Done.',
    ]);
    const log = `beginning\n${'compiling\n'.repeat(9_000)}error 7: the linker gave up\n${'cleaning\n'.repeat(9_000)}`;
    const { agent } = await testAgent(model.choice(100_000), { commands: { make: { output: [log] } } });
    await agent.send('build it', going);
    const [cut, found, nothing] = agent.journal.entries.flatMap((entry) =>
      entry.type === 'message' && entry.message.role === 'tool' ? [entry.message.text] : [],
    );
    expect(cut).not.toContain('linker');
    expect(found).toMatch(/\(result of run_command\): ….*error 7: the linker gave up cleaning.*… \(at \d+\)$/);
    expect(nothing).toMatch(/What you still see was not searched\.$/);
  });

  it('reads under a budget of tokens a turn', { tags: ['B3'] }, async () => {
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
  ])('refuses %j with the reason', { tags: ['B3'] }, async (input, budget, reason) => {
    const { run } = reader(await compacted(), budget);
    const refused = run(input);
    await expect(refused).rejects.toThrow(ToolError);
    await expect(refused).rejects.toThrow(reason);
  });
});
