/**
 * One code-server with the packaged VSIX for all scenarios of a worker that need no server of their own: a start costs
 * seconds, and the first window of a server some more. Invariant: a scenario finds nothing of the one before. Its
 * extension hosts and their processes have ended, and what it left on disk is gone; what a browser keeps (state, secrets)
 * ends with its browser context.
 */

import { execFileSync } from 'node:child_process';
import { globSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from '@playwright/test';
import { type CodeServer, QUIET_SETTINGS, startCodeServer } from '../../../scripts/host/codeServer.ts';
import { VSIX } from '../../../scripts/paths.ts';

export interface SharedServer {
  /** The server with these user settings; its `stop` gives it back, after the windows were closed. */
  lend(settings: Readonly<Record<string, unknown>>): Promise<CodeServer>;
  end(): Promise<void>;
}

/** What the server itself needs of the folder that was made for it, which is also the home folder of its processes. */
const OF_THE_SERVER = ['user', 'ext', 'd', 't', 'config.yaml', 'code-server.log'];
/** What it needs in its folder for users, and what it may keep there: its lists of extensions. */
const OF_THE_USERS = ['machineid', 'customBuiltinExtensionsCache.json', 'systemExtensionsCache.json'];

export function shareServer(): SharedServer {
  let running: CodeServer | undefined;
  return {
    async lend(settings) {
      if (running?.process.exitCode !== null || running.process.signalCode !== null)
        running = await startCodeServer({ vsix: [VSIX] });
      const server = running;
      await clean(server);
      writeFileSync(server.settingsFile, JSON.stringify({ ...QUIET_SETTINGS, ...settings }, null, 2));
      return { ...server, stop: () => clean(server) };
    },
    async end() {
      await running?.stop();
    },
  };
}

async function clean({ process: { pid }, userDataDir }: CodeServer): Promise<void> {
  const ofWindows = () => listWindowProcesses(pid ?? 0);
  await expect
    .poll(() => {
      const left = ofWindows();
      for (const one of left) end(one);
      return left;
    }, 'what windows have started')
    .toEqual([]);
  const home = dirname(userDataDir);
  remove(home, OF_THE_SERVER);
  remove(join(userDataDir, 'User'), OF_THE_USERS);
  for (const logs of globSync('logs/*/exthost*', { cwd: userDataDir }))
    rmSync(join(userDataDir, logs), { recursive: true, force: true });
}

function remove(folder: string, except: readonly string[]): void {
  for (const name of globSync('{*,.*}', { cwd: folder }))
    if (!except.includes(name))
      rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** Extension hosts, shells in terminals, and all that these have started. */
function listWindowProcesses(server: number): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [])
    .map(([, pid, parent, state = '', line = '']) => ({ pid: Number(pid), parent: Number(parent), state, line }))
    .filter(({ state }) => state !== '' && !state.startsWith('Z'));
  const below = (root: number): typeof rows =>
    rows.filter(({ parent }) => parent === root).flatMap((row) => [row, ...below(row.pid)]);
  const all = below(server);
  const terminals = all.filter(({ line }) => line.includes('--type=ptyHost'));
  const hosts = all.filter(({ line }) => line.includes('--type=extensionHost'));
  const started = [...hosts, ...terminals].flatMap(({ pid }) => below(pid));
  return [...new Set([...hosts, ...started].map(({ pid }) => pid))];
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
