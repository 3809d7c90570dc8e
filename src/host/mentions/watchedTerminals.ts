/**
 * The terminals of this window as mentions know them: the last command that VS Code saw in one, with what it printed. Only
 * terminals with shell integration tell; of a long output the end is kept, and all of it only in memory.
 */

import * as vscode from 'vscode';
import type { MentionSources, TerminalOutput } from '../../core/mentions/mentionSources.ts';

/** Characters. */
const KEPT = 200_000;
/** Milliseconds the terminal has to put its selection into the clipboard. */
const COPY_MS = 100;

interface Seen {
  readonly terminal: vscode.Terminal;
  readonly execution: vscode.TerminalShellExecution;
  output: string;
  exitCode: number | null;
  running: boolean;
}

export class WatchedTerminals implements NonNullable<MentionSources['terminal']> {
  readonly #subscription: vscode.Disposable;
  #last: Seen | null = null;

  constructor() {
    this.#subscription = vscode.Disposable.from(
      vscode.window.onDidStartTerminalShellExecution(
        ({ terminal, execution }) => void this.#follow(terminal, execution),
      ),
      vscode.window.onDidEndTerminalShellExecution(({ execution, exitCode }) => {
        if (this.#last?.execution !== execution) return;
        this.#last.running = false;
        this.#last.exitCode = exitCode ?? null;
      }),
    );
  }

  lastOutput(): TerminalOutput | null {
    const last = this.#last;
    if (!last) return null;
    const { terminal, execution, output, exitCode, running } = last;
    return { terminal: terminal.name, command: execution.commandLine.value, exitCode, running, output };
  }

  /** VS Code tells no extension what is selected, but copies it: what the clipboard held is put back. */
  async selection(): Promise<string | null> {
    if (!vscode.window.activeTerminal) return null;
    const held = await vscode.env.clipboard.readText();
    const mark = `palimpsest ${Date.now()}`;
    await vscode.env.clipboard.writeText(mark);
    try {
      await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
      await new Promise((resolve) => setTimeout(resolve, COPY_MS));
      const copied = await vscode.env.clipboard.readText();
      return copied === mark ? null : copied;
    } finally {
      await vscode.env.clipboard.writeText(held);
    }
  }

  dispose(): void {
    this.#subscription.dispose();
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
