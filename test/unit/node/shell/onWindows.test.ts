/** On Windows itself: what the tests with POSIX's own programs show elsewhere. Each command is one that cmd takes. */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ChildShellOptions, createChildShell } from '../../../../src/node/shell/childShell.ts';
import { decoderOf, readOutputEncodings } from '../../../../src/node/shell/codePages.ts';
import { commandEnvironment } from '../../../../src/node/shell/commandEnvironment.ts';
import { findShell, refuseCommand } from '../../../../src/node/shell/commandShell.ts';
import { createHookRunner } from '../../../../src/node/shell/hookRunner.ts';
import { endWindowsTree, listWindowsProcesses, type WindowsProcess } from '../../../../src/node/shell/windowsTree.ts';
import { openFolder } from '../files/temporaryFolder.ts';

const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'palimpsest-windows-')));
const node = `"${process.execPath}"`;
const never = new AbortController().signal;
const system = { platform: process.platform, environment: process.env, exists: existsSync };
const cmd = () => findShell(system, 'cmd');
/** Those that are there. */
const SHELLS = ['gitBash', 'pwsh', 'powershell', 'cmd']
  .map((wanted) => findShell(system, wanted))
  .filter(({ file }, at, all) => all.findIndex((each) => each.file === file) === at);

/** A script beside the commands, so that no shell quotes it. */
function script(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return `${node} ${name}`;
}

function run(command: string, options: Partial<ChildShellOptions> = {}, signal = never, onOutput = ignore) {
  const shell = createChildShell({ folder, environment: process.env, shell: cmd, ...options });
  return shell.run(command, { timeoutMs: 60_000, onOutput }, signal);
}
const ignore: (text: string) => void = () => undefined;

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    return false;
  }
}

/** Where PowerShell lists none. It does not say when they were started. */
function listByWmic(created: number): readonly WindowsProcess[] {
  // Under Wine it may wait for ever, and this process with it.
  const printed = execFileSync('wmic', ['process', 'get', 'Name,ParentProcessId,ProcessId'], {
    timeout: 20_000,
    stdio: ['ignore', 'pipe', 'ignore'],
    encoding: 'utf16le',
  });
  return [...printed.matchAll(/^(\S.*?) +(\d+) +(\d+) *\r?$/gm)].map(([, name = '', parent, id]) => ({
    name,
    created,
    id: Number(id),
    parent: Number(parent),
  }));
}

async function readId(name: string): Promise<number> {
  await expect.poll(() => readFileSync(join(folder, name), 'utf8')).toMatch(/^\d+$/);
  return Number(readFileSync(join(folder, name), 'utf8'));
}

describe.runIf(process.platform === 'win32')('on Windows', () => {
  test.each([
    ['exit code 0', 'echo hi', { exitCode: 0, output: 'hi\r\n', ended: 'exit' }],
    ['exit code 3', 'exit 3', { exitCode: 3, output: '', ended: 'exit' }],
    ['the second of two', 'echo a&& exit 4', { exitCode: 4, output: 'a\r\n', ended: 'exit' }],
    ['quotes', 'echo "a b" & echo c', { exitCode: 0, output: '"a b" \r\nc\r\n', ended: 'exit' }],
  ])('%s', async (_, command, result) => {
    expect(await run(command)).toMatchObject(result);
  });

  test('it runs in the folder, without input and without secrets', async () => {
    const environment = { ...process.env, HF_TOKEN: 'canary', KEPT: 'kept' };
    const command = script(
      'show.cjs',
      'process.stdin.on("data", () => 0).on("end", () => console.log(process.cwd(), process.env.HF_TOKEN, process.env.KEPT));',
    );
    const { output } = await run(command, { environment });
    expect(output.trim().toLowerCase()).toBe(`${folder.toLowerCase()} undefined kept`);
    const allowed = await run(command, { environment, allowedVariables: () => ['hf_token'] });
    expect(allowed.output.trim()).toMatch(/ canary kept$/);
    expect(Object.keys(commandEnvironment(environment, []))).not.toContain('HF_TOKEN');
  });

  test('output is read in UTF-8, and a line in the code page of the system in that', async () => {
    const command = script(
      'both.cjs',
      'process.stdout.write(Buffer.from("中 é\\r\\n")); process.stdout.write(Buffer.from([0x68, 0xe9, 0x0a]));',
    );
    const [own = 'utf-8'] = await readOutputEncodings();
    const second = decoderOf(own).decode(Buffer.from([0x68, 0xe9]));
    expect((await run(command)).output).toBe(`中 é\r\n${second}\n`);
  });

  test.each(SHELLS)('a file is found by its path as $name prints it', async (shell) => {
    writeFileSync(join(folder, 'é 100%.ts'), 'here\n');
    const command = { posix: 'pwd', gitBash: 'pwd', powershell: '(Get-Location).Path', cmd: 'cd' }[shell.kind];
    const { output } = await run(command, { shell: () => shell });
    const path = `${output.trim()}/é 100%.ts`;
    expect(await (await openFolder(folder)).resolve(path)).toMatchObject({ shown: 'é 100%.ts', exists: true });
  });

  test('a command line as long as a command may be starts a program', () => {
    const program = process.execPath.includes(' ') ? node : process.execPath;
    const rest = 'x'.repeat(32_766 - `${program} -e 0 `.length);
    expect(spawnSync(process.execPath, ['-e', '0', rest])).toMatchObject({ status: 0 });
  });

  test.each(SHELLS)('the longest command that $name takes runs', async (shell) => {
    let length = 32_766;
    while (refuseCommand(shell, `echo ${'x'.repeat(length)}`, folder) !== null) length--;
    const { output } = await run(`echo ${'x'.repeat(length)}`, { shell: () => shell });
    expect(output.trim().length).toBe(length);
  });

  test('several lines are refused in cmd', async () => {
    await expect(run('echo a\necho b')).rejects.toThrow('only the first line');
  });

  test('stop ends the command', async () => {
    const command = script(
      'wait.cjs',
      'require("fs").writeFileSync("wait", String(process.pid)); setInterval(() => {}, 1000);',
    );
    const stop = new AbortController();
    const running = run(command, {}, stop.signal);
    const id = await readId('wait');
    stop.abort();
    expect(await running).toMatchObject({ ended: 'aborted' });
    // Its shell has ended; what it started is the next test.
    expect(id).toBeGreaterThan(0);
  });

  test('stop ends all that the command has started', async () => {
    script('leaf.cjs', 'require("fs").writeFileSync("leaf", String(process.pid)); setInterval(() => {}, 1000);');
    const command = script(
      'branch.cjs',
      'require("child_process").spawn(process.execPath, ["leaf.cjs"], { detached: true, stdio: "ignore" }); setInterval(() => {}, 1000);',
    );
    const stop = new AbortController();
    const running = run(command, {}, stop.signal);
    const id = await readId('leaf');
    stop.abort();
    await running;
    const left = isRunning(id);
    if (left) process.kill(id);
    expect(left).toBe(false);
  });

  test('what a list of processes names is ended, also what its parent has left behind', async () => {
    script('left.cjs', 'require("fs").writeFileSync("left", String(process.pid)); setInterval(() => {}, 1000);');
    script(
      'parent.cjs',
      'require("child_process").spawn(process.execPath, ["left.cjs"], { detached: true, stdio: "ignore" }).unref();',
    );
    const since = Date.now();
    const root = spawn(process.execPath, ['parent.cjs'], { cwd: folder, stdio: 'ignore' });
    await once(root, 'exit');
    const id = await readId('left');
    const list = async () => (await listWindowsProcesses()) ?? listByWmic(since);
    const { ended, left } = await endWindowsTree({ id: root.pid ?? 0, since, runs: () => false }, list);
    expect({ ended, left, runs: isRunning(id) }).toEqual({ ended: true, left: [], runs: false });
  });

  test('the processes are listed with their parents', async () => {
    const own = (await listWindowsProcesses())?.find(({ id }) => id === process.pid);
    expect(own).toMatchObject({ name: expect.stringMatching(/^node/i), parent: process.ppid });
    expect(own?.created).toBeLessThan(Date.now());
  });

  describe('a hook', () => {
    const hook = (command: string, input = '') =>
      createHookRunner({ folder, environment: process.env, shell: cmd }).run(
        command,
        { input, timeoutMs: 60_000 },
        never,
      );

    test('reads its input, and its exit code and words come back', async () => {
      const command = script(
        'guard.cjs',
        'let text = ""; process.stdin.on("data", (d) => (text += d)).on("end", () => { console.error(JSON.parse(text).tool); process.exit(2); });',
      );
      expect(await hook(command, '{"tool":"write_file"}')).toEqual({
        ended: 'exit',
        exitCode: 2,
        output: '',
        errors: 'write_file\n',
      });
    });

    test('whose program is not there is told from one that fails', async () => {
      expect(await hook('palimpsest-guard-that-is-not-there --strict')).toMatchObject({ missing: true });
      expect(await hook(script('fail.cjs', 'process.exit(1)'))).toMatchObject({ exitCode: 1 });
      expect(await hook(script('fail.cjs', 'process.exit(1)'))).not.toHaveProperty('missing');
    });
  });
});
