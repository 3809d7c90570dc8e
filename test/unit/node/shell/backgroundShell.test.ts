/**
 * Commands in the background, with real processes: what runs on over calls, how its output is read, and that nothing of
 * it outlives its stop, the window or a killed host.
 */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Mode } from '../../../../src/core/mode.ts';
import { decideApproval, NO_GRANTS, type WorkspaceTrust } from '../../../../src/core/tools/approvals.ts';
import { TOOLS } from '../../../../src/core/tools/toolList.ts';
import { BackgroundShell } from '../../../../src/node/shell/backgroundShell.ts';
import { createChildShell } from '../../../../src/node/shell/childShell.ts';
import { nodeCrypto } from '../../../../src/node/storage/disk/fileBlobStore.ts';
import { systemTimers } from '../../../../src/providers/timers.ts';
import { createWorkbench, prepareOnly, useTool } from '../../tools/useTool.ts';

// They run programs of POSIX; test/unit/node/shell/onWindows.test.ts shows the same with those of Windows.
const posix = test.skipIf(process.platform === 'win32');

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-background-'));
const opened: BackgroundShell[] = [];

function open() {
  const limits = { keep: 1, live: Number.POSITIVE_INFINITY };
  const shell = createChildShell({ folder, environment: process.env, limits });
  const background = new BackgroundShell({ shell: () => shell, crypto: nodeCrypto, timers: systemTimers });
  opened.push(background);
  const ports = { ...createWorkbench(), background: background.of('a') };
  return { background, ports };
}

afterEach(async () => {
  for (const background of opened.splice(0)) await Promise.all(background.list().map(({ id }) => background.stop(id)));
});

const idIn = (text: string) => /bg-[0-9a-f]+/.exec(text)?.[0] ?? 'none';
const isAlive = (id: number) => {
  try {
    process.kill(id, 0);
    return !readFileSync(`/proc/${id}/stat`, 'latin1').includes(') Z ');
  } catch {
    return false;
  }
};
const pidIn = (name: string) => Number(readFileSync(join(folder, name), 'utf8'));

posix('a server runs on over calls, is read as it writes, and ends with all that it started', async () => {
  const { ports } = open();
  const command = 'sleep 300 & echo $! > child; setsid sleep 300 & echo up; read line < pipe; echo got it; wait';
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const started = await useTool(ports, 'run_command', { command, background: true });
  const id = idIn(started.text);
  expect(started.text.split('\n')[0]).toBe(`running in the background as ${id}`);
  const read = async () => (await useTool(ports, 'read_output', { id, wait_seconds: 60 })).text.split('\n').slice(1);
  if (!started.text.endsWith('\nup')) expect(await read()).toEqual(['up']);

  expect((await useTool(ports, 'read_output', { id })).text).toBe(`running in the background as ${id}\n(nothing new)`);
  const reading = read();
  execFileSync('sh', ['-c', 'echo x > pipe'], { cwd: folder });
  expect(await reading).toEqual(['got it']);

  const child = pidIn('child');
  expect(isAlive(child)).toBe(true);
  expect((await useTool(ports, 'stop_command', { id })).text).toBe(`${id} was stopped\n(nothing new)`);
  expect(isAlive(child)).toBe(false);
  expect((await useTool(ports, 'read_output', { id })).text).toContain('was stopped');
});

posix('a command that ends at once says how', async () => {
  const { ports } = open();
  const { text } = await useTool(ports, 'run_command', { command: 'echo no; exit 3', background: true });
  expect(text).toMatch(/^exit code 3 \(bg-[0-9a-f]+\)\nno$/);
});

posix('the output is bounded, and what was not read in time is counted', async () => {
  const { background, ports } = open();
  const command = "head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last";
  const id = idIn((await useTool(ports, 'run_command', { command: `read l; ${command}`, background: true })).text);
  // Without input `read` ends at once, so the command has ended by now or will soon.
  await expect.poll(() => background.list().find((each) => each.id === id)?.ended).toBeTruthy();
  expect(background.outputOf(id).length).toBeLessThanOrEqual(800_000);
  expect(background.outputOf(id)).toMatch(/x\nlast\n$/);
});

posix(
  'no more than eight run at a time, and an unknown one is named with those there are',
  { tags: ['long'] },
  async () => {
    const { background, ports } = open();
    const never = new AbortController();
    never.abort();
    for (let i = 0; i < 8; i++) await background.of('a').start('sleep 300', never.signal);
    const ninth = await useTool(ports, 'run_command', { command: 'sleep 301', background: true });
    expect(ninth.text).toMatch(/8 commands run in the background already.*sleep 300/);
    expect((await useTool(ports, 'stop_command', { id: 'bg-x' })).text).toMatch(/No command bg-x runs.*sleep 300/);
  },
);

posix('a session knows only its own commands, until they are handed over', async () => {
  const { background, ports } = open();
  const other = { ...ports, background: background.of('b') };
  const id = idIn((await useTool(ports, 'run_command', { command: 'sleep 300', background: true })).text);
  expect((await useTool(other, 'read_output', { id, wait_seconds: 0 })).text).toMatch(/No command bg-.*are: none/);
  expect((await useTool(other, 'stop_command', { id })).text).toMatch(/No command bg-.*are: none/);
  expect([background.list('a').length, background.list('b').length, background.list().length]).toEqual([1, 0, 1]);
  background.handOver('a', 'b');
  expect((await useTool(other, 'stop_command', { id })).isError).toBeFalsy();
});

test('starting asks as every command does and says that it runs on; reading and stopping do not ask', async () => {
  const { background, ports } = open();
  const { approval } = await prepareOnly(ports, 'run_command', { command: 'npm run dev', background: true });
  expect(approval?.detail).toMatchObject({ command: 'npm run dev', background: true });
  const aborted = AbortSignal.abort();
  const { command } = await background.of('a').start('sleep 300', aborted);
  const { grant } = await prepareOnly(ports, 'stop_command', { id: command.id });
  const decide = (trust: 'trusted' | 'untrusted') =>
    decideApproval({ toolClass: 'run', guarded: false, mode: 'act', trust, grants: NO_GRANTS, grant }).kind;
  expect([decide('trusted'), decide('untrusted')]).toEqual(['allow', 'refuse']);
});

test('every mode may read what an agreed command writes, and none but act may start or stop one', () => {
  const decide = (name: string, mode: Mode, trust: WorkspaceTrust = 'trusted') => {
    const { toolClass } = TOOLS.find((tool) => tool.name === name) ?? { toolClass: 'run' };
    const grant = { covers: [{ key: name, title: name }], standing: 'allow' } as const;
    return decideApproval({ toolClass, guarded: false, trust, mode, grants: NO_GRANTS, grant }).kind;
  };
  for (const mode of ['ask', 'plan'] as const) {
    expect(decide('read_output', mode)).toBe('allow');
    for (const name of ['run_command', 'stop_command']) expect(decide(name, mode)).toBe('refuse');
  }
  expect(decide('run_command', 'act', 'untrusted')).toBe('refuse');
});

posix('when the host is killed, nothing of its commands runs on', async () => {
  const source = (path: string) => JSON.stringify(resolve('src/node/shell', path));
  const program = `
    import { createChildShell } from ${source('childShell.ts')};
    const shell = createChildShell({ folder: ${JSON.stringify(folder)}, environment: process.env });
    const command = 'echo $$ > one; setsid sh -c "echo \\\\$\\\\$ > two; echo x > ready; exec sleep 300" & sleep 300';
    await shell.run(command, { timeoutMs: null, onOutput: () => undefined }, new AbortController().signal);`;
  const host = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await expect.poll(() => existsSync(join(folder, 'ready')), { timeout: 30_000 }).toBe(true);
  const all = [pidIn('one'), pidIn('two')];
  expect(all.map(isAlive)).toEqual([true, true]);
  host.kill('SIGKILL');
  await once(host, 'exit');
  await expect.poll(() => all.map(isAlive), { timeout: 30_000 }).toEqual([false, false]);
  rmSync(folder, { recursive: true });
});

test('disposing stops them', async () => {
  const { background } = open();
  const { command } = await background.of('a').start('sleep 300', AbortSignal.abort());
  background.dispose();
  await expect.poll(() => background.list().find(({ id }) => id === command.id)?.ended?.ended).toBe('aborted');
});
