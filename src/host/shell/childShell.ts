/**
 * Runs each command line as a child process in a group of its own. When a run ends, by itself, by abort or by timeout,
 * nothing of its group is left: what still runs in the background is ended too, and the output says so. An abort or a
 * timeout also ends what left the group; otherwise that is named.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf, ToolError } from '../../core/errors.ts';
import type { Shell, ShellResult, Timers } from '../../core/ports.ts';
import { systemTimers } from '../../providers/timers.ts';
import { commandEnvironment } from './commandEnvironment.ts';
import { MARK } from './listFamily.ts';
import { type BufferLimits, createOutputBuffer } from './outputBuffer.ts';
import { type EndedGroup, endGroup } from './processGroup.ts';
import { startWatchdog } from './watchdog.ts';

export interface ChildShellOptions {
  /** The absolute folder that commands run in; null when no folder is open. */
  readonly folder: string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Names of variables that commands get though they look like secrets. By default none. */
  readonly allowedVariables?: () => readonly string[];
  readonly limits?: BufferLimits;
  /** Commands end also when this process is killed. */
  readonly watched?: boolean;
  /** They measure a command's time limit. */
  readonly timers?: Timers;
}

const LIMITS: BufferLimits = { keep: 1_000_000, live: 200_000 };
/** Time to read the pipes to their end after the processes are gone. */
const DRAIN_MS = 200;
/** Processes that are named when they run on. */
const MOST_NAMED = 20;

export function createChildShell(options: ChildShellOptions): Shell {
  const {
    folder,
    environment,
    allowedVariables = () => [],
    limits = LIMITS,
    watched = false,
    timers = systemTimers,
  } = options;
  return {
    async run(command, { timeoutMs, onOutput }, signal) {
      if (folder === null) throw new ToolError('No folder is open, so no command can run.');
      if (signal.aborted) return { exitCode: null, output: '', ended: 'aborted' };
      const output = createOutputBuffer(limits, onOutput);
      const mark = randomUUID();
      const child = start(command, folder, { ...commandEnvironment(environment, allowedVariables()), [MARK]: mark });
      for (const stream of [child.stdout, child.stderr]) {
        const writer = output.openStream();
        stream?.on('data', writer.write).on('end', writer.end);
      }
      const endWatch = watched && child.pid !== undefined ? startWatchdog(child.pid, mark) : () => undefined;
      const startTimer = (fire: () => void) => (timeoutMs === null ? () => undefined : timers.after(timeoutMs, fire));
      const ended = await waitForEnd(child, signal, startTimer);
      // A command that ended by itself may leave a daemon on purpose; stopping a command means all of it.
      const group = await endGroup(child, mark, ended !== 'exit');
      endWatch();
      const drained = await drain(child);
      const left = describeLeft(ended, group, drained);
      return { exitCode: child.exitCode, output: output.text() + left, ended, ...(left === '' ? {} : { left }) };
    },
  };
}

/** Says what became of the processes in the background. Empty when there were none. */
function describeLeft(result: ShellResult['ended'], { ended, left }: EndedGroup, drained: boolean): string {
  const lines = result === 'exit' && ended ? ['processes left in the background were ended'] : [];
  if (left.length > 0) {
    const why = result === 'exit' ? 'they left the command on purpose' : 'they could not be ended';
    lines.push(`processes still run, because ${why}: ${left.slice(0, MOST_NAMED).join(', ')}`);
    if (left.length > MOST_NAMED) lines.push(`and ${left.length - MOST_NAMED} more processes`);
  } else if (!drained) {
    lines.push('a process that left the command still holds its output; it could not be found');
  }
  return lines.map((line) => `\n… ${line}`).join('');
}

function start(command: string, folder: string, env: Record<string, string>): ChildProcess {
  const windows = process.platform === 'win32';
  // After `--`, a command that begins with a dash is a command and not an option of the shell.
  const [file, ...args] = windows
    ? [process.env.ComSpec ?? 'cmd.exe', '/d', '/s', '/c', `"${command}"`]
    : [existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh', '-c', '--', command];
  return spawn(file, args, {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
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
