/**
 * Runs one command line as a child process in a group of its own, until it has ended, is aborted or has run too long. Then
 * nothing of its group is left; an abort or a timeout also ends what left the group, and otherwise that is named.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf, ToolError } from '../../core/errors.ts';
import type { Shell, ShellResult, Timers } from '../../core/ports.ts';
import { systemTimers } from '../../providers/timers.ts';
import { commandEnvironment } from './commandEnvironment.ts';
import { describeLeft, MARK } from './listFamily.ts';
import { endGroup } from './processGroup.ts';

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

/** Collects a command's output: bytes become text without splitting a character, and memory stays bounded. */
export interface BufferLimits {
  /** Characters kept from the beginning, and as many from the end. */
  readonly keep: number;
  /** Characters shown live; more is kept but not shown. */
  readonly live: number;
}

interface OutputBuffer {
  /** One decoder for each stream, since a character may be split between two chunks of the same one. */
  openStream(): { write(bytes: Buffer): void; end(): void };
  append(text: string): void;
  text(): string;
}

export function createOutputBuffer({ keep, live }: BufferLimits, onOutput: (text: string) => void): OutputBuffer {
  let head = '';
  let tail = '';
  let leftOut = 0;
  let shown = 0;

  const append = (text: string) => {
    if (text === '') return;
    showLive(text);
    const room = keep - head.length;
    head += text.slice(0, room);
    tail += text.slice(room);
    // Cut in large steps, so that a long output is not copied for every chunk.
    if (tail.length > 2 * keep) {
      leftOut += tail.length - keep;
      tail = tail.slice(-keep);
    }
  };

  const showLive = (text: string) => {
    if (shown >= live) return;
    onOutput(text.slice(0, live - shown));
    shown += text.length;
    if (shown >= live) onOutput('\n… more output follows, not shown live\n');
  };

  return {
    append,
    openStream() {
      const decoder = new StringDecoder('utf8');
      return { write: (bytes) => append(decoder.write(bytes)), end: () => append(decoder.end()) };
    },
    text() {
      const over = Math.max(0, tail.length - keep);
      const cut = leftOut + over;
      return cut === 0 ? head + tail : `${head}\n… ${cut} characters left out …\n${tail.slice(over)}`;
    },
  };
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

/** `leader` leads a group of processes that all carry `mark`. Call what is returned when the group has ended. */
function startWatchdog(leader: number, mark: string): () => void {
  if (process.platform === 'win32') return () => undefined;
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

/** The shell of the workspace folder: each command line is a child process, and its output is kept within limits. */
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
      const output = createOutputBuffer(limits, onOutput);
      const { ended, exitCode, left } = await runChild(
        command,
        {
          ...{ folder, timeoutMs, timers, watched },
          environment: commandEnvironment(environment, allowedVariables()),
          ...{ stdout: output.openStream(), stderr: output.openStream() },
        },
        signal,
      );
      return { exitCode, output: output.text() + left, ended, ...(left === '' ? {} : { left }) };
    },
  };
}
