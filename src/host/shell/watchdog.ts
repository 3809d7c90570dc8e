/**
 * Ends the processes started by this process when it is killed, which notifies nobody. Each watchdog is a separate
 * process that reads a pipe: end of input means that this process is gone.
 */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MARK } from './listFamily.ts';

/** `leader` leads a group of processes that all carry `mark`. Call the returned function when the group has ended. */
export function startWatchdog(leader: number, mark: string, since: number): () => void {
  return process.platform === 'win32' ? watchOnWindows(leader, since) : watchGroup(leader, mark);
}

/** A line means that the command has ended by itself. On Linux the mark also finds processes that left the group. */
const WATCH = `
read -r ended && exit 0
kill -s TERM -- "-$1" 2>/dev/null
sleep 1
kill -s KILL -- "-$1" 2>/dev/null
for each in /proc/[0-9]*; do
  if grep -qsaF "$2" "$each/environ"; then kill -s KILL "\${each#/proc/}" 2>/dev/null; fi
done
`;

function watchGroup(leader: number, mark: string): () => void {
  const dog = spawn('/bin/sh', ['-c', WATCH, 'sh', String(leader), `${MARK}=${mark}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
    detached: true,
  });
  // Without it the command runs as any other.
  dog.on('error', () => undefined);
  dog.stdin.on('error', () => undefined);
  dog.unref();
  return () => void dog.stdin.end('ended\n');
}

/** Node takes a while to start, so one watches all children of this process. */
let windowsDog: ReturnType<typeof startWindowsDog> = null;

function watchOnWindows(id: number, since: number): () => void {
  windowsDog ??= startWindowsDog();
  const dog = windowsDog;
  dog?.stdin.write(`+ ${id} ${since}\n`);
  return () => void dog?.stdin.write(`- ${id}\n`);
}

function startWindowsDog() {
  const script = ['./watchdogProcess.js', '../watchdogProcess.js', './watchdogProcess.ts']
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    // Next to this file or the bundle, or above its chunks.
    .find((path) => existsSync(path));
  if (script === undefined) return null;
  const dog = spawn(process.execPath, [script], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Desktop editors are Electron: this makes their program act as Node.
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: '' },
    // Node on Windows ends its children with itself, except detached ones.
    detached: true,
    windowsHide: true,
  });
  const forget = () => {
    if (windowsDog === dog) windowsDog = null;
  };
  dog.on('error', forget);
  dog.on('exit', forget);
  dog.stdin.on('error', () => undefined);
  dog.unref();
  (dog.stdin as { unref?: () => void }).unref?.();
  return dog;
}
