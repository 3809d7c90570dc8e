/**
 * The terminals of this window as mentions know them: the last command that VS Code saw in one, with what it printed. Only
 * terminals with shell integration tell; of a long output the end is kept, and all of it only in memory.
 */

import * as vscode from 'vscode';
import type { MentionSources, TerminalOutput } from '../../core/mentions/mentionSources.ts';
import { isRunner } from '../shell/terminal/runnerScript.ts';

/** Characters. */
const KEPT = 200_000;
/** Milliseconds the terminal has to put something into the clipboard. */
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
      vscode.window.onDidStartTerminalShellExecution(({ terminal, execution }) => {
        // The agent knows what its own commands printed.
        if (!isRunner(execution.commandLine.value)) void this.#follow(terminal, execution);
      }),
      vscode.window.onDidEndTerminalShellExecution(({ execution, exitCode }) => {
        if (this.#last?.execution !== execution) return;
        this.#last.running = false;
        this.#last.exitCode = exitCode ?? null;
      }),
    );
  }

  get hasOutput(): boolean {
    return this.#last !== null;
  }

  /** What a command prints at once may come before VS Code has told of the command: then it is copied from the screen. */
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

/** VS Code hands no extension what a terminal shows, but copies it: what the clipboard held is put back. Null for nothing. */
async function copy(command: string): Promise<string | null> {
  const { clipboard } = vscode.env;
  const held = await clipboard.readText();
  const mark = `palimpsest ${Date.now()}`;
  await clipboard.writeText(mark);
  try {
    await vscode.commands.executeCommand(command);
    await new Promise((resolve) => setTimeout(resolve, COPY_MS));
    const copied = await clipboard.readText();
    return copied === mark ? null : copied;
  } finally {
    await clipboard.writeText(held);
  }
}
