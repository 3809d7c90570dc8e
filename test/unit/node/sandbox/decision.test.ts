/** When a command needs no question because of the sandbox, and when it is asked about in spite of it. */

import { describe, expect, test } from 'vitest';
import type { ApprovalAnswer } from '../../../../src/core/tools/approvals.ts';
import { runCommand, stopCommand } from '../../../../src/core/tools/builtIn/runCommand.ts';
import type { BackgroundCommands, Tool } from '../../../../src/core/tools/tool.ts';
import { inEnglish, words } from '../../../../src/core/words.ts';
import type { Confinement, Shell, ShellResult } from '../../../../src/core/workspace/shell.ts';
import {
  type CommandSandbox,
  createCommandSandbox,
  requireSandbox,
  type WantedSandbox,
} from '../../../../src/node/sandbox/commandSandbox.ts';
import { createMemoryFiles } from '../../../support/ports/memoryFiles.ts';
import { turnHarness } from '../../../support/turnHarness.ts';

const ALLOW: ApprovalAnswer = { kind: 'allow', remember: 'no' };
const DENY: ApprovalAnswer = { kind: 'deny' };

/** A turn with one command; `ran` says where each run took place. */
async function turnWith(
  confinement: Confinement | undefined,
  options: {
    input?: object;
    refused?: ShellResult['refused'];
    notRun?: true;
    newNames?: ShellResult['newNames'];
    answers?: ApprovalAnswer[];
  } = {},
) {
  const ran: string[] = [];
  const place = (confined: boolean | undefined, folder?: string) =>
    `${confined ? 'inside' : 'outside'}${folder === undefined ? '' : ` ${folder}`}`;
  const shell: Shell = {
    ...(confinement === undefined ? {} : { confinement: async () => confinement }),
    posix: () => true,
    async run(_, { confined, folder }) {
      ran.push(place(confined, folder));
      const refused = confined && options.refused ? { refused: options.refused } : {};
      const newNames = options.newNames ? { newNames: options.newNames } : {};
      if (options.notRun && confined) return { exitCode: null, output: '', ended: 'exit', notRun: true, ...refused };
      return { exitCode: options.refused && confined ? 1 : 0, output: 'out', ended: 'exit', ...refused, ...newNames };
    },
  };
  const background = {
    list: () => [],
    async start(command: string, _: AbortSignal, where: { folder?: string } = {}) {
      ran.push(`background ${place(false, where.folder)}`);
      return { command: { id: 'bg-1', command, ended: null }, text: '', leftOut: 0 };
    },
  } as unknown as BackgroundCommands;
  const input = { command: 'make it', ...options.input };
  const harness = await turnHarness([{ calls: [['run_command', input]] }, 'done'], {
    answers: options.answers ?? [],
    tools: [runCommand, stopCommand] as unknown as Tool[],
  });
  const files = Object.assign(createMemoryFiles({}), {
    folders: [
      { name: 'one', path: '/w/one' },
      { name: 'two', path: '/w/two' },
    ],
    resolve: async () => ({}),
  });
  Object.assign(harness.parts, { toolPorts: { ...harness.parts.toolPorts, shell, background, files } });
  await harness.send('go');
  const said = harness.journal
    .path()
    .flatMap((entry) => (entry.type === 'message' && entry.message.role === 'tool' ? [entry.message.text] : []));
  const why = harness.approvals.map((asked) => (asked.why ? inEnglish(asked.why) : ''));
  return { ran, said: said.join('\n'), why };
}

const absent: Confinement = { absent: words('bubblewrap is too old.') };
const refused = words('The sandbox refused the network.');

describe('a command', () => {
  test('in the sandbox needs no question', async () => {
    expect(await turnWith('ready')).toMatchObject({ ran: ['inside'], why: [] });
  });
  test('in another folder is in the sandbox as well', async () => {
    expect((await turnWith('ready', { input: { cwd: 'two' } })).ran).toEqual(['inside /w/two']);
  });
  test('in the background is asked about, and runs outside', async () => {
    const input = { cwd: 'two', background: true };
    expect(await turnWith('ready', { input, answers: [ALLOW] })).toMatchObject({
      ran: ['background outside /w/two'],
      why: [expect.stringContaining('only while a command is waited for')],
    });
    expect((await turnWith('ready', { input, answers: [DENY] })).ran).toEqual([]);
  });
  test('is asked about as before where the sandbox is switched off or unknown', async () => {
    for (const none of ['off', undefined] as const) {
      const { ran, why } = await turnWith(none, { answers: [ALLOW] });
      expect({ ran, asked: why.length }).toEqual({ ran: ['outside'], asked: 1 });
      expect(why.join()).not.toContain('sandbox');
    }
  });
  test('is asked about with the reason where the sandbox is absent', async () => {
    expect(await turnWith(absent, { answers: [ALLOW] })).toMatchObject({
      ran: ['outside'],
      why: ['bubblewrap is too old.'],
    });
    expect(await turnWith(absent, { answers: [DENY] })).toMatchObject({ ran: [] });
  });
  test('that was refused something is asked about, and runs again outside', async () => {
    const { ran, said, why } = await turnWith('ready', { refused, answers: [ALLOW] });
    expect({ ran, why }).toEqual({ ran: ['inside', 'outside'], why: ['The sandbox refused the network.'] });
    expect(said).toContain('outside of the sandbox');
  });
  test('that did not run, because the sandbox could not be made, is not said to have run', async () => {
    const allowed = await turnWith('ready', { refused, notRun: true, answers: [ALLOW] });
    expect(allowed.said).toMatch(/^The sandbox could not be made.*\nexit code 0/su);
    const declined = await turnWith('ready', { refused, notRun: true, answers: [DENY] });
    expect(declined.said).toMatch(/^not run\n.*declined/su);
    expect(declined.said).not.toMatch(/signal|exit code/u);
  });
  test('that was refused something stays half run where the person says no', async () => {
    const { ran, said } = await turnWith('ready', { refused, answers: [DENY] });
    expect(ran).toEqual(['inside']);
    expect(said).toMatch(/exit code 1.*refused the network.*declined/su);
  });
});

describe('guarded names that are new after a command', () => {
  test('are moved if the person allows it, and stay otherwise', async () => {
    const moved: string[] = [];
    const newNames = {
      paths: ['/w/one/a/.vscode', '/w/one/b/.git'],
      place: '/store/aside',
      async setAside() {
        moved.push('moved');
        return ['/w/one/b/.git'];
      },
    };
    const allowed = await turnWith('ready', { input: { cwd: 'one' }, newNames, answers: [ALLOW] });
    expect(allowed.why).toEqual([expect.stringContaining('made by it or by somebody else meanwhile')]);
    expect(allowed.said).toContain('to /store/aside, but for b/.git.');
    const declined = await turnWith('ready', { input: { cwd: 'one' }, newNames, answers: [DENY] });
    expect(declined.said).toMatch(/[^/]a\/.vscode, b\/.git\.\nThe person keeps them/);
    expect({ moved, ran: [...allowed.ran, ...declined.ran] }).toEqual({
      moved: ['moved'],
      ran: ['inside /w/one', 'inside /w/one'],
    });
  });
});

describe('the sandbox of a window', () => {
  const openWith = (wanted: WantedSandbox): CommandSandbox =>
    createCommandSandbox(
      {
        folders: [],
        home: '/nowhere',
        denied: [],
        temporary: '/tmp',
        storage: '/nowhere/storage',
        environment: {},
        allowedVariables: () => [],
        platform: 'linux' as const,
        bubblewrap: async () => null,
      },
      () => wanted,
    );
  test('is off unless the person wants it, whatever there is', async () => {
    expect(await openWith('off').confinement()).toBe('off');
  });
  test('says why it is absent, and a command that was to run in it does not run', async () => {
    const sandbox = openWith('commands');
    const said = 'The program bubblewrap (bwrap) is not installed on the machine that this window works on.';
    expect(await sandbox.confinement()).toEqual({ absent: words(said) });
    await expect(requireSandbox(sandbox)).rejects.toThrow(said);
    await expect(requireSandbox(openWith('off'))).rejects.toThrow('switched off');
  });
});
