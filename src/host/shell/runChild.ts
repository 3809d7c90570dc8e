/**
 * Runs one command line as a child process in a group of its own, until it has ended, is aborted or has run too long. Then
 * nothing of its group is left; an abort or a timeout also ends what left the group, and otherwise that is named.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf, ToolError } from '../../core/errors.ts';
import type { ShellResult, Timers } from '../../core/ports.ts';
import { describeLeft } from './describeLeft.ts';
import { MARK } from './listFamily.ts';
import { endGroup } from './processGroup.ts';
import { startWatchdog } from './watchdog.ts';

interface ChildOptions {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Without a limit of time, null. */
  readonly timeoutMs: number | null;
  readonly timers: Timers;
  /** What it reads; by default there is no input. */
  readonly input?: string;
  /** It ends also when this process is killed. */
  readonly watched?: boolean;
  readonly stdout: StreamWriter;
  readonly stderr: StreamWriter;
}

interface StreamWriter {
  write(bytes: Buffer): void;
  end(): void;
}

export interface ChildEnd {
  readonly ended: ShellResult['ended'];
  readonly exitCode: number | null;
  /** What became of processes in the background, in lines; empty when there were none. */
  readonly left: string;
}

/** Time to read the pipes to their end after the processes are gone. */
const DRAIN_MS = 200;

export async function runChild(command: string, options: ChildOptions, signal: AbortSignal): Promise<ChildEnd> {
  const { folder, environment, timeoutMs, timers, input, watched = false } = options;
  if (signal.aborted) return { ended: 'aborted', exitCode: null, left: '' };
  const mark = randomUUID();
  const child = start(command, folder, { ...environment, [MARK]: mark }, input !== undefined);
  child.stdout?.on('data', options.stdout.write).on('end', options.stdout.end);
  child.stderr?.on('data', options.stderr.write).on('end', options.stderr.end);
  // Who does not read what is written closes the pipe, which is no fault.
  child.stdin?.on('error', () => undefined).end(input);
  const endWatch = watched && child.pid !== undefined ? startWatchdog(child.pid, mark) : () => undefined;
  const startTimer = (fire: () => void) => (timeoutMs === null ? () => undefined : timers.after(timeoutMs, fire));
  const ended = await waitForEnd(child, signal, startTimer);
  // A command that ended by itself may leave a daemon on purpose; stopping a command means all of it.
  const group = await endGroup(child, mark, ended !== 'exit');
  endWatch();
  const drained = await drain(child);
  return { ended, exitCode: child.exitCode, left: describeLeft(ended, group, drained) };
}

function start(command: string, folder: string, env: Record<string, string>, hasInput: boolean): ChildProcess {
  const windows = process.platform === 'win32';
  // After `--`, a command that begins with a dash is a command and not an option of the shell.
  const [file, ...args] = windows
    ? [process.env.ComSpec ?? 'cmd.exe', '/d', '/s', '/c', `"${command}"`]
    : [existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh', '-c', '--', command];
  return spawn(file, args, {
    cwd: folder,
    env,
    stdio: [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    // A group of its own, so that all of it can be ended. Windows uses the tree of processes instead.
    detached: !windows,
    windowsHide: true,
    windowsVerbatimArguments: windows,
  });
}

/** Resolves when the shell has ended, or should be ended. Rejects when it could not start. */
function waitForEnd(
  child: ChildProcess,
  signal: AbortSignal,
  startTimer: (fire: () => void) => () => void,
): Promise<ShellResult['ended']> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      cancelTimer();
      signal.removeEventListener('abort', abort);
      act();
    };
    const abort = () => settle(() => resolve('aborted'));
    const cancelTimer = startTimer(() => settle(() => resolve('timeout')));
    signal.addEventListener('abort', abort, { once: true });
    child.once('exit', () => settle(() => resolve('exit')));
    child.once('error', (thrown) =>
      settle(() => reject(new ToolError(`The command could not start (${messageOf(thrown)}).`, { cause: thrown }))),
    );
  });
}

/** A process that left the group may keep the pipes open for ever, so reading them must stop. False when one does. */
async function drain(child: ChildProcess): Promise<boolean> {
  const open = [child.stdout, child.stderr].filter((stream) => stream && !stream.readableEnded);
  if (open.length > 0) {
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const late = new AbortController();
    await Promise.race([closed, delay(DRAIN_MS, undefined, { signal: late.signal }).catch(() => undefined)]);
    late.abort();
  }
  const drained = open.every((stream) => stream?.readableEnded);
  for (const stream of open) stream?.destroy();
  return drained;
}
