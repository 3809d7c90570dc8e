/**
 * Runs one command line as a child process in its own group, until it has ended, is aborted or exceeds its time.
 * Afterwards nothing of its group remains; an abort or a timeout also ends processes that left the group, which are
 * otherwise named. All of it also ends when this process is killed.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Timers } from '../../core/clock.ts';
import { messageOf, ToolError } from '../../core/errors.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import type { ShellResult } from '../../core/workspace/shell.ts';
import { hasCode } from '../files/fileErrors.ts';
import type { Confined, Sandbox } from '../sandbox/sandbox.ts';
import type { LeftBehind } from '../sandbox/sandboxRuns.ts';
import { type CommandShell, refuseCommand, type ShellStart, startShell } from './commandShell.ts';
import { MARK } from './listProcesses.ts';
import { describeLeft, endGroup } from './processGroup.ts';
import { startWatched } from './watchdog.ts';

interface ChildOptions {
  readonly shell: CommandShell;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Null: without a time limit. */
  readonly timeoutMs: number | null;
  readonly timers: Timers;
  /** Its standard input; default: none. */
  readonly input?: string;
  readonly stdout: StreamWriter;
  readonly stderr: StreamWriter;
  /** In it the command runs. Default: outside of any. */
  readonly sandbox?: Sandbox | undefined;
  /** Ends with it also those processes that it leaves running. Default: outside of a sandbox they stay. */
  readonly endsDaemons?: boolean;
}

interface StreamWriter {
  write(bytes: Buffer): void;
  end(): void;
}

interface ChildEnd {
  readonly ended: ShellResult['ended'];
  readonly exitCode: number | null;
  /** The fate of background processes, in lines; empty when there were none. */
  readonly left: string;
  /** Of a confined command; null outside of a sandbox. */
  readonly leftBehind: LeftBehind | null;
}

/** Before it began. */
const ABORTED = { ended: 'aborted', exitCode: null, left: '' } as const;

/** Time to read the pipes to their end after the processes are gone. */
const DRAIN_MS = 200;

export async function runChild(command: string, options: ChildOptions, signal: AbortSignal): Promise<ChildEnd> {
  const { shell, folder, environment } = options;
  if (signal.aborted) return { ...ABORTED, leftBehind: null };
  const refusal = refuseCommand(shell, command, folder);
  if (refusal !== null) throw new ToolError(refusal);
  const plain = startShell(shell, command);
  const confined = await options.sandbox?.confine(plain, folder);
  if (!confined) return { ...(await runStart(plain, environment, options, signal)), leftBehind: null };
  const begin = { ...plain, file: confined.file, args: confined.args };
  try {
    // Finding what must be guarded takes its time, in which a person may have stopped the command.
    const end = signal.aborted ? ABORTED : await runStart(begin, confined.environment, options, signal, confined);
    return { ...end, leftBehind: await confined.leave() };
  } catch (thrown) {
    await confined.leave();
    throw thrown;
  }
}

async function runStart(
  begin: ShellStart,
  environment: Readonly<Record<string, string>>,
  options: ChildOptions,
  signal: AbortSignal,
  confined?: Confined,
): Promise<Omit<ChildEnd, 'leftBehind'>> {
  const { folder, timeoutMs, timers, input, endsDaemons = false } = options;
  const mark = randomUUID();
  const since = Date.now();
  const { child, endWatch } = startWatched(mark, since, () =>
    start(begin, folder, { ...environment, [MARK]: mark }, input !== undefined, confined?.pipes ?? 0),
  );
  const begun = confined?.begin(child) ?? Promise.resolve();
  // Awaited when the command has ended, which a refusal brings about.
  begun.catch(() => undefined);
  child.stdout?.on('data', options.stdout.write).on('end', options.stdout.end);
  child.stderr?.on('data', options.stderr.write).on('end', options.stderr.end);
  // A process that ignores its input closes the pipe, which is not a fault.
  child.stdin?.on('error', () => undefined).end(input);
  const startTimer = (fire: () => void) => (timeoutMs === null ? () => undefined : timers.after(timeoutMs, fire));
  const ended = await waitForEnd(child, folder, signal, startTimer);
  // A command that ended by itself may leave a daemon on purpose; stopping a command ends all of it.
  // A sandbox ends all of its own, which takes a moment: whether something is still there then says nothing of the command.
  const isOver = ended === 'exit' && confined !== undefined;
  const group = await endGroup(child, mark, since, isOver || endsDaemons || ended !== 'exit');
  endWatch();
  const drained = await drain(child);
  if (ended === 'exit') await begun;
  return {
    ended,
    exitCode: child.exitCode,
    left: describeLeft(ended, isOver ? { ...group, ended: false } : group, drained),
  };
}

function start(
  { file, args, environment, verbatim }: ShellStart,
  folder: string,
  env: Record<string, string>,
  hasInput: boolean,
  pipes: number,
): ChildProcess {
  try {
    return spawn(file, args, {
      cwd: folder,
      env: { ...env, ...environment },
      stdio: [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe', ...Array<'pipe'>(pipes).fill('pipe')],
      // A separate group, so that all of it can be ended. Windows uses the process tree instead.
      detached: process.platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: verbatim,
    });
  } catch (thrown) {
    // Node throws some of the system's errors, and tells the others later.
    throw notStarted(thrown, folder);
  }
}

function notStarted(thrown: unknown, folder: string): ToolError {
  // The system says the same of a program and of a folder that is not there.
  const reason = existsSync(folder) ? messageOf(thrown) : `the folder ${showInOneLine(folder)} is not there`;
  const advice = hasCode(thrown, 'E2BIG', 'ENAMETOOLONG')
    ? ' With its environment it is longer than the system takes: write it into a file and run that.'
    : '';
  return new ToolError(`The command could not start (${reason}).${advice}`, { cause: thrown });
}

/** Resolves when the shell has ended, or should be ended. Rejects when it could not start. */
function waitForEnd(
  child: ChildProcess,
  folder: string,
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
    child.once('error', (thrown) => settle(() => reject(notStarted(thrown, folder))));
  });
}

/** A process that left the group may keep the pipes open for ever, so reading is limited. False if one does. */
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
