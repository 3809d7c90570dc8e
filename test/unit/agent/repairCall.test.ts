import { describe, expect, it } from 'vitest';
import { repairCall } from '../../../src/core/agent/parts/repairCall.ts';
import type { EntryDraft } from '../../../src/core/journal/entry.ts';
import { countTokens } from '../../../src/core/tokens/estimate.ts';
import { readFile } from '../../../src/core/tools/builtIn/readFile.ts';
import type { ToolOutcome } from '../../../src/core/tools/tool.ts';
import { createMemoryFiles } from '../../support/ports/memoryFiles.ts';
import { turnHarness } from '../../support/turnHarness.ts';
import { createWorkbench, useTool } from '../tools/useTool.ts';
import { answer, ask, call, fold, say } from '../transcript/foldEntries.ts';

const going = new AbortController().signal;

/** A compaction after the entry `base` that drops these messages. */
const drop = (base: number, ...ids: string[]): EntryDraft => ({
  type: 'compaction',
  base,
  plan: [{ op: 'drop', ids }],
  strategy: 'llm-summary',
  trigger: 'manual',
  tokensBefore: 200,
  tokensAfter: 50,
  durationMs: 3,
  attempt: 1,
});

interface Failed {
  readonly path: readonly EntryDraft[];
  readonly files?: Readonly<Record<string, string>>;
  readonly name: string;
  readonly input: unknown;
  readonly outcome: ToolOutcome;
}

async function repaired({ path, files = {}, name, input, outcome }: Failed): Promise<string> {
  const { context } = fold(...path);
  const ports = { files: createMemoryFiles(files), session: { context } } as never;
  const made = { id: 'now', name, arguments: JSON.stringify(input) };
  const { text } = await repairCall(made, outcome, ports, going);
  expect(text.startsWith(outcome.text)).toBe(true);
  const added = text.slice(outcome.text.length);
  expect(countTokens(added)).toBeLessThanOrEqual(300 + 4);
  return added;
}

describe('an edit whose text is not found', { tags: ['B22'] }, () => {
  const BODY = ['import a;', '', 'export function retry(times: number) {', '  return attempt(times, delay);', '}'].join(
    '\n',
  );
  const read = [
    ask('go'),
    call('r', 'read_file', { path: 'src/a.ts' }),
    answer('r', 'read_file', `src/a.ts: lines 1-5 of 5\n${BODY}`),
    say('read'),
  ];
  const edit = { path: 'src/a.ts', old_string: '  return attempt(times, delay);\n}', new_string: 'x' };
  const outcome = async (files: Readonly<Record<string, string>>): Promise<ToolOutcome> =>
    useTool(createWorkbench(files), 'edit_file', edit);
  const CHANGED = { 'src/a.ts': BODY.replace('attempt(times, delay)', 'attempt(times, delay, signal)') };

  it('shows the nearest lines of the file as they are now', async () => {
    const { text } = await outcome(CHANGED);
    expect(text).toBe(
      [
        'edit_file: old_string is not found in src/a.ts. Nearest lines:',
        'line 4:   return attempt(times, delay, signal);',
        'Lines 4-5 are now:',
        '  return attempt(times, delay, signal);',
        '}',
      ].join('\n'),
    );
  });

  it('finds the lines in a result of another program, which numbers them', async () => {
    const numbered = BODY.split('\n').map((line, i) => `${String(i + 1).padStart(6)}→${line}`);
    const path = [
      ask('go'),
      call('r', 'Read', {}),
      answer('r', 'Read', numbered.join('\n')),
      say('read'),
      drop(3, 'm1', 'm2'),
    ];
    const added = await repaired({ path, name: 'edit_file', input: edit, outcome: await outcome(CHANGED) });
    expect(added).toContain('     4→  return attempt(times, delay);\n     5→}');
  });

  it('adds what a message said that a compaction took, with the id that recalls it', async () => {
    const path = [...read, drop(3, 'm1', 'm2')];
    const added = await repaired({ path, name: 'edit_file', input: edit, outcome: await outcome(CHANGED) });
    expect(added).toMatch(/^\n\nm2 \(result of read_file\), which a compaction took from view, said/);
    expect(added).toContain('export function retry(times: number) {\n  return attempt(times, delay);\n}');
  });

  it('adds nothing where the message is still in view, or the compaction was undone', async () => {
    const now = { name: 'edit_file', input: edit, outcome: await outcome(CHANGED) };
    expect(await repaired({ path: read, ...now })).toBe('');
    const undone: EntryDraft = { type: 'compactionUndone', target: 4 };
    expect(await repaired({ path: [...read, drop(3, 'm1', 'm2'), undone], ...now })).toBe('');
  });

  it('takes what the agent itself wrote for a source, too', async () => {
    const path = [
      ask('go'),
      call('w', 'write_file', { path: 'src/a.ts', content: BODY }),
      answer('w', 'write_file', 'Created src/a.ts.'),
      say('written'),
      drop(3, 'm1', 'm2'),
    ];
    const added = await repaired({ path, name: 'edit_file', input: edit, outcome: await outcome(CHANGED) });
    expect(added).toMatch(/m1 \(assistant\), which .*\n\nexport function retry.*\n {2}return attempt/s);
  });

  it('stays within its tokens, however long the lines and the file are', async () => {
    const long = Array.from({ length: 4000 }, (_, i) => `const value${i} = compute(${'x'.repeat(i % 900)});`).join(
      '\n',
    );
    const path = [
      ask('go'),
      call('r', 'read_file', { path: 'a' }),
      answer('r', 'read_file', long),
      say('.'),
      drop(3, 'm1', 'm2'),
    ];
    const input = { path: 'src/a.ts', old_string: long.split('\n').slice(100, 400).join('\n'), new_string: 'x' };
    const refused = await useTool(
      createWorkbench({ 'src/a.ts': long.replaceAll('compute', 'reckon') }),
      'edit_file',
      input,
    );
    const added = await repaired({ path, name: 'edit_file', input, outcome: refused });
    expect(added).toContain('const value100 = compute(');
    expect(countTokens(refused.text) + countTokens(added)).toBeLessThan(600);
  });

  it('is left as it is when it was refused for another reason', async () => {
    const refused = { text: 'edit_file: old_string is found 2 times in src/a.ts (lines 1, 2).', isError: true };
    expect(
      await repaired({ path: [...read, drop(3, 'm1', 'm2')], name: 'edit_file', input: edit, outcome: refused }),
    ).toBe('');
  });
});

describe('a path that does not exist', { tags: ['B22'] }, () => {
  const refused = (path: string): ToolOutcome => ({ text: `read_file: ${path} does not exist.`, isError: true });
  const asked = (path: string) => ({ name: 'read_file', input: { path }, outcome: refused(path) });

  it('is answered with files of that name elsewhere', async () => {
    const files = { 'src/net/retry.ts': 'x', 'src/other.ts': 'y' };
    expect(await repaired({ path: [ask('go')], files, ...asked('src/retry.ts') })).toBe(
      '\n\nThere is: src/net/retry.ts',
    );
  });

  it('or else with the names most like it in its folder', async () => {
    const files = { 'src/retries.ts': 'x', 'src/zebra.md': 'y' };
    expect(await repaired({ path: [ask('go')], files, ...asked('src/retry.ts') })).toBe('\n\nThere is: src/retries.ts');
  });

  it('and with the line of a message that a compaction took', async () => {
    const path = [
      ask('go'),
      call('m', 'run_command', { command: 'git mv' }),
      answer('m', 'run_command', 'exit code 0\nrenamed src/retry.ts to lib/again.ts\nok'),
      say('.'),
      drop(3, 'm1', 'm2'),
    ];
    const added = await repaired({ path, files: { 'lib/again.ts': 'x' }, ...asked('src/retry.ts') });
    expect(added).toContain('m2 (result of run_command), which a compaction took from view');
    expect(added).toContain('renamed src/retry.ts to lib/again.ts');
  });

  it('never stands for a path outside of the workspace, or for one that is refused', async () => {
    const outside = { text: 'read_file: ../x does not exist.', isError: true };
    expect(await repaired({ path: [ask('go')], name: 'read_file', input: { path: '../x' }, outcome: outside })).toBe(
      '',
    );
  });
});

describe('in a turn', { tags: ['B22'] }, () => {
  it('the model gets the refusal and what was added to it', async () => {
    const turn = await turnHarness([{ calls: [['read_file', { path: 'src/retry.ts' }]] }, 'Done.'], {
      tools: [readFile],
    });
    const files = createMemoryFiles({ 'src/net/retry.ts': 'x' });
    Object.assign(turn.parts, { toolPorts: { ...turn.parts.toolPorts, files } });
    await turn.send('go');
    expect(turn.story().join('\n')).toContain(
      'src/retry.ts does not exist. list_files shows what does.\n\nThere is: src/net/retry.ts',
    );
  });
});

describe('a command that fails', { tags: ['B22'] }, () => {
  const COMMAND = 'npm test';
  const failure = (ms: number) =>
    `exit code 1\n✖ retries twice (${ms}ms)\n  AssertionError: expected 2 to be 3\n  duration_ms: ${ms}`;
  const runs = (id: string, text: string) => [
    call(id, 'run_command', { command: COMMAND }),
    answer(id, 'run_command', text),
  ];
  const change = (id: string) => [
    call(id, 'edit_file', { path: 'src/retry.ts', old_string: 'a', new_string: 'b' }),
    answer(id, 'edit_file', 'Changed src/retry.ts in 1 place.'),
  ];
  const now = (text: string) => ({ name: 'run_command', input: { command: COMMAND }, outcome: { text } });

  it('as it failed before is answered with that run and what followed it', async () => {
    const path = [
      ask('go'),
      ...runs('1', failure(6.4)),
      ...change('2'),
      ...runs('3', 'exit code 0\nok'),
      drop(6, 'm1', 'm2', 'm3', 'm4', 'm5', 'm6'),
    ];
    expect(await repaired({ path, ...now(failure(9.1)) })).toBe(
      [
        '\n\nIt failed alike before, in m2 (result of run_command), which a compaction took from view:',
        '✖ retries twice (6.4ms)',
        '  AssertionError: expected 2 to be 3',
        'Then src/retry.ts changed, and it passed. Recall gives all of it.',
      ].join('\n'),
    );
  });

  it('says when nothing was changed in between', async () => {
    const path = [ask('go'), ...runs('1', failure(6.4)), say('again'), drop(3, 'm1', 'm2')];
    expect(await repaired({ path, ...now(failure(9.1)) })).toContain('No file was changed before it ran again. Recall');
  });

  it('in another way, that passes, or whose run is in view, is left as it is', async () => {
    const before = [ask('go'), ...runs('1', failure(6.4)), say('.')];
    const taken = [...before, drop(3, 'm1', 'm2')];
    expect(await repaired({ path: taken, ...now('exit code 1\nSyntaxError: unexpected end') })).toBe('');
    expect(await repaired({ path: taken, ...now('exit code 0\nAssertionError is only mentioned') })).toBe('');
    expect(await repaired({ path: before, ...now(failure(1)) })).toBe('');
    const other = { ...now(failure(1)), input: { command: 'npm run lint' } };
    expect(await repaired({ path: taken, ...other })).toBe('');
  });

  it('does not count results that expired because a newer run replaced them', async () => {
    const expired = { ...drop(3, 'm2'), trigger: 'ephemeral' } as EntryDraft;
    expect(await repaired({ path: [ask('go'), ...runs('1', failure(1)), say('.'), expired], ...now(failure(2)) })).toBe(
      '',
    );
  });
});
