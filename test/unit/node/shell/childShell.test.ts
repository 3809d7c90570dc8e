import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ToolError } from '../../../../src/core/errors.ts';
import { type ChildShellOptions, createChildShell } from '../../../../src/node/shell/childShell.ts';
import { commandEnvironment } from '../../../../src/node/shell/commandEnvironment.ts';
import { createOutputBuffer } from '../../../../src/node/shell/outputBuffer.ts';
import { HandTimers } from '../../../support/ports/handTimers.ts';
import { createWorkbench, useTool } from '../../tools/useTool.ts';
import { createTemporaryFolder } from '../files/temporaryFolder.ts';

const folder = createTemporaryFolder();

interface RunOptions extends Partial<ChildShellOptions> {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly onOutput?: (text: string) => void;
}

function run(command: string, { timeoutMs = 60_000, signal, onOutput, ...options }: RunOptions = {}) {
  const shell = createChildShell({ folder, environment: process.env, ...options });
  return shell.run(
    command,
    { timeoutMs, onOutput: onOutput ?? (() => undefined) },
    signal ?? new AbortController().signal,
  );
}

/** Process ids a command wrote into a file, once it has. */
async function readPids(name: string, count: number): Promise<number[]> {
  const path = join(folder, name);
  for (;;) {
    const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
    if (lines.length === count) return lines.map(Number);
    await sleep(5);
  }
}

/** A zombie has ended; its parent has only not asked yet. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/su.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe.runIf(process.platform === 'linux')('processes', () => {
  test.each([
    ['exit code 0', 'echo hi', { exitCode: 0, output: 'hi\n', ended: 'exit' }],
    ['exit code 3', 'echo no >&2; exit 3', { exitCode: 3, output: 'no\n', ended: 'exit' }],
    ['no such command', 'exec 2>/dev/null; nosuchcommand', { exitCode: 127, output: '', ended: 'exit' }],
    ['ended by a signal', 'kill -9 $$', { exitCode: null, output: '', ended: 'exit' }],
    ['input is closed', 'cat; echo done', { exitCode: 0, output: 'done\n', ended: 'exit' }],
    ['a dash is no option of the shell', '--version 2>/dev/null', { exitCode: 127, output: '', ended: 'exit' }],
    ['it runs in the folder', 'pwd', { exitCode: 0, output: `${folder}\n`, ended: 'exit' }],
  ])('%s', async (_, command, result) => {
    expect(await run(command)).toEqual(result);
  });

  test('stop ends the whole group, also what refuses the polite signal', async () => {
    const stop = new AbortController();
    const command = `trap '' TERM; (trap '' TERM; sleep 60) & sleep 60 & echo $! >> pids; echo $$ >> pids; wait`;
    const running = run(command, { signal: stop.signal });
    const pids = await readPids('pids', 2);
    stop.abort();
    expect(await running).toMatchObject({ exitCode: null, ended: 'aborted' });
    expect(pids.filter(isRunning)).toEqual([]);
  });

  test.each([
    ['timeout', 'timeout 60 sleep 60 & echo $! >> $FILE; wait'],
    ['job control', 'set -m; sleep 60 & echo $! >> $FILE; wait'],
    ['a nested shell', "bash -c 'set -m; sleep 60 & echo $! >> $FILE; wait'"],
  ])('stop also ends what made a group of its own: %s', async (name, command) => {
    const stop = new AbortController();
    const file = name.replaceAll(' ', '-');
    const running = run(`export FILE=${file}; ${command}`, { signal: stop.signal });
    const pids = await readPids(file, 1);
    stop.abort();
    expect((await running).ended).toBe('aborted');
    expect(pids.filter(isRunning)).toEqual([]);
  });

  test.each([
    ['setsid', 'setsid sleep 60 & echo $! >> $FILE; wait'],
    ['a daemon', `setsid --fork bash -c 'echo $$ >> $FILE; exec sleep 60'; sleep 60`],
    ['a daemon of a daemon', `(setsid bash -c '(setsid bash -c "echo \\$\\$ >> $FILE; exec sleep 60" &)' &); sleep 60`],
    ['one that refuses', `setsid bash -c "trap '' TERM HUP; echo \\$\\$ >> $FILE; sleep 60; sleep 60" & sleep 60`],
    [
      'one without environment',
      `env -i FILE=$FILE setsid bash -c "trap '' TERM; echo \\$\\$ >> $FILE; sleep 60; sleep 60" & sleep 60`,
    ],
  ])('stop also ends what left the session, within a second: %s', async (name, command) => {
    const stop = new AbortController();
    const file = name.replaceAll(' ', '-');
    const running = run(`export FILE=${join(folder, file)}; ${command}`, { signal: stop.signal });
    const pids = await readPids(file, 1);
    const before = performance.now();
    stop.abort();
    expect((await running).ended).toBe('aborted');
    expect(pids.filter(isRunning)).toEqual([]);
    // Its own limits add up to 800 ms. A machine under load is given much more, and less than the processes would live.
    expect(performance.now() - before).toBeLessThan(30_000);
  });

  test('a hundred megabytes of anything are an answer within bounds', async () => {
    const { exitCode, output } = await run('head -c 100000000 /dev/zero', { limits: { keep: 1000, live: 0 } });
    expect({ exitCode, length: output.length }).toEqual({
      exitCode: 0,
      length: 2000 + '\n… 99998000 characters left out …\n'.length,
    });
  });

  test('output that never ends ends with the time limit', async () => {
    const timers = new HandTimers();
    const onOutput = () => timers.elapse();
    const { ended, output } = await run('yes', { timers, onOutput, limits: { keep: 1000, live: 10 } });
    expect({ ended, begins: output.startsWith('y\ny\n') }).toEqual({ ended: 'timeout', begins: true });
  });

  test('a program planted in the folder is not what a plain name means', async () => {
    writeFileSync(join(folder, 'git'), '#!/bin/sh\necho planted\n', { mode: 0o755 });
    const environment = { ...process.env, PATH: `.::${process.env.PATH}:relative:` };
    const { output } = await run('git --version; command -v git', { environment });
    expect(output).not.toMatch(/planted|^\.\/git/m);
  });

  test('a timeout ends it and keeps what it had said', async () => {
    const timers = new HandTimers();
    const running = run('echo started; sleep 60', { timeoutMs: 70_000, timers, onOutput: () => timers.elapse() });
    expect(await running).toEqual({
      exitCode: null,
      output: 'started\n',
      ended: 'timeout',
    });
    expect(timers.set).toEqual([70_000]);
  });

  test('what is left in the background ends with the command, and is told', async () => {
    const result = await run('sleep 60 & echo $! > left; echo done');
    expect(result).toEqual({
      exitCode: 0,
      output: 'done\n\n… processes left in the background were ended',
      left: expect.stringContaining('processes left in the background were ended'),
      ended: 'exit',
    });
    expect((await readPids('left', 1)).filter(isRunning)).toEqual([]);
  });

  test('a process that leaves the group cannot hold the call by its pipes', async () => {
    const result = await run('setsid sleep 0.6 & echo done');
    expect(result.output).toMatch(/^done\n/);
  });

  test.each([
    ['setsid', 'setsid sleep 61 >/dev/null 2>&1 & echo $! > $FILE; until [ $(cat /proc/$!/comm) = sleep ]; do :; done'],
    [
      'a daemon',
      `setsid --fork bash -c 'echo $$ > $FILE; exec sleep 61' >/dev/null 2>&1; while ! [ -s $FILE ]; do :; done`,
    ],
  ])('what left a command that ended by itself runs on, and is named: %s', async (name, command) => {
    const file = `runs-on-${name.replaceAll(' ', '-')}`;
    const { output } = await run(`export FILE=${join(folder, file)}; ${command}; echo done`);
    const [pid = 0] = await readPids(file, 1);
    const runs = isRunning(pid);
    process.kill(pid, 'SIGKILL');
    expect({ runs, output: output.replace(/ \((?:sleep 61|bash .*)\)/su, '') }).toEqual({
      runs: true,
      output: `done\n\n… processes still run, because they left the command on purpose: ${pid}`,
    });
  });

  test('what holds the output and cannot be found is told', async () => {
    const file = join(folder, 'lost');
    const { output } = await run(
      `env -i setsid --fork bash -c 'echo $$ > ${file}; exec sleep 61'; while ! [ -s ${file} ]; do :; done; echo done`,
    );
    const [pid = 0] = await readPids('lost', 1);
    process.kill(pid, 'SIGKILL');
    expect(output).toBe('done\n\n… a process that left the command still holds its output; it could not be found');
  });

  test('a signal that was given before starts nothing', async () => {
    expect(await run('touch planted', { signal: AbortSignal.abort() })).toEqual({
      exitCode: null,
      output: '',
      ended: 'aborted',
    });
    expect(existsSync(join(folder, 'planted'))).toBe(false);
  });

  test('a folder that is gone is an answer, not a crash', async () => {
    await expect(run('ls', { folder: join(folder, 'gone') })).rejects.toThrow('The command could not start');
    await expect(run('ls', { folder: null })).rejects.toThrow('No folder is open');
  });

  test('a command that is too long with its environment is refused with what can be done', async () => {
    await expect(run(`: ${'x'.repeat(140_000)}`)).rejects.toThrow('Write the command into a file and run that.');
    const names = Array.from({ length: 60 }, (_, nth) => [`V${nth}`, 'x'.repeat(120_000)]);
    const environment = { PATH: process.env.PATH, ...Object.fromEntries(names) };
    await expect(run('true', { environment })).rejects.toThrow(
      new ToolError(
        'The command could not start (spawn E2BIG). With its environment it is longer than the system takes: write it into a file and run that.',
      ),
    );
  });

  test('keys do not reach a command', async () => {
    const environment = { PATH: process.env.PATH, PALIMPSEST_KEY: 'canary', OPENAI_API_KEY: 'canary', HOME: '/h' };
    const { output } = await run('env', { environment });
    expect(output).toContain('HOME=/h\n');
    expect(output).not.toContain('canary');
  });

  test('a character split between two writes comes out whole, live too', async () => {
    const live: string[] = [];
    const command = `printf '\\xf0\\x9f'; sleep 0.05; printf '\\x98\\x80 end'`;
    const { output } = await run(command, { onOutput: (text) => live.push(text) });
    expect({ output, live: live.join('') }).toEqual({ output: '😀 end', live: '😀 end' });
  });

  test('a flood is bounded in memory and live', async () => {
    let live = 0;
    const limits = { keep: 1000, live: 500 };
    const { output } = await run('head -c 2000000 /dev/zero | tr "\\0" x', {
      limits,
      onOutput: (text) => (live += text.length),
    });
    expect(output).toBe(`${'x'.repeat(1000)}\n… 1998000 characters left out …\n${'x'.repeat(1000)}`);
    expect(live).toBeLessThan(600);
  });
});

describe('environment', () => {
  test('ours, the editor’s and model keys are withheld; the rest stays; nothing waits for a terminal', () => {
    const own = {
      PATH: '/bin',
      GITHUB_TOKEN: 't',
      Anthropic_Api_Key: 'k',
      OPENAI_BASE_URL: 'u',
      VSCODE_IPC_HOOK_CLI: 's',
      ELECTRON_RUN_AS_NODE: '1',
      NODE_OPTIONS: '--require x',
      GONE: undefined,
      'BASH_FUNC_git%%': '() { echo planted; }',
      PAGER: 'less',
    };
    expect(commandEnvironment(own, ['github_token'])).toEqual({
      PATH: '/bin',
      GITHUB_TOKEN: 't',
      PAGER: 'cat',
      GIT_PAGER: 'cat',
      GIT_TERMINAL_PROMPT: '0',
      TERM: 'dumb',
      NO_COLOR: '1',
      NoDefaultCurrentDirectoryInExePath: '1',
    });
  });
});

test('an entry of the PATH is kept whole, and none of the current folder', () => {
  const path = (value: string, platform: NodeJS.Platform) => commandEnvironment({ Path: value }, [], platform).Path;
  expect(path('C:\\a;"D:\\b;c";.;;"E:\\d e";x;"."', 'win32')).toBe('C:\\a;"D:\\b;c";"E:\\d e"');
  expect(path('C:\\a;"D:\\b;.;E:\\c', 'win32')).toBe('C:\\a;D:\\b;E:\\c');
  expect(path('/a;b:.::/c "d"', 'linux')).toBe('/a;b:/c "d"');
});

describe('secrets in the environment', () => {
  const SECRETS = [
    'API_KEY',
    'APIKEY',
    'KEY',
    'MY_KEY',
    'STRIPE_SECRET_KEY',
    'HF_TOKEN',
    'HUGGING_FACE_HUB_TOKEN',
    'NPM_TOKEN',
    'GITLAB_TOKEN',
    'VAULT_TOKEN',
    'CARGO_REGISTRY_TOKEN',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
    'PGPASSWORD',
    'MYSQL_PWD',
    'DB_PASSWORD',
    'DB_PASS',
    'SLACK_BOT_TOKEN',
    'CLIENT_SECRET',
    'JWT_SECRET',
    'SECRET',
    'TOKEN',
    'PASSWORD',
    'AZURE_DEVOPS_EXT_PAT',
    'AZURE_STORAGE_KEY',
    'AZURE_STORAGE_ACCOUNT_KEY',
    'SIGNING_KEY',
    'MISTRAL_API_KEY',
    'GPG_PASSPHRASE',
    'DEPLOY_KEY',
    'SSH_PRIVATE_KEY',
    'SSH_KEY_BASE64',
    'SECRET_KEY_BASE',
    'AUTH_TOKEN',
    'authToken',
    'npm_config__authToken',
    'NODE_AUTH_TOKEN',
    'DOCKER_PASSWORD',
    'SENTRY_AUTH_TOKEN',
    'API_KEYS',
    'SESSION_COOKIE',
  ];
  const ORDINARY = [
    'PATH',
    'HOME',
    'USER',
    'SHELL',
    'LANG',
    'LC_ALL',
    'TMPDIR',
    'PWD',
    'OLDPWD',
    'DISPLAY',
    'SSH_AUTH_SOCK',
    'EDITOR',
    'JAVA_HOME',
    'GOPATH',
    'CARGO_HOME',
    'NVM_DIR',
    'VIRTUAL_ENV',
    'PYTHONPATH',
    'XDG_CONFIG_HOME',
    'CI',
    'DOCKER_HOST',
    'AWS_PROFILE',
    'AWS_REGION',
    'KUBECONFIG',
    'HTTP_PROXY',
    'NO_PROXY',
    'KEYBOARD',
    'MONKEY',
    'TOKENIZERS_PARALLELISM',
    'COMPASS',
    'BYPASS',
    'PASSENGER_ROOT',
    'SECRETARY',
    'KEYMAP',
    'HOTKEY',
    'XKB_DEFAULT_LAYOUT',
    'PATH_SEPARATOR',
  ];
  const environment = Object.fromEntries([...SECRETS, ...ORDINARY].map((name) => [name, '/canary']));
  const given = (allowed: readonly string[]) => Object.keys(commandEnvironment(environment, allowed));

  test('are withheld by the kinds of names that they have; other names are not', () => {
    expect(given([]).filter((name) => SECRETS.includes(name))).toEqual([]);
    expect(ORDINARY.filter((name) => !given([]).includes(name))).toEqual([]);
  });

  // `env` is a program of POSIX; test/unit/node/shell/onWindows.test.ts shows the same.
  test.skipIf(process.platform === 'win32')('reach a command when they are allowed by name', async () => {
    const own = { ...process.env, HF_TOKEN: 'canary1', NPM_TOKEN: 'canary2' };
    const { output } = await run('env', { environment: own, allowedVariables: () => ['HF_TOKEN'] });
    expect([output.includes('canary1'), output.includes('canary2')]).toEqual([true, false]);
  });

  test('those that steer the editor cannot be allowed', () => {
    expect(
      commandEnvironment({ VSCODE_IPC_HOOK_CLI: 's', NODE_OPTIONS: 'n' }, ['VSCODE_IPC_HOOK_CLI', 'NODE_OPTIONS']),
    ).not.toHaveProperty('NODE_OPTIONS');
  });
});

describe('output', () => {
  test.each([1, 2, 3, 5, 7, 64])('in chunks of %i bytes is the same text', (size) => {
    const text = 'é 漢字 😀 plain\n'.repeat(20);
    const bytes = Buffer.from(text);
    let live = '';
    const output = createOutputBuffer({ keep: 10_000, live: 10_000 }, (chunk) => {
      live += chunk;
    });
    const stream = output.openStream();
    for (let at = 0; at < bytes.length; at += size) stream.write(bytes.subarray(at, at + size));
    stream.end();
    expect({ text: output.text(), live }).toEqual({ text, live: text });
  });

  test.each([0, 1, 9, 10, 11, 20, 21, 29, 30, 31, 100])('of %i characters keeps both ends of ten', (length) => {
    const output = createOutputBuffer({ keep: 10, live: 0 }, () => undefined);
    const stream = output.openStream();
    const text = Array.from({ length }, (_, index) => String.fromCharCode(97 + (index % 26))).join('');
    for (const letter of text) stream.write(Buffer.from(letter));
    const whole = length <= 20;
    expect(output.text()).toBe(
      whole ? text : `${text.slice(0, 10)}\n… ${length - 20} characters left out …\n${text.slice(-10)}`,
    );
  });
});

test.each([
  ['longer than the system takes', `: ${'x'.repeat(4_000_000)}`],
  ['with a NUL character', 'echo a\0b'],
])('a command %s is an error of the tool', async (_, command) => {
  const ports = { ...createWorkbench(), shell: createChildShell({ folder, environment: process.env }) };
  expect(await useTool(ports, 'run_command', { command })).toMatchObject({ isError: true });
});
