/**
 * Ends what this process has started when this process is killed, which tells nobody. Each is a process of its own that
 * reads a pipe: its end means that we are gone.
 */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MARK } from './listFamily.ts';

/** `leader` leads a group of processes that all carry `mark`. Call what is returned when the group has ended. */
export function startWatchdog(leader: number, mark: string, since: number): () => void {
  return process.platform === 'win32' ? watchOnWindows(leader, since) : watchGroup(leader, mark);
}

/** A line means that the command has ended by itself. The mark also finds what has left the group, on Linux. */
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

/** Node takes a while to start, so one watches everything of this process. */
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
    // Beside this file or the bundle, or above its chunks.
    .find((path) => existsSync(path));
  if (script === undefined) return null;
  const dog = spawn(process.execPath, [script], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Desktop editors are Electron: this makes their program act as Node.
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: '' },
    // Node on Windows takes its children with it, all but the detached ones.
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
