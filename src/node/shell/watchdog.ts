/**
 * Ends the processes started by this process when it is killed, which notifies nobody. Each watchdog is a separate
 * process that reads a pipe: end of input means that this process is gone.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MARK } from './listProcesses.ts';

interface Watchdog {
  watch(leader: number, since: number): void;
  end(): void;
}

/**
 * Starts a process that leads a group whose members all carry `mark`. Call `endWatch` when the group has ended. The
 * watchdog is there first: this process may be killed between the two.
 */
export function startWatched<Child extends ChildProcess>(
  mark: string,
  since: number,
  start: () => Child,
): { child: Child; endWatch: () => void } {
  const dog = process.platform === 'win32' ? watchOnWindows() : watchGroup(mark);
  try {
    const child = start();
    if (child.pid === undefined) dog.end();
    else dog.watch(child.pid, since);
    return { child, endWatch: () => dog.end() };
  } catch (thrown) {
    dog.end();
    throw thrown;
  }
}

/** Its input names who leads the group, then ends with a line when it ended by itself. On Linux the mark also finds who left the group. */
const WATCH = `
read -r leader
read -r ended && exit 0
if [ -n "$leader" ]; then kill -s TERM -- "-$leader" 2>/dev/null; fi
sleep 1
if [ -n "$leader" ]; then kill -s KILL -- "-$leader" 2>/dev/null; fi
for each in /proc/[0-9]*; do
  if grep -qsaF "$1" "$each/environ"; then kill -s KILL "\${each#/proc/}" 2>/dev/null; fi
done
`;

function watchGroup(mark: string): Watchdog {
  const dog = spawn('/bin/sh', ['-c', WATCH, 'sh', `${MARK}=${mark}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
    detached: true,
  });
  // Without it the command runs as any other.
  dog.on('error', () => undefined);
  dog.stdin.on('error', () => undefined);
  dog.unref();
  let first = '\n';
  return {
    watch(leader) {
      dog.stdin.write(`${leader}\n`);
      first = '';
    },
    end: () => void dog.stdin.end(`${first}ended\n`),
  };
}

/** Node takes a while to start, so one watches all children of this process. */
let windowsDog: ReturnType<typeof startWindowsDog> = null;

function watchOnWindows(): Watchdog {
  windowsDog ??= startWindowsDog();
  const dog = windowsDog;
  let id: number | undefined;
  return {
    watch(leader, since) {
      id = leader;
      dog?.stdin.write(`+ ${id} ${since}\n`);
    },
    end: () => void (id !== undefined && dog?.stdin.write(`- ${id}\n`)),
  };
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
