/**
 * Runs commands in terminals that the person sees. The product's terminals are reused, never the person's, and never
 * two commands at a time in one. Each command runs in a separate bash, so that exactly the approved line runs. Where no
 * terminal is available, commands run as child processes.
 */

import { randomUUID } from 'node:crypto';
import type { Timers } from '../../core/clock.ts';
import type { Shell, ShellResult } from '../../core/workspace/shell.ts';
import { LIMITS } from '../../node/shell/childShell.ts';
import { type BufferLimits, createOutputBuffer } from '../../node/shell/outputBuffer.ts';
import { describeLeft, endMarked, listMarked } from '../../node/shell/processGroup.ts';
import { beginMark, endMark, runnerEnvironment, writeLine } from '../../node/shell/runnerScript.ts';
import { systemTimers } from '../../providers/timers.ts';
import type { IntegratedTerminal, TerminalExecution, Terminals } from './openTerminals.ts';

interface TerminalShellOptions {
  readonly folder: string | null;
  readonly terminals: Terminals;
  /** True while the person wants commands in terminals. */
  readonly wanted: () => boolean;
  /** Runs commands that cannot run in a terminal. */
  readonly child: Shell;
  readonly allowedVariables?: () => readonly string[];
  /** Called once, when commands run as child processes although the person wanted a terminal. */
  readonly onUnavailable?: () => void;
  readonly limits?: BufferLimits;
  readonly timers?: Timers;
}

interface OwnTerminal {
  readonly terminal: IntegratedTerminal;
  readonly mark: string;
  readonly secret: string;
  /** The variables allowed when it was opened. */
  readonly allowed: string;
  inUse: boolean;
  /** Its shell accepts the next line: a prompt may be slow. */
  ready: Promise<unknown>;
}

const MOST_TERMINALS = 4;

/** Time for a shell to be ready for the next line after the last command. */
const READY_MS = 5_000;

/** Time for the shell to be ready again after a stop, and for the last output. */
const SETTLE_MS = 300;
const CLOSED = '\n… the terminal was closed before the command had ended';

export function createTerminalShell(options: TerminalShellOptions): Shell & { dispose(): void } {
  const { folder, terminals, wanted, child, allowedVariables = () => [], onUnavailable } = options;
  const { limits = LIMITS, timers = systemTimers } = options;
  const own: OwnTerminal[] = [];
  let unavailable = false;
  let disposed = false;

  const within = (ms: number) => {
    const late = Promise.withResolvers<'late'>();
    timers.after(ms, () => late.resolve('late'));
    return late.promise;
  };

  /** An idle terminal of the product, or a new one. */
  const take = async (signal: AbortSignal): Promise<OwnTerminal | null> => {
    if (folder === null || unavailable || !wanted()) return null;
    for (const each of own.filter(({ terminal }) => terminal.isClosed)) own.splice(own.indexOf(each), 1);
    const names = allowedVariables();
    const allowed = names.join(' ');
    const free = own.find((each) => !each.inUse && !each.terminal.isBusy && each.allowed === allowed);
    if (free) {
      free.inUse = true;
      await Promise.race([free.ready, within(READY_MS)]);
      return free.terminal.isClosed ? take(signal) : free;
    }
    if (own.length >= MOST_TERMINALS) return null;
    const [mark, secret] = [randomUUID(), randomUUID()];
    const environment = runnerEnvironment({ folder, mark, secret, allowed: names });
    const terminal = await terminals.open({ folder, environment }, signal);
    if (!terminal) {
      if (signal.aborted) return null;
      unavailable = true;
      onUnavailable?.();
      return null;
    }
    const opened = { terminal, mark, secret, allowed, inUse: true, ready: Promise.resolve() };
    own.push(opened);
    return opened;
  };

  const { describe, refuse, posix, confinement } = child;
  return {
    ...(describe ? { describe } : {}),
    ...(posix ? { posix } : {}),
    ...(refuse ? { refuse } : {}),
    ...(confinement ? { confinement } : {}),
    async run(command, run, signal) {
      // The product's terminals are in the first folder and in no sandbox: otherwise a child process is used.
      const isElsewhere = run.folder !== undefined && run.folder !== folder;
      const taken = signal.aborted || isElsewhere || run.confined ? null : await take(signal);
      if (signal.aborted) return { exitCode: null, output: '', ended: 'aborted' };
      if (!taken) return child.run(command, run, signal);
      try {
        return await runIn(taken, command, run, { limits, timers, within }, signal);
      } finally {
        taken.inUse = false;
        if (disposed) taken.terminal.close();
      }
    },
    /** A running command keeps its terminal until it has ended. */
    dispose() {
      disposed = true;
      for (const { terminal, inUse } of own) if (!inUse) terminal.close();
    },
  };
}

interface RunOptions {
  readonly limits: BufferLimits;
  readonly timers: Timers;
  /** Resolves after that time. */
  readonly within: (ms: number) => Promise<'late'>;
}

async function runIn(
  own: OwnTerminal,
  command: string,
  { timeoutMs, onOutput }: Parameters<Shell['run']>[1],
  { limits, timers, within }: RunOptions,
  signal: AbortSignal,
): Promise<ShellResult> {
  const { terminal, mark, secret } = own;
  const output = createOutputBuffer(limits, onOutput);
  const others = await listMarked(mark);
  const marked = createMarkedOutput(secret);
  const execution = terminal.execute(writeLine(command));
  const finished = Promise.withResolvers<void>();
  const read = follow(execution, (text) => {
    output.append(marked.push(text));
    if (marked.exitCode !== null) finished.resolve();
  });
  const closed = terminal.closed.then(() => 'closed' as const);
  own.ready = Promise.race([execution.ended, closed]);

  const ended = await new Promise<ShellResult['ended'] | 'closed'>((resolve) => {
    const cancel = timeoutMs === null ? () => undefined : timers.after(timeoutMs, () => settle('timeout'));
    const abort = () => settle('aborted');
    const settle = (how: ShellResult['ended'] | 'closed') => {
      cancel();
      signal.removeEventListener('abort', abort);
      resolve(how);
    };
    signal.addEventListener('abort', abort, { once: true });
    void finished.promise.then(() => settle('exit'));
    void closed.then(settle);
    // Without an end mark, the shell's report counts: the runner itself was ended.
    void Promise.all([execution.ended, Promise.race([read, execution.ended.then(() => within(SETTLE_MS))])]).then(() =>
      settle('exit'),
    );
    if (signal.aborted) abort();
  });

  const all = ended !== 'exit';
  const group = await endMarked(terminal.shell, mark, others, all);
  if (all && (await Promise.race([own.ready, within(SETTLE_MS)])) === 'late') {
    // The shell could still start the command, or the command holds it: nothing may continue after a stop.
    terminal.close();
    await endMarked(terminal.shell, mark, others, true);
  }
  const code = marked.exitCode ?? (ended === 'exit' ? await execution.ended : null);
  output.append(marked.end());
  const how = ended === 'closed' ? 'exit' : ended;
  const left = (ended === 'closed' ? CLOSED : '') + describeLeft(how, group, true);
  return {
    ended: how,
    exitCode: how === 'exit' ? code : null,
    output: output.text() + left,
    ...(left === '' ? {} : { left }),
  };
}

/** Passes output on. A stream that breaks off has ended. */
async function follow({ output }: TerminalExecution, write: (text: string) => void): Promise<void> {
  try {
    for await (const text of output) write(text);
  } catch {
    // Received output is kept; the command's end is determined separately.
  }
}

/** Extracts a command's output from its terminal's output: the text between the runner's marks. Pure. */
interface MarkedOutput {
  /** The part of the command's output that is certain by now and was not returned yet. */
  push(text: string): string;
  /** Null until the end mark was received. */
  readonly exitCode: number | null;
  /** The rest, when no more follows. */
  end(): string;
}

/** Maximum length of an exit code, with its bell. */
const LONGEST_END = 5;

/** Length of the end mark's secret, with its bell. */
const LONGEST_SECRET = 65;

export function createMarkedOutput(secret: string): MarkedOutput {
  const begin = beginMark(secret);
  let end = '';
  let waiting = '';
  let begun = false;
  let exitCode: number | null = null;
  return {
    push(text) {
      if (exitCode !== null) return '';
      waiting += text;
      if (!begun) {
        const at = waiting.indexOf(begin);
        if (at < 0) {
          waiting = waiting.slice(-begin.length);
          return '';
        }
        const [whole, its] = /^([0-9a-f]{1,64})\u0007/.exec(waiting.slice(at + begin.length)) ?? [];
        if (whole === undefined || its === undefined) {
          waiting = waiting.slice(at, at + begin.length + LONGEST_SECRET);
          return '';
        }
        begun = true;
        end = endMark(its);
        waiting = waiting.slice(at + begin.length + whole.length);
      }
      const at = waiting.indexOf(end);
      const code = at < 0 ? null : /^(\d{1,3})\u0007/.exec(waiting.slice(at + end.length));
      if (code) {
        exitCode = Number(code[1]);
        const last = waiting.slice(0, at);
        waiting = '';
        return last;
      }
      // A possible beginning of the end mark waits for the next text.
      const open = at >= 0 ? at : openEnd(waiting, end);
      const certain = waiting.slice(0, open);
      waiting = waiting.slice(open);
      return certain;
    },
    get exitCode() {
      return exitCode;
    },
    end() {
      const rest = begun ? waiting : '';
      waiting = '';
      return rest;
    },
  };
}

/** Start of the longest suffix of the text that is a prefix of the mark; the text's length if there is none. */
function openEnd(text: string, mark: string): number {
  let at = text.indexOf(mark.charAt(0), Math.max(0, text.length - mark.length - LONGEST_END));
  while (at >= 0 && !mark.startsWith(text.slice(at))) at = text.indexOf(mark.charAt(0), at + 1);
  return at < 0 ? text.length : at;
}
