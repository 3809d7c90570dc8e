/** The ledger through many compactions of the default strategy: commands, files, errors, requests, orders. */

import { describe, expect, it } from 'vitest';
import { factWords } from '../../../src/core/compaction/draft/ledgerLines.ts';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import { ModelError } from '../../../src/core/errors.ts';
import { inEnglish } from '../../../src/core/words.ts';
import { calls, type Line, says, user, words } from '../../support/compactionHarness.ts';
import { type GrownSession, grownSession } from '../../support/grownSession.ts';
import type { Step } from '../../support/ports/scriptedModel.ts';
import { summarySession } from '../../support/summarySession.ts';
import { windowFor } from '../../support/windowFor.ts';

const run = (command: string, text: string): Line => calls(['run_command', text, { command }]);
const change = (path: string) => calls(['edit_file', 'done', { path, old_text: 'a', new_text: 'b' }]);
const failed = (tool: string, text: string, args: object) =>
  calls([tool, text, args]).map((message) => (message.role === 'tool' ? { ...message, isError: true } : message));

const ledgerOf = (s: GrownSession) => s.view().find((text) => text.startsWith('user: Ledger (facts')) ?? '';
const lines = (s: GrownSession, start: string) =>
  ledgerOf(s)
    .split('\n')
    .filter((line) => line.startsWith(`- ${start}`));

/** Everything is summarised as nothing, so that all facts stand in the ledger. */
const forgotten = async (history: readonly Line[], settings = {}) => {
  const s = await summarySession({
    history: [user('The first task.'), says(words(82_000)), ...history, says('a'), says('b')],
    summaries: ['x'],
    settings,
  });
  await s.say();
  return s;
};

describe('commands in the ledger', () => {
  it('stand with how they ended, and of the same command the newest run counts', { tags: ['B5'] }, async () => {
    const s = await forgotten([
      run('npm test', 'exit code 1\nAssertionError: expected 3'),
      run('npm  test', 'exit code 0\nall passed'),
      run('npm run build', 'exit code 0'),
      run('npm run build', 'exit code 2\nerror TS2345: no'),
      failed('run_command', 'ended after 120 s without finishing', { command: 'npm start' }),
    ]);
    expect(lines(s, 'command')).toEqual([
      '- command stopped before its end: npm start',
      '- command failed with exit code 2: npm run build',
      '- command passed: npm test',
    ]);
  });

  it('are left out where they only looked, and where a newer run stays in the context', { tags: ['B5'] }, async () => {
    const s = await forgotten([run('ls src', 'exit code 0\na.ts'), run('cd lib && grep -n x a.ts', 'exit code 1')]);
    expect(lines(s, 'command')).toEqual([]);
    expect(lines(s, 'error')).toEqual([]);
    const newest = await forgotten([run('npm test', 'exit code 1\nError: no'), run('npm test', 'exit code 0')], {
      'llmSummary.preserveRecentMessages': 3,
    });
    expect(lines(newest, 'command')).toEqual([]);
  });

  it('an exit code tells of an error that a change of files solved', { tags: ['B5'] }, async () => {
    const s = await forgotten([
      run('npm test', 'exit code 1\nAssertionError: expected 3 to be 4'),
      change('src/clock.ts'),
      run('npm test', 'exit code 0\nall passed'),
    ]);
    expect(lines(s, 'error')).toEqual([
      '- error of run_command, which later passed, after changes to src/clock.ts: AssertionError: expected 3 to be 4',
    ]);
  });

  it('are told to a person in words', () => {
    const told = (line: string) => inEnglish(factWords(line));
    for (const line of [
      'command passed: npm test',
      'command failed with exit code 2: npm run build',
      'file deleted: a.ts',
    ])
      expect(told(line)).toBe(line);
    expect(factWords('command failed with exit code 2: npm run build')).toMatchObject([
      { values: [[{ text: 'command failed with exit code {0}', values: ['2'] }], 'npm run build'] },
    ]);
  });
});

describe('the ledger', () => {
  it('names how a file stands last', { tags: ['B5'] }, async () => {
    const s = await forgotten([change('a.ts'), change('b.ts'), calls(['delete_file', 'done', { path: 'a.ts' }])]);
    expect(lines(s, 'file')).toEqual(['- file deleted: a.ts', '- file changed: b.ts']);
  });

  it.each([
    ['delete_file', calls(['delete_file', 'done', { path: 'src/old.ts' }]), 'file deleted: src/old.ts'],
    [
      'move_file',
      calls(['move_file', 'done', { path: 'src/old.ts', to: 'src/new.ts' }]),
      'file moved: src/old.ts to src/new.ts',
    ],
    ['rm', run('rm -f src/old.ts && npm test', 'exit code 0'), 'file deleted: src/old.ts'],
    ['rm of its folder, from another one', run('cd src/.. && rm -r src', 'exit code 0'), 'file deleted: src/old.ts'],
    ['git rm', run('git rm -q src/old.ts', 'exit code 0'), 'file deleted: src/old.ts'],
    ['git mv', run('cd src && git mv old.ts new.ts', 'exit code 0'), 'file moved: src/old.ts to src/new.ts'],
    ['mv into a folder', run('mv src/old.ts lib/', 'exit code 0'), 'file moved: src/old.ts to lib/old.ts'],
    ['git checkout', run('git checkout -- src/old.ts', 'exit code 0'), 'file restored: src/old.ts'],
    ['git restore of all', run('git restore .', 'exit code 0'), 'file restored: src/old.ts'],
  ])('says that a file is gone, though words name it elsewhere: %s', { tags: ['B5'] }, async (_how, gone, line) => {
    const s = await summarySession({
      history: [
        user('The first task.'),
        says(words(82_000)),
        change('src/old.ts'),
        calls(['read_file', 'x', { path: 'src/old.ts' }]),
        gone,
        says('a'),
        says('b'),
      ],
      summaries: ['src/old.ts was looked at.'],
    });
    await s.say();
    expect(lines(s, 'file')).toEqual([`- ${line}`]);
  });

  it.each([
    ['it failed', run('rm src/old.ts', 'exit code 1')],
    ['nothing is certain before the last part', run('rm src/old.ts || true', 'exit code 0')],
    ['it is another file', run('rm old.tsx lib/old.ts', 'exit code 0')],
    ['a branch of that name', run('git checkout src/old.ts', 'exit code 0')],
    ['only the index', run('git rm --cached src/old.ts; git restore --staged src/old.ts', 'exit code 0')],
  ])('says of no file that it is gone where %s', { tags: ['B5'] }, async (_why, command) => {
    const s = await forgotten([change('src/old.ts'), command]);
    expect(lines(s, 'file')).toEqual(['- file changed: src/old.ts']);
  });

  it.each([
    ['rm -r docs', '/home/me/app/docs/a.md', 'file deleted: /home/me/app/docs/a.md'],
    ['mv docs lib', '/home/me/app/docs/a.md', 'file moved: /home/me/app/docs/a.md to /home/me/app/lib/a.md'],
    ['/bin/rm -f docs/a.md', 'docs/a.md', 'file deleted: docs/a.md'],
    ['mv docs/a.md .', 'docs/a.md', 'file moved: docs/a.md to a.md'],
    ['mv docs/a.md src', 'docs/a.md', 'file moved: docs/a.md to src/a.md'],
    ['git checkout HEAD~1 docs/a.md', 'docs/a.md', 'file restored: docs/a.md'],
    ['git stash', 'docs/a.md', 'file restored: docs/a.md'],
    ['Remove-Item -Recurse docs', 'docs/a.md', 'file deleted: docs/a.md'],
  ])('names what became of files by their folders and in more ways: %s', { tags: ['B5'] }, async (how, path, line) => {
    const other = path.startsWith('/') ? '/home/me/app/src/b.ts' : 'src/b.ts';
    const s = await forgotten([change(other), change(path), run(how, 'exit code 0')]);
    expect(lines(s, 'file')).toContain(`- ${line}`);
  });

  it.each([
    ['a folder of that name elsewhere', ['rm -rf docs'], ['/home/me/app/README.md', '/home/me/app/src/docs/a.md']],
    ['a folder to move into that is named first', ['mv -t src docs/a.md'], ['src/b.ts', 'docs/a.md']],
    ['changes that came back', ['git stash', 'git stash pop'], ['src/b.ts', 'docs/a.md']],
    ['a stash that is only looked at', ['git stash list'], ['src/b.ts', 'docs/a.md']],
  ])('says nothing of %s', { tags: ['B5'] }, async (_what, commands, paths) => {
    const s = await forgotten([...paths.map(change), ...commands.map((each) => run(each, 'exit code 0'))]);
    expect(lines(s, 'file').toSorted()).toEqual(paths.map((path) => `- file changed: ${path}`).toSorted());
  });

  it('says of a file that was written again that it is there', { tags: ['B5'] }, async () => {
    const s = await forgotten([change('src/old.ts'), run('rm src/old.ts', 'exit code 0'), change('src/old.ts')]);
    expect(lines(s, 'file')).toEqual(['- file changed: src/old.ts']);
  });

  it('names the files that changed before an error passed only where they are few', { tags: ['B5'] }, async () => {
    const broken = run('npm test', 'exit code 1\nTypeError: no fox');
    const mended = (count: number) => [
      broken,
      ...Array.from({ length: count }, (_, i) => change(`src/part${i}.ts`)),
      run('npm test', 'exit code 0'),
    ];
    const label = async (count: number) => lines(await forgotten(mended(count)), 'error');
    expect(await label(0)).toEqual(['- error of run_command, which later passed: TypeError: no fox']);
    expect(await label(3)).toEqual([
      '- error of run_command, which later passed, after changes to src/part0.ts, src/part1.ts, src/part2.ts: TypeError: no fox',
    ]);
    expect(await label(4)).toEqual(['- error of run_command, which later passed: TypeError: no fox']);
  });

  it('says how a command in the background ended, as the program says it between messages', {
    tags: ['B5'],
  }, async () => {
    const started = (id: string) =>
      calls([
        'Bash',
        `Command running in background with ID: ${id}. Output is being written to: /tmp/x`,
        { command: `npm run ${id}` },
      ]);
    const notice = (id: string, status: string, summary: string) =>
      user(
        `<task-notification>\n<task-id>${id}</task-id>\n<status>${status}</status>\n<summary>${summary}</summary>\n</task-notification>`,
      );
    const s = await forgotten([
      started('build'),
      started('check'),
      started('serve'),
      started('watch'),
      notice('build', 'completed', 'Background command "Build" completed (exit code 0)'),
      notice('check', 'failed', 'Background command "Check" failed with exit code 2'),
      notice('serve', 'killed', 'Background command "Serve" was stopped'),
    ]);
    expect(lines(s, 'command')).toEqual([
      '- command running when last seen, as watch: npm run watch',
      '- command stopped before its end: npm run serve',
      '- command failed with exit code 2: npm run check',
      '- command passed: npm run build',
    ]);
  });

  it('a session of twenty requests leaves room for files, errors, commands, handles and the todo list', {
    tags: ['B5'],
  }, async () => {
    const requests = Array.from({ length: 20 }, (_, i) => [
      user(`Request ${i}: ${words(80, `wish${i}`)}`),
      says('Yes.'),
    ]);
    const s = await forgotten([
      change('src/one.ts'),
      run('npm test', 'exit code 1\nTypeError: nothing'),
      calls(['todo_write', 'ok', { items: ['streams'] }]),
      calls(['read_file', words(20), { path: 'src/read.ts' }]).map((message) =>
        message.role === 'tool'
          ? {
              ...message,
              truncation: { by: 'formatter', direction: 'head', originalLines: 9, originalBytes: 99 } as const,
            }
          : message,
      ),
      ...requests.flat(),
    ]);
    const kinds = [
      'asked: The first task.',
      'asked: Request 18',
      'file changed: src/one.ts',
      'error of run_command',
      'command failed',
      'todo list',
      'can be recalled',
      'file read: src/read.ts',
    ];
    expect(kinds.filter((kind) => lines(s, kind).length === 0)).toEqual([]);
    expect(lines(s, 'asked').length).toBeGreaterThan(3);
  });

  it('gets back what one summary still said and the next one forgot', { tags: ['B5'] }, async () => {
    const history = [
      user('The first task.'),
      says(words(300)),
      change('src/deep/one.ts'),
      run('npm test', 'exit code 0'),
      says('a'),
      says('b'),
    ];
    const summaries = ['The first task. src/deep/one.ts was changed.', 'Nothing much.'];
    const s = await summarySession({ history, summaries });
    const compact = () => s.agent.compactor.compact({ trigger: 'manual' }, new AbortController().signal);
    await compact();
    expect(s.compactions()).toHaveLength(1);
    expect(lines(s, 'file changed')).toEqual([]);
    await s.add(user('more'), says(words(300)), says('c'), says('d'));
    await compact();
    expect(lines(s, 'file changed')).toEqual(['- file changed: src/deep/one.ts']);
    expect(lines(s, 'command')).toEqual(['- command passed: npm test']);
  });
});

describe('through ten compactions of the default strategy', () => {
  const ORDERS = ['Never touch the lexer.', 'Always run the linter before you finish.', 'Do not add dependencies.'];
  const FACTS = [
    'file changed: src/deep/one.ts',
    'file deleted: src/deep/old.ts',
    'command passed: npm run build --workspace parser',
    'command failed with exit code 3: make check-all',
    'error of run_command, which later passed, after changes to src/deep/clock.ts: AssertionError: expected 3 to be 4 (E4711)',
    'todo list: [open] port the streams',
  ];
  const todos = { todos: [{ text: 'port the streams', state: 'open' }] };
  const begin: readonly Line[] = [
    user(`Build the parser. ${ORDERS.join(' ')}`),
    change('src/deep/one.ts'),
    calls(['delete_file', 'done', { path: 'src/deep/old.ts' }]),
    run('npm run build --workspace parser', 'exit code 0'),
    run('make check-all', 'exit code 3\nnothing to say'),
    run('npm test -- clock', 'exit code 1\nAssertionError: expected 3 to be 4 (E4711)'),
    change('src/deep/clock.ts'),
    run('npm test -- clock', 'exit code 0'),
    calls(['write_todos', 'ok', todos]),
  ];
  const filler = (n: number) =>
    Array.from({ length: 140 }, (_, i) => `  const made${n}x${i} = compute${n}(input${i}); // step ${i}`).join('\n');

  it.each([
    ['without a model', {}],
    ['with a summary that forgets everything', { 'layered.summary': true }],
  ])('every order and every fact of the beginning is there: %s', { tags: ['B5', 'B14'] }, async (_how, own) => {
    const s = await grownSession({
      window: 20_000,
      history: begin,
      settings: { 'layered.summary': false, ...own },
      summaries: Array(60).fill('Nothing much.'),
    });
    for (let round = 0; s.compactions().length < 10; round++) {
      expect(round).toBeLessThan(60);
      await s.add(
        user(`Part ${round}.`),
        calls(['read_file', filler(round), { path: `src/part${round}.ts` }]),
        says('Read.'),
      );
      await s.say();
      const view = [...s.view(), ...(s.turns.requests.at(-1)?.messages ?? []).map(({ text }) => text)].join('\n');
      for (const order of ORDERS) expect(view).toContain(order);
    }
    expect(s.compactions().map(({ strategy }) => strategy)).toEqual(Array(10).fill('layered'));
    const view = s.agent.journal.context.conversation
      .map(({ message }) =>
        [
          message.text,
          ...(message.role === 'assistant' ? (message.toolCalls ?? []) : []).map((call) => call.arguments),
        ].join(' '),
      )
      .join('\n');
    const missing = FACTS.filter((fact) => !view.includes(fact));
    // What is not in the ledger stands in the context otherwise.
    expect(missing.filter((fact) => !view.includes(fact.slice(fact.indexOf(': ') + 2)))).toEqual([]);
    expect(missing.filter((fact) => fact.startsWith('command'))).toEqual([]);
  });
});

/** Nothing is set but the strategy; sixty requests of the product's agent, each of which changes a file. */
describe.each(BUILT_IN_STRATEGIES.map(({ id }) => id))('the ledger of %s', { tags: ['B5', 'long'] }, (strategy) => {
  const error = new ModelError('auth', 'The key was refused.');
  const worked = (i: number, tokens: number): Line[] => [
    user(`step ${i}`),
    calls(['edit_file', 'done', { path: `src/part${i}.ts`, old_text: words(tokens, 'before'), new_text: 'after' }]),
    says(`Step ${i} is done. ${words(20)}`),
  ];
  /** `room`: tokens of conversation beside the header. */
  const grow = async (room: number, tokens: number, summaries: readonly Step[]) => {
    const s = await grownSession({
      window: await windowFor(room),
      summaries,
      settings: { strategy },
      history: [user('The first task: port the parser.'), says('ok')],
      answers: Array<string>(200).fill('ok'),
      consent: Array(200).fill('compact'),
    });
    const added: (readonly string[])[] = [];
    let without = 0;
    for (let i = 1; i <= 60; i++) {
      await s.add(...worked(i, tokens));
      const before = s.compactions().length;
      await s.say('on');
      for (const { plan, verification } of s.compactions().slice(before)) {
        if (!plan.some(({ op }) => op === 'drop')) continue;
        // Where messages leave, what they say and nothing else does must be said, which may be nothing.
        if (verification) added.push(verification.added);
        else without++;
      }
    }
    return { s, added, without };
  };
  /** The numbers in the lines of one kind, in their order. */
  const numbers = (lines: readonly string[], kind: RegExp) =>
    lines.flatMap((line) => kind.exec(line)?.slice(1, 2) ?? []).map(Number);
  const shownBy = (s: GrownSession) =>
    s.agent.journal.context.conversation
      .map(
        ({ message }) => `${message.text} ${JSON.stringify((message.role === 'assistant' && message.toolCalls) || '')}`,
      )
      .join('\n');

  it.each([
    ['with summaries that say nothing', 14_100, 900, Array<Step>(400).fill('x')],
    ['with a model that fails', 14_100, 900, Array<Step>(400).fill({ error })],
    ['with a model that fails, in a small window', 4_100, 150, Array<Step>(400).fill({ error })],
    ['with a model that fails, in a window for hardly more than the header', 100, 80, Array<Step>(400).fill({ error })],
  ])('has the newest first and the first task always: %s', async (_how, room, tokens, summaries) => {
    const { s, added, without } = await grow(room, tokens, summaries);
    expect(s.compactions().length).toBeGreaterThan(2);
    for (const lines of added) {
      for (const kind of [/^asked: step (\d+)$/, /^file changed: src\/part(\d+)\.ts$/]) {
        const found = numbers(lines, kind);
        expect(found).toEqual(found.toSorted((a, b) => b - a));
      }
    }
    const shown = shownBy(s);
    expect(shown).toContain('The first task: port the parser.');
    // Nothing newer than the newest that the ledger names is lost.
    const named = numbers(added.at(-1) ?? [], /^file changed: src\/part(\d+)\.ts$/);
    const gone = Array.from({ length: 60 }, (_, i) => i + 1).filter((i) => !shown.includes(`src/part${i}.ts`));
    expect(Math.max(0, ...gone)).toBeLessThan(Math.min(61, ...named));
    expect(without).toBe(0);
  });
});
