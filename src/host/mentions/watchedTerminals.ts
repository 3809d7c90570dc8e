/**
 * The terminals of this window for mentions: the last command that VS Code saw in one, with its output. Only terminals
 * with shell integration report; of a long output only the end is kept, in memory.
 */

import * as vscode from 'vscode';
import type { MentionSources, TerminalOutput } from '../../core/mentions/mentionSources.ts';
import { isRunner } from '../../node/shell/runnerScript.ts';
import { eventOf } from '../offered.ts';

/** In characters. */
const KEPT = 200_000;

/** Milliseconds for the terminal to copy to the clipboard. */
const COPY_MS = 100;

interface Seen {
  readonly terminal: vscode.Terminal;
  readonly execution: vscode.TerminalShellExecution;
  output: string;
  exitCode: number | null;
  running: boolean;
}

export class WatchedTerminals implements NonNullable<MentionSources['terminal']> {
  readonly #subscriptions: readonly vscode.Disposable[];
  #last: Seen | null = null;

  /** `window` is that of VS Code. */
  constructor(window: typeof vscode.window) {
    const onDidStart = eventOf(() => window.onDidStartTerminalShellExecution);
    const onDidEnd = eventOf(() => window.onDidEndTerminalShellExecution);
    this.#subscriptions = [
      onDidStart(({ terminal, execution }) => {
        // The agent already knows the output of its own commands.
        if (!isRunner(execution.commandLine.value)) void this.#follow(terminal, execution);
      }),
      onDidEnd(({ execution, exitCode }) => {
        if (this.#last?.execution !== execution) return;
        this.#last.running = false;
        this.#last.exitCode = exitCode ?? null;
      }),
    ];
  }

  get hasOutput(): boolean {
    return this.#last !== null;
  }

  /** A command may print before VS Code reports it: its output is then copied from the screen. */
  async lastOutput(): Promise<TerminalOutput | null> {
    const last = this.#last;
    if (!last) return null;
    const { terminal, execution, exitCode, running } = last;
    const isMissed = last.output.trim() === '' && !running && vscode.window.activeTerminal === terminal;
    const output = isMissed ? ((await copy('workbench.action.terminal.copyLastCommandOutput')) ?? '') : last.output;
    return { terminal: terminal.name, command: execution.commandLine.value, exitCode, running, output };
  }

  async selection(): Promise<string | null> {
    return vscode.window.activeTerminal ? copy('workbench.action.terminal.copySelection') : null;
  }

  dispose(): void {
    for (const each of this.#subscriptions) each.dispose();
  }

  async #follow(terminal: vscode.Terminal, execution: vscode.TerminalShellExecution): Promise<void> {
    const seen: Seen = { terminal, execution, output: '', exitCode: null, running: true };
    this.#last = seen;
    for await (const piece of execution.read()) {
      if (this.#last !== seen) return;
      seen.output = (seen.output + piece).slice(-KEPT);
    }
  }
}

/**
 * VS Code gives extensions no access to a terminal's screen, but can copy it; the previous clipboard content is
 * restored. Null when empty.
 */
async function copy(command: string): Promise<string | null> {
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  const mark = `palimpsest ${Date.now()}`;
  await clipboard.writeText(mark);
  try {
    await vscode.commands.executeCommand(command);
    await new Promise((resolve) => setTimeout(resolve, COPY_MS));
    const copied = await clipboard.readText();
    return copied === mark ? null : copied;
  } finally {
    await clipboard.writeText(before);
  }
}
