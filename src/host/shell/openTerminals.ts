/** VS Code's own terminals with active shell integration, as a port. */

import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import { ToolError } from '../../core/errors.ts';
import { BASH, isRunner } from '../../node/shell/runnerScript.ts';
import { offered } from '../offered.ts';

/** Time for a shell to read its start files and to report itself. */
const WAIT_MS = 5_000;

/** Shells whose quoting the product knows. */
const SHELLS = /(?:^|\/)(?:bash|zsh)$/;

export function openTerminals(waitMs = WAIT_MS): Terminals {
  return {
    async open({ folder, environment }, signal) {
      if (process.platform === 'win32' || !existsSync(BASH) || !SHELLS.test(vscode.env.shell)) return null;
      if (!offered(() => vscode.window.onDidStartTerminalShellExecution)) return null;
      const terminal = vscode.window.createTerminal({
        name: 'Palimpsest',
        cwd: folder,
        iconPath: new vscode.ThemeIcon('terminal-bash'),
        // Its commands end with the window, so it is not restored with the next one.
        isTransient: true,
        // If enabled, VS Code's shell integration keeps lines that begin with a space out of the history.
        env: { ...environment, VSCODE_PREVENT_SHELL_HISTORY: '1' },
      });
      terminal.show(true);
      const opened = new OpenedTerminal(terminal);
      if (await isIntegrated(terminal, waitMs, opened.closed, signal)) {
        opened.shell = await terminal.processId;
        return opened;
      }
      opened.close();
      return null;
    },
  };
}

class OpenedTerminal implements IntegratedTerminal {
  shell: number | undefined;
  readonly closed: Promise<void>;
  readonly #terminal: vscode.Terminal;
  /** Everything that runs in it, regardless of who started it. */
  readonly #running = new Set<vscode.TerminalShellExecution>();
  readonly #waiting = new Map<vscode.TerminalShellExecution, (exitCode: number | null) => void>();

  constructor(terminal: vscode.Terminal) {
    this.#terminal = terminal;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    const { window } = vscode;
    const following = vscode.Disposable.from(
      window.onDidStartTerminalShellExecution(({ terminal: where, execution }) => {
        if (where === terminal) this.#running.add(execution);
      }),
      window.onDidEndTerminalShellExecution(({ execution, exitCode }) => {
        this.#running.delete(execution);
        this.#waiting.get(execution)?.(exitCode ?? null);
      }),
      window.onDidCloseTerminal((closed) => {
        if (closed !== terminal) return;
        following.dispose();
        resolve();
      }),
    );
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  get isClosed(): boolean {
    return this.#terminal.exitStatus !== undefined;
  }

  execute(line: string): TerminalExecution {
    const integration = this.#terminal.shellIntegration;
    if (!integration) throw new ToolError('The terminal says no more where commands begin. Nothing was run.');
    const { promise: ended, resolve } = Promise.withResolvers<number | null>();
    const streams = new Streams();
    const followed: vscode.TerminalShellExecution[] = [];
    const follow = (execution: vscode.TerminalShellExecution) => {
      followed.push(execution);
      // Requested at once: earlier output would be lost.
      streams.add(execution.read());
      this.#waiting.set(execution, (exitCode) => {
        started.dispose();
        for (const each of followed) this.#waiting.delete(each);
        resolve(exitCode);
      });
    };
    // A shell may report the line in other words, which the editor then takes for another execution.
    const started = vscode.window.onDidStartTerminalShellExecution(({ terminal, execution }) => {
      const isOurs = terminal === this.#terminal && isRunner(execution.commandLine.value);
      if (isOurs && !this.#waiting.has(execution)) follow(execution);
    });
    void this.closed.then(() => started.dispose());
    follow(integration.executeCommand(line));
    return { output: streams, ended };
  }

  close(): void {
    this.#terminal.dispose();
  }
}

/** Merges several streams into one, in the order of their output. */
class Streams implements AsyncIterable<string> {
  readonly #texts: string[] = [];
  #open = 0;
  #wake = Promise.withResolvers<void>();

  add(stream: AsyncIterable<string>): void {
    this.#open++;
    const follow = async () => {
      try {
        for await (const text of stream) {
          this.#texts.push(text);
          this.#wake.resolve();
        }
      } finally {
        this.#open--;
        this.#wake.resolve();
      }
    };
    // A stream that breaks off has ended.
    follow().catch(() => undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (;;) {
      yield* this.#texts.splice(0);
      if (this.#open === 0 && this.#texts.length === 0) return;
      await this.#wake.promise;
      this.#wake = Promise.withResolvers<void>();
    }
  }
}

async function isIntegrated(
  terminal: vscode.Terminal,
  waitMs: number,
  closed: Promise<void>,
  signal: AbortSignal,
): Promise<boolean> {
  if (terminal.shellIntegration) return true;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), waitMs);
  const subscription = vscode.window.onDidChangeTerminalShellIntegration((event) => {
    if (event.terminal === terminal) resolve(true);
  });
  const abort = () => resolve(false);
  signal.addEventListener('abort', abort, { once: true });
  void closed.then(abort);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    subscription.dispose();
    signal.removeEventListener('abort', abort);
  }
}

/** Terminals whose shell reports where a command begins and ends: the port through which commands run in one. */
export interface TerminalOptions {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

export interface Terminals {
  /**
   * A new terminal that the person sees. Null where there is none, or where its shell reports nothing within some
   * seconds.
   */
  open(options: TerminalOptions, signal: AbortSignal): Promise<IntegratedTerminal | null>;
}

export interface IntegratedTerminal {
  /** Process id of its shell. */
  readonly shell: number | undefined;
  /** Something that was not started here is running in it. */
  readonly isBusy: boolean;
  readonly isClosed: boolean;
  /** Resolves when the person has closed it, or its shell has ended. */
  readonly closed: Promise<void>;
  /** Runs a line as if it were typed. */
  execute(line: string): TerminalExecution;
  close(): void;
}

export interface TerminalExecution {
  /** Everything that the terminal writes meanwhile, control sequences included. */
  readonly output: AsyncIterable<string>;
  /** Resolves when the shell is ready for the next line, with the exit code if reported. */
  readonly ended: Promise<number | null>;
}
