/** A server leaves nothing behind: neither when its host is killed, nor when the program that started it ends first. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-npx-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** It minds neither the end of its input nor a polite signal, and has started a program that left its session. */
const CLINGING = `#!/usr/bin/env node
const { spawn } = require('node:child_process');
const { writeFileSync } = require('node:fs');
for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.on(signal, () => undefined);
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
process.stdin.resume();
setInterval(() => {}, 1000);
writeFileSync('pids', [process.ppid, process.pid, child.pid].join(' '));
`;

/** Starts the server as the product does, and stays. */
const HOST = `
import { StdioTransport } from ${JSON.stringify(resolve('src/node/mcp/transport/stdioTransport.ts'))};
const [command, ...args] = process.argv.slice(1);
const transport = new StdioTransport({ command, args, env: process.env, cwd: process.cwd(), now: Date.now, onLine: console.error });
await transport.start();
process.stdin.on('end', () => void transport.close().then(() => process.exit(0))).resume();
`;

function startHost(command: readonly string[]) {
  writeFileSync(join(folder, 'package.json'), '{"name":"project","version":"1.0.0"}');
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  const bin = join(folder, 'node_modules/.bin/clinging');
  writeFileSync(bin, CLINGING);
  chmodSync(bin, 0o755);
  return spawn(process.execPath, ['--input-type=module', '-e', HOST, '--', ...command], {
    cwd: folder,
    stdio: ['pipe', 'ignore', 'inherit'],
    env: { ...process.env, npm_config_cache: join(folder, 'cache'), npm_config_update_notifier: 'false' },
  });
}

async function readPids(): Promise<readonly number[]> {
  const file = join(folder, 'pids');
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8') !== '').toBe(true);
  return readFileSync(file, 'utf8').split(' ').map(Number);
}

function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/su.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

// It lists /proc. On Windows the list of processes says the same: windowsTree.test.ts.
test.runIf(process.platform === 'linux').each([
  ['the host is killed', 'SIGKILL' as const],
  ['the connection is closed', null],
])('a server that npx started, with all that it started, when %s', { tags: ['long'] }, async (_, signal) => {
  const host = startHost(['npx', '--no', 'clinging']);
  const pids = await readPids();
  expect(pids.map(isRunning)).toEqual([true, true, true]);
  if (signal) host.kill(signal);
  else host.stdin.end();
  await once(host, 'exit');
  await expect.poll(() => pids.map(isRunning), { timeout: 30_000 }).toEqual([false, false, false]);
});

test.runIf(process.platform === 'linux')('a server whose starter ended without it', { tags: ['long'] }, async () => {
  // Its output goes elsewhere, so that the connection ends with the starter.
  const host = startHost([
    'sh',
    '-c',
    './node_modules/.bin/clinging >/dev/null 2>&1 & until [ -s pids ]; do sleep 0.02; done',
  ]);
  const pids = await readPids();
  await expect.poll(() => pids.map(isRunning), { timeout: 30_000 }).toEqual([false, false, false]);
  host.kill('SIGKILL');
  await once(host, 'exit');
});
