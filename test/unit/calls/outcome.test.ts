/** How calls ended and what they did, where it was recorded and where only a text says it. */

import { describe, expect, it } from 'vitest';
import { effectsOf } from '../../../src/core/calls/effects.ts';
import { filesIn } from '../../../src/core/calls/filesInCalls.ts';
import { backgroundOf, isOutcome, readOutcome } from '../../../src/core/calls/outcome.ts';
import type { CallOutcome, ToolMessage } from '../../../src/core/context/message.ts';

const result = (toolName: string, text: string, rest: Partial<ToolMessage> = {}): ToolMessage => ({
  role: 'tool',
  toolCallId: 'c',
  toolName,
  text,
  ...rest,
});
const kindOf = (toolName: string, text: string, isError = false) =>
  readOutcome(result(toolName, text, isError ? { isError } : {})).kind;
const call = (name: string, input: object) => ({ id: 'c', name, arguments: JSON.stringify(input) });

describe('what the loop recorded counts', { tags: ['B5'] }, () => {
  it.each<[CallOutcome, string, boolean]>([
    [{ kind: 'declined' }, 'exit code 0', false],
    [{ kind: 'made' }, 'The person declined this call.', true],
    [{ kind: 'failed', exitCode: 2 }, 'exit code 0\nall passed', false],
    [{ kind: 'interrupted' }, 'exit code 0', false],
  ])('%o, whatever the text says', (outcome, text, isError) => {
    expect(readOutcome(result('run_command', text, { outcome, isError }))).toEqual(outcome);
  });

  it('but not what no version writes', () => {
    for (const broken of [
      null,
      'made',
      { kind: 'passed' },
      { kind: 'made', exitCode: '0' },
      { kind: 'running', background: {} },
    ]) {
      expect(isOutcome(broken)).toBe(false);
      expect(readOutcome(result('run_command', 'exit code 1', { outcome: broken as never })).kind).toBe('failed');
    }
  });
});

describe('in older sessions and those of other programs the text is read, above the output only', {
  tags: ['B5'],
}, () => {
  it.each<[CallOutcome['kind'], string, string, boolean]>([
    ['made', 'run_command', 'exit code 0\nexit code 1', false],
    ['failed', 'run_command', 'exit code 3\nexit code 0', false],
    ['made', 'run_command', 'no code\nexit code 1', false],
    ['interrupted', 'run_command', 'ended by a signal\nexit code 0', false],
    ['interrupted', 'run_command', 'ended after 120 s without finishing\nexit code 0', true],
    ['interrupted', 'run_command', 'The person stopped the turn before the command had finished\n(no output)', true],
    ['running', 'run_command', 'running in the background as bg-a1b2c3\nexit code 0', false],
    ['declined', 'delete_file', 'The person declined this call. They said: exit code 0', true],
    ['made', 'read_file', 'The person declined this call.', false],
    ['refused', 'edit_file', 'edit_file: old_string is not found in a.ts', true],
    [
      'interrupted',
      'edit_file',
      'The window was closed before this call ran. Nobody has allowed or declined it.',
      true,
    ],
    ['declined', 'Edit', 'The user doesn’t want to proceed with this tool use. The tool use was rejected', true],
    ['declined', 'exec_command', 'exec command rejected by user', true],
    ['declined', 'execute_bash', 'Action rejected: no', true],
    ['refused', 'Edit', '<tool_use_error>String to replace not found in file.</tool_use_error>', true],
    ['failed', 'Bash', 'Exit code 1\nThe user rejected it', true],
    ['failed', 'Bash', 'npm: The user rejected it', true],
    ['interrupted', 'Bash', 'Command timed out after 2m 0.0s', true],
    ['running', 'Bash', 'Command running in background with ID: bash_1', false],
    ['failed', 'shell', 'Exit code: 1\nWall time: 0.1 seconds\nOutput:\nExit code: 0', false],
    ['made', 'shell', 'Exit code: 0\nWall time: 0.1 seconds\nOutput:\nExit code: 1', false],
    ['made', 'shell', 'first line\nExit code: 1', false],
    ['running', 'exec_command', 'Wall time: 1 s\nProcess running with session ID 7\nOutput:\nExit code: 0', false],
  ])('%s: %s, %j', (kind, tool, text, isError) => {
    expect(kindOf(tool, text, isError)).toBe(kind);
  });

  it('a command that says no exit code has not passed', () => {
    expect(readOutcome(result('Bash', 'all passed'))).toEqual({ kind: 'made' });
  });

  it('a command in the background is known by its id', () => {
    expect(
      backgroundOf(call('read_output', {}), result('read_output', 'exit code 1 (bg-a1)\nexit code 0 (bg-b2)')),
    ).toEqual({
      id: 'bg-a1',
      state: 'ended',
      exitCode: 1,
    });
    const read = call('BashOutput', { bash_id: 'bash_1' });
    const output = '<status>completed</status>\n\n<exit_code>2</exit_code>\n\n<stdout>\n<exit_code>0</exit_code>';
    expect(backgroundOf(read, result('BashOutput', output))).toEqual({ id: 'bash_1', state: 'ended', exitCode: 2 });
    expect(backgroundOf(read, result('BashOutput', '<status>running</status>\n<exit_code>0</exit_code>'))).toBeNull();
    expect(backgroundOf(call('KillShell', { shell_id: 'bash_1' }), result('KillShell', 'Killed'))).toEqual({
      id: 'bash_1',
      state: 'stopped',
    });
  });
});

describe('the files of a call', { tags: ['B5', 'B18'] }, () => {
  it.each([
    ['read_file', { path: 'a.ts' }, [{ does: 'reads', path: 'a.ts' }]],
    ['read_file', { path: `output:${'a'.repeat(64)}` }, []],
    ['list_files', { path: 'src' }, []],
    ['move_file', { path: 'a.ts', new_path: 'b.ts' }, [{ does: 'moves', path: 'a.ts', to: 'b.ts' }]],
    ['str_replace_editor', { command: 'view', path: 'a.ts' }, [{ does: 'reads', path: 'a.ts' }]],
    ['str_replace_editor', { command: 'create', path: 'a.ts' }, [{ does: 'changes', path: 'a.ts' }]],
    ['mcp__files__delete_file', { path: 'a.ts' }, [{ does: 'deletes', path: 'a.ts' }]],
    [
      'apply_patch',
      {
        input:
          '*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n@@\n-x\n+y\n*** Delete File: c.ts\n*** Add File: d.ts\n+z\n*** End Patch',
      },
      [
        { does: 'moves', path: 'a.ts', to: 'b.ts' },
        { does: 'deletes', path: 'c.ts' },
        { does: 'changes', path: 'd.ts' },
      ],
    ],
  ])('%s %j', (name, input, uses) => {
    expect(filesIn(call(name, input))).toEqual(uses);
  });

  const patch = call('apply_patch', {
    input: '*** Begin Patch\n*** Update File: a.ts\n*** Delete File: b.ts\n*** End Patch',
  });
  const image = (path: string, before: string | null, after?: string | null) => ({
    path,
    before,
    restorable: true,
    ...(after === undefined ? {} : { after }),
  });

  it('what was kept around the call tells what it did, whatever became of it', () => {
    const kept = [image('a.ts', '1', '2'), image('b.ts', '3', '3')];
    for (const kind of ['made', 'failed', 'interrupted'] as const)
      expect(effectsOf(patch, result('apply_patch', '', { outcome: { kind } }), kept)).toEqual([
        { path: 'a.ts', did: 'changed' },
      ]);
  });

  it('without that, only a call that was made did what it was to do', () => {
    const effects = (kind: CallOutcome['kind']) => effectsOf(patch, result('apply_patch', '', { outcome: { kind } }));
    expect(effects('made')).toEqual([
      { path: 'a.ts', did: 'changed' },
      { path: 'b.ts', did: 'deleted' },
    ]);
    for (const kind of ['refused', 'declined', 'failed', 'interrupted', 'running'] as const)
      expect(effects(kind)).toEqual([]);
  });

  it('a change that the person took back before it was written is none', () => {
    const change = { path: 'a.ts', added: 0, removed: 0, creates: false, diff: '' };
    expect(
      effectsOf(call('edit_file', { path: 'a.ts' }), result('edit_file', '', { outcome: { kind: 'made' }, change })),
    ).toEqual([]);
  });
});
