import { describe, expect, it } from 'vitest';
import { StrategyRegistry } from '../../../../src/core/compaction/hosting/registry.ts';
import { writeNotes } from '../../../../src/core/compaction/strategies/layered/notes.ts';
import { SessionIndex } from '../../../../src/core/compaction/strategies/layered/sessionIndex.ts';
import { ModelError } from '../../../../src/core/errors.ts';
import { keptLines } from '../../../../src/core/transcript/eventRow.ts';
import { inEnglish } from '../../../../src/core/words.ts';
import { generateCodingSession } from '../../../../src/lab/generateCodingSession.ts';
import { readFigures } from '../../../../src/lab/makeReport.ts';
import { prepareSession } from '../../../../src/lab/prepareSession.ts';
import { type LabScore, runSession } from '../../../../src/lab/replay.ts';
import { systemTimers } from '../../../../src/providers/timers.ts';
import { calls, type Line, says, user } from '../../../support/compactionHarness.ts';
import { type GrownSession, grownSession } from '../../../support/grownSession.ts';
import { testCrypto } from '../../../support/ports/nodeCrypto.ts';
import type { Step } from '../../../support/ports/scriptedModel.ts';

const WINDOW = 20_000;

/** A file of made-up code: each line has a name of its own. */
const code = (name: string, lines: number) =>
  Array.from(
    { length: lines },
    (_, i) => `  const ${name}Value${i} = compute(${name}Input${i}); // step ${i} of it`,
  ).join('\n');

const read = (name: string, lines = 220) => calls(['read_file', code(name, lines), { path: `src/${name}.ts` }]);
const edit = (name: string) =>
  calls([
    'edit_file',
    'Changed.',
    {
      path: `src/${name}.ts`,
      old_text: `const ${name}Value7 = compute(${name}Input7);`,
      new_text: `const ${name}Answer = 42;`,
    },
  ]);

const grow = (history: readonly Line[], settings: Readonly<Record<string, unknown>> = {}, more = {}) =>
  grownSession({
    window: WINDOW,
    history,
    settings: { strategy: 'layered', 'layered.summary': false, ...settings },
    ...more,
  });

const names = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta'];

describe('layered', () => {
  it('keeps what the person wrote, names each changed file, and leaves the newest part alone', async () => {
    const said = ['Add a cache to the parser.', 'Never touch the lexer.', 'Now the tests.'];
    const s = await grow([
      user(said[0] ?? ''),
      ...names.slice(0, 3).map((name) => read(name)),
      edit('alpha'),
      user(said[1] ?? ''),
      ...names.slice(3).map((name) => read(name)),
      user(said[2] ?? ''),
      says('I will write them now.'),
    ]);
    await s.say('Go on.');
    expect(s.compactions()).toMatchObject([{ strategy: 'layered' }]);
    const view = s.view();
    for (const text of said) expect(view).toContainEqual(expect.stringContaining(text));
    expect(view.join('\n')).toContain('src/alpha.ts');
    expect(view).toContainEqual(expect.stringContaining('I will write them now.'));
    expect(s.summariser.requests).toEqual([]);
  });

  it('keeps original lines under the file that they come from, with its handle', async () => {
    const s = await grow([
      user('Go.'),
      ...names.map((name) => read(name)),
      says(`Next I change alphaValue7.`),
      says('So.'),
    ]);
    await s.say();
    const notes = s.view().find((text) => text.includes('Kept lines of earlier work'));
    expect(notes).toMatch(/^# src\/alpha\.ts \[id m\d+\]$/m);
    const originals = new Set(
      names.flatMap((name) =>
        code(name, 220)
          .split('\n')
          .map((line) => line.trim()),
      ),
    );
    const kept = (notes ?? '').split('\n').filter((line) => line.startsWith('const '));
    expect(kept.length).toBeGreaterThan(3);
    for (const line of kept) expect(originals).toContain(line);
  });

  it('keeps nothing of what a later read of the same lines gives again, and no line that an edit took out', async () => {
    const lines = (word: string) =>
      Array.from(
        { length: 60 },
        (_, i) => `${i + 1}→  const ${word}${i} = make${word}(${i}); // ${word} of step ${i}`,
      ).join('\n');
    const reading = (word: string, range: object) =>
      calls(['read_file', lines(word), { path: 'src/alpha.ts', ...range }]);
    const out = 'const newName7 = makenewName(7); // newName of step 7';
    const change = { path: 'src/alpha.ts', old_text: out, new_text: 'const answerName = 42; // it is the answer' };
    const history = [
      user('Go.'),
      calls(['search_text', 'Nothing.', { pattern: 'oldName8 newName7 newName8' }]),
      reading('oldName', { from: 1, to: 60 }),
      reading('newName', { from: 1 }),
      calls(['edit_file', 'Changed.', change]),
      ...names.slice(1).map((name) => read(name)),
      says('So.'),
    ];
    const s = await grow(history, { 'layered.keptShare': 0.1 });
    await s.say();
    const view = s.view().join('\n');
    expect(view).toContain('Kept lines of earlier work');
    expect(view).toContain('const newName8 = ');
    expect(view).not.toContain('const oldName');
    expect(view).not.toContain(out);
  });

  it('adds notes behind the ones before, which stay byte for byte, and then chooses all of them again', async () => {
    const s = await grow([user('Go.'), ...names.map((name) => read(name))]);
    const notes = () => s.view().filter((text) => text.includes('Kept lines of earlier work'));
    const seen: string[][] = [];
    for (let round = 0; seen.length < 4; round++) {
      const before = s.compactions().length;
      await s.add(...names.slice(0, 2).map((name) => read(`${name}${round}`, 60)));
      await s.say();
      if (s.compactions().length > before) seen.push(notes());
    }
    const [first = [], second = [], third = [], fourth = []] = seen;
    expect([first.length, second.length, third.length, fourth.length]).toEqual([1, 2, 3, 1]);
    expect(second.slice(0, 1)).toEqual(first);
    expect(third.slice(0, 2)).toEqual(second);
  });

  describe('in the next notes', () => {
    const run = (command: string) => calls(['run_command', 'exit code 0', { command }]);
    const LINE = /^const (\w+?)Value(\d+) = compute/m;
    /** The notes of a compaction, and those of the next one, with what was done to a file of the first in between. */
    const twice = async (between: (path: string, line: string) => readonly Line[]) => {
      const s = await grow([user('Go.'), ...names.map((name) => read(name))]);
      const notes = () =>
        s
          .view()
          .filter((text) => text.includes('Kept lines of earlier work'))
          .join('\n');
      await s.say();
      const first = notes();
      const [, name = ''] = LINE.exec(first) ?? [];
      const path = `src/${name}.ts`;
      const line = first.split('\n').find((each) => each.startsWith(`const ${name}Value`)) ?? '';
      expect(line).not.toBe('');
      await s.add(...between(path, line));
      const before = s.compactions().length;
      for (let round = 0; s.compactions().length === before; round++) {
        expect(round).toBeLessThan(20);
        await s.add(...['one', 'two'].map((part) => read(`${part}${round}`, 60)));
        await s.say();
      }
      return { name, path, line, notes: notes() };
    };
    const headers = (notes: string, path: string) =>
      notes.split('\n').filter((line) => line.startsWith(`# ${path} [id `));

    /** Kept lines of the file that nothing names as outdated. */
    const standing = (notes: string, name: string) => {
      const [kept = '', ...outdated] = notes.split('# Kept above, but no longer so:');
      const lines = kept.split('\n').filter((line) => line.startsWith(`const ${name}Value`));
      return lines.filter((line) => !outdated.join('').includes(line.slice(0, 80)));
    };

    it('a line that was edited away is gone, or named as such', async () => {
      const { line, notes } = await twice((path, line) => [
        calls(['edit_file', 'Changed.', { path, old_text: line, new_text: 'const otherAnswer = 42;' }]),
      ]);
      const at = notes.indexOf('# Kept above, but no longer so:');
      expect(notes.slice(0, at)).toContain(line);
      expect(notes.slice(at)).toContain(line.slice(0, 80));
    });

    it('many lines that were edited away are gone, or named as such', async () => {
      const { name, notes } = await twice((path) => {
        const name = path.slice(4, -3);
        return [
          calls(['edit_file', 'Changed.', { path, old_text: code(name, 220), new_text: 'const otherAnswer = 42;' }]),
        ];
      });
      expect(standing(notes, name)).toEqual([]);
    });

    it('a line stays that a patch repeated only to find its place', async () => {
      const { line, notes } = await twice((path, line) => [
        calls([
          'apply_patch',
          'Done.',
          { input: `*** Begin Patch\n*** Update File: ${path}\n@@\n ${line}\n+const otherAnswer = 42;\n*** End Patch` },
        ]),
      ]);
      expect(notes).toContain(line);
    });

    it.each([
      ['delete_file', (path: string) => calls(['delete_file', 'Deleted.', { path }])],
      ['rm', (path: string) => run(`rm ${path} && npm test`)],
      ['rm from its folder', (path: string) => run(`cd src && rm -f ${path.slice(4)}`)],
      ['git rm', (path: string) => run(`git rm -q ${path}`)],
    ])('nothing stands under a file that is gone: %s', async (_how, remove) => {
      const { name, path, notes } = await twice((path) => [remove(path)]);
      expect(headers(notes, path)).toEqual([]);
      expect(standing(notes, name)).toEqual([]);
      expect(notes).toContain('const ');
    });

    it.each([
      ['move_file', (path: string) => calls(['move_file', 'Moved.', { path, to: `lib/${path.slice(4)}` }])],
      ['mv', (path: string) => run(`mv ${path} lib/`)],
      ['git mv', (path: string) => run(`git mv ${path} lib/${path.slice(4)}`)],
    ])('nothing stands under the old name of a file: %s', async (_how, move) => {
      const { path, notes } = await twice((path) => [move(path)]);
      expect(headers(notes, path)).toEqual([]);
    });

    it('nothing stands that git took out of a file', async () => {
      const { notes } = await twice((path, line) => [
        calls([
          'edit_file',
          'Changed.',
          { path, old_text: line, new_text: 'const otherAnswerOfIt = 42; // is it so?' },
        ]),
        run(`git checkout -- ${path}`),
      ]);
      expect(notes).not.toContain('otherAnswerOfIt');
    });

    it('nothing stands of a file that is not in it since it was written anew', async () => {
      const { name, notes } = await twice((path) => [
        calls(['write_file', 'Written.', { path, content: 'const otherAnswerOfIt = 42; // it is so' }]),
      ]);
      expect(standing(notes, name)).toEqual([]);
    });
  });

  it('heads what a call did to a file that is gone by it with the tool, and each call of an answer by its own file', () => {
    const index = new SessionIndex();
    const write = (name: string) => ({
      id: `c-${name}`,
      name: 'write_file',
      arguments: JSON.stringify({ path: `src/${name}.ts`, content: `const ${name} = 1;` }),
    });
    const gone = { id: 'c-gone', name: 'delete_file', arguments: JSON.stringify({ path: 'src/old.ts' }) };
    const toolCalls = [write('alpha'), write('beta'), gone];
    const shared = { tokens: 100, time: 0 };
    const neither = { isError: false, ephemeral: false, truncated: false } as const;
    index.add({ ...shared, id: 'm1', role: 'assistant', text: 'Some words.', toolCalls });
    for (const { id, name } of toolCalls)
      index.add({
        ...shared,
        id: `r-${id}`,
        role: 'tool',
        text: 'Done.',
        toolCallId: id,
        toolName: name,
        outcome: 'made',
        ...neither,
      });
    const { text } = writeNotes(
      false,
      index.sources.flatMap(({ lines }) => lines),
      [],
      () => ({ why: 'recent', name: '' }),
    );
    expect(text.split('\n').slice(1)).toEqual([
      '# said [id m1]',
      'Some words.',
      '# src/alpha.ts [id r-c-alpha]',
      'const alpha = 1;',
      'Done.',
      '# src/beta.ts [id r-c-beta]',
      'const beta = 1;',
      'Done.',
      '# delete_file src/old.ts [id m1]',
      'src/old.ts',
      '# delete_file src/old.ts [id r-c-gone]',
      'Done.',
    ]);
  });

  it('loses no demand, no request and no changed file through ten compactions', async () => {
    const s = await grow([user('Build the parser. Never touch the lexer.')]);
    for (let round = 0; s.compactions().length < 10; round++) {
      expect(round).toBeLessThan(60);
      const work = [read(`file${round}x`, 60), edit(`file${round}x`), read(`other${round}x`, 60)];
      await s.add(user(`Part ${round}: always keep partName${round}.`), ...work);
      await s.say();
    }
    const view = s.view().join('\n');
    expect(view).toContain('Build the parser. Never touch the lexer.');
    const parts = s.agent.journal.context.conversation.filter(({ kind }) => kind === 'user').length;
    expect(parts).toBeGreaterThan(10);
    for (let round = 0; round < 10; round++) {
      expect(view).toContain(`always keep partName${round}.`);
      expect(view).toContain(`src/file${round}x.ts`);
    }
  });

  it('says in the details of the compaction why each line was kept', async () => {
    const search = calls(['search_text', 'alphaValue7 betaValue9', { pattern: 'gammaValue3' }]);
    const s = await grow([user('Look at deltaValue5.'), search, ...names.map((name) => read(name)), says('So.')]);
    await s.say();
    const [entry] = s.compactions();
    const reasons = entry ? keptLines(entry).map(inEnglish) : [];
    const notes = s.view().find((text) => text.includes('Kept lines of earlier work')) ?? '';
    const kept = notes.split('\n').filter((line) => line.startsWith('const '));
    expect(kept.length).toBeGreaterThan(3);
    for (const line of kept)
      expect(reasons.filter((reason) => reason.length > line.length + 2 && reason.endsWith(`: ${line}`))).not.toEqual(
        [],
      );
    expect(reasons).toContainEqual(expect.stringMatching(/^src\/\w+\.ts was used: const /));
  });

  it('compacts before the trigger where no cache holds the prompt any more', async () => {
    const work = names.slice(0, 5).map((name) => read(name, 140));
    const begin = async (settings = {}) => {
      const s = await grow([user('Go.')], settings, { caches: true });
      await s.say();
      await s.add(...work);
      await s.say();
      // Above what is worth a compaction, and below the trigger.
      expect(s.size()).toBeGreaterThan(0.5 * WINDOW);
      return s;
    };
    const s = await begin();
    s.clock.advance(4 * 60_000);
    await s.say();
    expect(s.compactions()).toEqual([]);
    s.clock.advance(6 * 60_000);
    await s.say();
    expect(s.compactions()).toMatchObject([{ strategy: 'layered', trigger: 'precheck' }]);
    const off = await begin({ 'layered.whenItPays': false });
    off.clock.advance(6 * 60_000);
    await off.say();
    expect(off.compactions()).toEqual([]);
    // Nothing was ever sent from here, as in a session that is opened again.
    const opened = await grow([user('Go.'), ...work]);
    await opened.say();
    expect(opened.compactions()).toHaveLength(1);
  });

  it('gives the same notes for the same session', async () => {
    const views = [];
    for (let i = 0; i < 2; i++) {
      const s = await grow([user('Go.'), ...names.map((name) => read(name))]);
      await s.say();
      views.push(s.view());
    }
    expect(views[0]).toEqual(views[1]);
  });
});
describe('layered with a model', () => {
  const grow = (
    history: readonly Line[],
    summaries: readonly Step[],
    settings: Readonly<Record<string, unknown>> = {},
  ) => grownSession({ window: WINDOW, history, summaries, settings: { strategy: 'layered', ...settings } });
  /** Little enough to be told in one request. */
  const work = [user('Build the parser.'), ...names.slice(0, 4).map((name) => read(name, 140))];
  const asked = (s: GrownSession) =>
    s.summariser.requests.map(({ messages }) => messages.map(({ text }) => text).join('\n'));
  const notesOf = (s: GrownSession) => s.view().filter((text) => /^user: Notes \d/.test(text));
  /** Until it has compacted so often. */
  const until = async (s: GrownSession, compactions: number) => {
    for (let round = 0; s.compactions().length < compactions; round++) {
      expect(round).toBeLessThan(40);
      await s.add(read(`more${compactions}x${round}`, 60), says(`Said ${compactions}.`));
      await s.say();
    }
  };

  it('puts one summary behind the kept lines and before the newest part', async () => {
    const s = await grow(work, ['Notes 1: the parser is begun.']);
    await s.say();
    expect(s.compactions()).toMatchObject([{ strategy: 'layered' }]);
    const view = s.view();
    const [lines, summary] = ['Kept lines of earlier work', 'Notes 1'].map((start) =>
      view.findIndex((text) => text.startsWith(`user: ${start}`)),
    );
    expect(lines).toBeGreaterThan(0);
    expect(summary).toBe((lines ?? 0) + 1);
    expect(view).toContainEqual('user: Build the parser.');
    for (const heading of ['## Finished', '## Now', '## Failed', '## Next', '## Why', '## Open requests'])
      expect(asked(s)[0]).toContain(heading);
    expect(s.summariser.requests[0]?.tools).toEqual([]);
  });

  it('is asked for what lines cannot say, finished work apart, and the frontier of one summary is merged into the next', async () => {
    const frontier =
      'Notes 1.\n## Finished\nThe lexer.\n## Now\nThe parser, next: tests.\n## Failed\nA table: too slow.';
    const s = await grow(work, [frontier, 'Notes 2.', 'Notes 3.']);
    await until(s, 2);
    expect(asked(s)[0]).toContain('What was written but not checked is not finished.');
    expect(asked(s)[0]).toContain('What was tried and did not work, and why');
    expect(asked(s)[1]).toContain(`<notes>\n${frontier}\n</notes>`);
    expect(asked(s)[1]).toContain('drop what was overtaken');
  });

  it('merges it with what came since at each compaction: there is one, and the notes before it stay as they were', async () => {
    const s = await grow(
      work,
      [1, 2, 3, 4, 5].map((n) => `Notes ${n}: so far.`),
    );
    const kept = () => s.view().filter((text) => text.includes('Kept lines of earlier work'));
    await until(s, 1);
    const [first] = kept();
    await until(s, 2);
    expect(notesOf(s)).toEqual([
      expect.stringMatching(/^user: Notes 2: so far\.\n\(These notes were merged 1 time\.\)$/),
    ]);
    expect(kept()[0]).toBe(first);
    expect(asked(s)[1]).toContain('<notes>\nNotes 1: so far.\n</notes>');
    expect(asked(s)[1]).toContain('Said 2.');
    // What the notes stand for is not told again.
    expect(asked(s)[1]).not.toContain('Build the parser.');
    await until(s, 4);
    expect(notesOf(s)).toHaveLength(1);
  });

  it('stands without it where it fails, and the one before stays and is merged later', async () => {
    const error = new ModelError('auth', 'The key was refused.');
    const s = await grow(work, ['Notes 1: so far.', { error }, 'Notes 3: so far.']);
    await until(s, 2);
    expect(s.failures()).toMatchObject([{ strategy: 'layered', reason: 'The key was refused.' }]);
    expect(notesOf(s)).toEqual(['user: Notes 1: so far.']);
    expect(s.compactions()).toMatchObject([{ strategy: 'layered' }, { strategy: 'partial' }]);
    await until(s, 3);
    expect(notesOf(s)).toEqual([expect.stringMatching(/^user: Notes 3/)]);
    expect(asked(s)[2]).toContain('Said 2.');
  });

  it('asks no model where it is switched off, and where next to nothing would go', async () => {
    const off = await grow(work, ['Notes 1.'], { 'layered.summary': false });
    await off.say();
    expect(off.compactions()).toMatchObject([{ strategy: 'layered' }]);
    const small = await grow([user('Hello.'), says('Hello.')], ['Notes 1.']);
    await small.agent.compactor.compact({ trigger: 'manual' }, new AbortController().signal);
    expect([...off.summariser.requests, ...small.summariser.requests]).toEqual([]);
  });

  it('takes over the summary of another strategy, and leaves a pinned one', async () => {
    const settings: Record<string, unknown> = { strategy: 'llm-summary' };
    const summaries = [1, 2, 3, 4, 5].map((n) => `Notes ${n}: so far.`);
    const s = await grownSession({ window: WINDOW, history: work, summaries, settings });
    await until(s, 1);
    expect(s.compactions()).toMatchObject([{ strategy: 'llm-summary' }]);
    expect(s.compactions()).toMatchObject([{ strategy: 'llm-summary' }]);
    const [old] = s.agent.journal.context.conversation.filter(({ message }) => message.text.startsWith('Notes'));
    const ids = [old?.id ?? ''];
    await s.agent.journal.append({ type: 'pinned', ids });
    settings.strategy = 'layered';
    await until(s, 2);
    expect(notesOf(s)).toEqual([`user: ${old?.message.text}`, expect.stringMatching(/^user: Notes \d: so far\.$/)]);
    await s.agent.journal.append({ type: 'unpinned', ids });
    await until(s, 3);
    expect(notesOf(s)).toEqual([expect.stringContaining('(These notes were merged 1 time.)')]);
  });
});

describe('the default', () => {
  const strategyOf = (s: GrownSession) => s.agent.compactionSettings().strategy;

  it('is layered in a new session, and in one that began with another after that was chosen', {
    tags: ['K8'],
  }, async () => {
    const s = await grownSession({ history: [user('Go.')] });
    await s.say();
    expect(strategyOf(s)).toBe('layered');
    expect(s.agent.journal.context.configured?.strategy).toBe('layered');
    const chosen = await grownSession({ history: [user('Go.')], settings: { strategy: 'selective' } });
    await chosen.say();
    const again = await grownSession({ history: [], lines: chosen.lines });
    expect(strategyOf(again)).toBe('layered');
  });

  it('resetting the setting takes effect in every session, also in one that began with another', {
    tags: ['K8'],
  }, async () => {
    const settings: Record<string, unknown> = { strategy: 'llm-summary' };
    const s = await grownSession({ history: [user('Go.')], settings });
    await s.say();
    expect(strategyOf(s)).toBe('llm-summary');
    delete settings.strategy;
    expect(strategyOf(s)).toBe('layered');
    await s.say();
    expect(s.agent.journal.context.configured?.strategy).toBe('layered');
    settings.strategy = 'llm-summary';
    await s.say();
    const later = await grownSession({ history: [], lines: s.lines });
    expect(strategyOf(later)).toBe('layered');
  });
});

describe('layered in the lab', () => {
  it('on made-up work it forgets less than the digest, keeps every word of the person, and breaks no rule', {
    tags: ['B6', 'long'],
  }, async () => {
    const scores: LabScore[] = [];
    for (let seed = 1; seed <= 3; seed++) {
      const messages = generateCodingSession({ seed, messages: 400 });
      const prepared = prepareSession({ name: `made up ${seed}`, messages, compactions: [] });
      const options = {
        strategies: ['digest', 'layered', 'none'],
        beforeFirstCompaction: false,
        signal: new AbortController().signal,
        registry: new StrategyRegistry(),
        crypto: testCrypto(),
        timers: systemTimers,
        window: 32_000,
        settings: {},
        summaries: { kind: 'none' as const },
      };
      for await (const score of runSession(prepared, options)) scores.push(score);
    }
    const of = (strategy: string) => readFigures(scores.filter((score) => score.strategy === strategy));
    const [digest, ours] = [of('digest'), of('layered')];
    expect([ours.invalid, ours.userPercent, ours.filesPercent]).toEqual([0, 100, 100]);
    expect(ours.wholeLine).toBeGreaterThan(digest.wholeLine ?? 100);
    // Of what the same work costs without any compaction.
    expect(ours.costPercent).toBeLessThan(100);
  });
});
