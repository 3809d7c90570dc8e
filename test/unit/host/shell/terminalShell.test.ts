/**
 * Commands in terminals, by real shells: what was approved is what runs whatever the shell is configured with, its output
 * and its exit code come back whole, and a stop leaves nothing of it.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stripControls } from '../../../../src/core/tools/text/stripControls.ts';
import { createMarkedOutput, createTerminalShell } from '../../../../src/host/shell/terminalShell.ts';
import { createChildShell } from '../../../../src/node/shell/childShell.ts';
import { quoteWord } from '../../../../src/node/shell/quoteWord.ts';
import { type PipedTerminals, pipedTerminals } from '../../../support/ports/pipedTerminals.ts';

const SHELLS = [
  { name: 'bash', file: '/bin/bash', args: ['--norc', '--noprofile', '-i', '-o', 'histexpand', '-o', 'history'] },
  { name: 'zsh', file: '/usr/bin/zsh', args: ['-f', '-i', '-o', 'rcquotes', '-o', 'extendedglob', '-V'] },
].filter(({ file }) => existsSync(file));

const never = new AbortController().signal;
let folder = '';
let opened: PipedTerminals | null = null;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "palimpsest term'inal-")));
});
afterEach(() => {
  for (const terminal of opened?.opened ?? []) terminal.close();
  rmSync(folder, { recursive: true, force: true });
});

const isAlive = (id: number) =>
  existsSync(`/proc/${id}`) && !readFileSync(`/proc/${id}/stat`, 'latin1').includes(') Z ');
const pidIn = (name: string) => Number(readFileSync(join(folder, name), 'utf8'));

function open(shell: (typeof SHELLS)[number], { integrated = true, env = {}, allowed = [] as string[] } = {}) {
  const terminals = pipedTerminals(shell.file, shell.args, { integrated, env });
  opened = terminals;
  let told = 0;
  const its = createTerminalShell({
    folder,
    terminals,
    wanted: () => true,
    allowedVariables: () => allowed,
    child: createChildShell({ folder, environment: process.env }),
    onUnavailable: () => told++,
  });
  const live: string[] = [];
  const run = async (command: string, timeoutMs: number | null = 60_000, signal = never) => {
    const result = await its.run(command, { timeoutMs, onOutput: (text) => live.push(text) }, signal);
    return { ...result, output: stripControls(result.output) };
  };
  return { run, terminals, live, told: () => told, shell: its };
}

describe.each(SHELLS)('$name', (shell) => {
  test('exactly the command runs, whatever characters it holds', async () => {
    const texts = [
      'a b',
      "it's",
      '!!',
      '"$HOME" `id` $(id)',
      '\\',
      "\\'",
      '!"#',
      '*',
      '~',
      '=ls',
      '#x',
      '{a,b}',
      '^a^b',
      '%1',
      'täglich 文字 😀',
      '\t tab',
      'two\nlines\n\nthree',
      '-n',
      '',
      "'''",
      "!'!",
      'a;b&c|d>e<f',
      '\u007F',
      "$'x'",
    ];
    const { run } = open(shell);
    // The end of a heredoc is a word of its own, so each text arrives as it is.
    const command = texts.map((text) => `cat <<'the-end'\n${text}\nthe-end`).join('\n');
    const { output, exitCode } = await run(command);
    expect([exitCode, output]).toEqual([0, stripControls(`${texts.join('\n')}\n`)]);
    const words = execFileSync(shell.file, ['-c', `printf '%s\\0' ${texts.map(quoteWord).join(' ')}`], {
      encoding: 'utf8',
    });
    expect(words.split('\0')).toEqual([...texts, '']);
  });

  test('no alias, function or option of the shell, and no earlier command changes what runs', async () => {
    const { run, terminals } = open(shell);
    await run('true');
    const [terminal] = terminals.opened;
    terminal?.type('alias ls="echo alias"; ls2() { :; }; cat() { echo function; }; set -f; PATH=/nowhere; cd /');
    expect((await run('echo one > file; ls; cat file')).exitCode).toBe(127);
    terminal?.type('PATH=/usr/bin:/bin; export PATH');
    expect((await run('ls; cat file; pwd')).output).toBe(`file\none\n${folder}\n`);
    expect(await run('cd /; X=1; exit 3')).toMatchObject({ exitCode: 3, ended: 'exit' });
    expect((await run('pwd; echo "[$X]"')).output).toBe(`${folder}\n[]\n`);
    expect(terminals.opened).toHaveLength(1);
  });

  test('the environment is that of the shell, without secrets and without what steers the editor', async () => {
    const env = { DEPLOY_TOKEN: 'no', GH_TOKEN: 'yes', VSCODE_IPC: 'no', PALIMPSEST_X: 'no', OWN_TOOL: 'here' };
    const { run, terminals } = open(shell, { env, allowed: ['gh_token'] });
    await run('true');
    terminals.opened[0]?.type('export FROM_START_FILE=known MY_API_KEY=no PATH=relative:$PATH:');
    const { output } = await run('env');
    expect(output).toContain('FROM_START_FILE=known');
    expect(output).toContain('GH_TOKEN=yes');
    expect(output).toContain('PAGER=cat');
    expect(output).not.toMatch(/=no$|PALIMPSEST=|_pal_|relative/m);
    expect((await run('cat; echo no input')).output).toBe('no input\n');
  });

  test('a command cannot read what ends its output, wherever it looks', async () => {
    const { run } = open(shell);
    // What stands in the script of the shell that runs it, and in the environment of the terminal's.
    const look =
      "for at in /proc/$PPID/environ /proc/$PPID/cmdline /proc/$(cut -d' ' -f4 /proc/$PPID/stat)/environ; do tr '\\0' '\\n' < $at; done; env";
    const { output: seen } = await run(look);
    const secrets = [...seen.matchAll(/7277;([^;]+);/g)].map(([, secret]) => secret);
    expect(secrets).not.toEqual([]);
    const forged = secrets.map((secret) => `printf '\\e]7277;${secret};end;0\\a'`).join('; ');
    expect(await run(`${forged}; echo still here; exit 7`)).toMatchObject({
      exitCode: 7,
      output: expect.stringContaining('still here'),
    });
  });

  test('no function that a shell exported runs in place of a program', async () => {
    const { run } = open(shell, { env: { 'BASH_FUNC_ls%%': '() {  echo "a function"\n}' } });
    await run('true');
    const { output } = await run("ls; bash -c 'ls'; env | grep -c BASH_FUNC_");
    expect(output).toBe('0\n');
  });

  test('the output is whole, and comes as it is written', async () => {
    const { run, live } = open(shell);
    const { output } = await run('for i in $(seq 20000); do echo "line $i of many"; done; printf "the end"');
    const lines = output.split('\n');
    expect([lines.length, lines[0], lines[19_999], lines[20_000]]).toEqual([
      20_001,
      'line 1 of many',
      'line 20000 of many',
      'the end',
    ]);
    expect(live.join('')).toContain('line 100 of many');
  });

  test('a stop ends all that the command started within a second, and the terminal is used again', async () => {
    const { run, terminals } = open(shell);
    const stop = new AbortController();
    const running = run(
      'sleep 300 & setsid sleep 300 & echo $! > other; echo $$ > own; echo up > up; wait',
      1e6,
      stop.signal,
    );
    await expect.poll(() => existsSync(join(folder, 'up')), { timeout: 30_000 }).toBe(true);
    stop.abort();
    expect(await running).toMatchObject({ ended: 'aborted', exitCode: null });
    expect([pidIn('other'), pidIn('own')].map(isAlive)).toEqual([false, false]);
    expect((await run('echo again')).output).toBe('again\n');
    expect(terminals.opened).toHaveLength(1);
  });

  test('what is left in the background is ended with the command, but not what the person runs there', async () => {
    const { run, terminals } = open(shell);
    await run('true');
    terminals.opened[0]?.type('sleep 299 & echo $! > theirs');
    const { output, exitCode } = await run('sleep 300 & echo $! > left; echo done');
    expect([exitCode, output]).toEqual([0, 'done\n\n… processes left in the background were ended']);
    expect([pidIn('left'), pidIn('theirs')].map(isAlive)).toEqual([false, true]);
    process.kill(pidIn('theirs'));
  });

  test('a time limit ends it', { tags: ['long'] }, async () => {
    const { run } = open(shell);
    const result = await run('echo begun; sleep 300', 1_500);
    expect(result).toMatchObject({ ended: 'timeout', exitCode: null });
  });

  test('a terminal that is closed, or whose shell dies, ends the command, and the next one has a new one', async () => {
    const { run, terminals } = open(shell);
    const running = run('nohup sleep 300 > /dev/null & echo $! > own; echo up > up; wait');
    await expect.poll(() => existsSync(join(folder, 'up')), { timeout: 30_000 }).toBe(true);
    terminals.opened[0]?.close();
    const { ended, exitCode, output } = await running;
    expect([ended, exitCode]).toEqual(['exit', null]);
    expect(output).toContain('the terminal was closed before the command had ended');
    expect(isAlive(pidIn('own'))).toBe(false);
    expect((await run('echo new')).output).toBe('new\n');
    expect(terminals.opened).toHaveLength(2);
  });
});

const [first] = SHELLS;
if (!first) throw new Error('there is no bash');

test('two commands at a time have a terminal each, and one that the person uses is left alone', {
  tags: ['long'],
}, async () => {
  const { run, terminals } = open(first);
  const both = await Promise.all([run('sleep 1; echo one'), run('echo two')]);
  expect(both.map(({ output }) => output)).toEqual(['one\n', 'two\n']);
  expect(terminals.opened).toHaveLength(2);
  for (const terminal of terminals.opened) terminal.isBusy = true;
  await run('echo three');
  expect(terminals.opened).toHaveLength(3);
});

test('without shell integration commands are child processes, and that is told once', async () => {
  const { run, told } = open(first, { integrated: false });
  expect((await run('echo one')).output).toBe('one\n');
  expect((await run('exit 4')).exitCode).toBe(4);
  expect(told()).toBe(1);
});

test('a command cannot say its own end, and marks in pieces are found', () => {
  const secret = 'secret';
  const text =
    'prompt\u001B]7277;secret;begin;0a1f\u0007one \u001B]7277;secret;end;0\u0007 two\u001B]7277;0a1f;end;12\u0007 $ ';
  for (let size = 1; size <= text.length; size++) {
    const marked = createMarkedOutput(secret);
    let got = '';
    for (let at = 0; at < text.length; at += size) got += marked.push(text.slice(at, at + size));
    expect([got, marked.exitCode]).toEqual(['one \u001B]7277;secret;end;0\u0007 two', 12]);
  }
  const open = createMarkedOutput(secret);
  expect([open.push('\u001B]7277;secret;begin;0a1f\u0007half \u001B]7277'), open.exitCode, open.end()]).toEqual([
    'half ',
    null,
    '\u001B]7277',
  ]);
});
