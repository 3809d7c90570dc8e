/** The sources of mentions in VS Code. */

import * as vscode from 'vscode';
import { JournalError } from '../../core/errors.ts';
import type { MentionPorts, MentionSources, TerminalOutput } from '../../core/mentions/mention.ts';
import { describeSession } from '../../core/mentions/sessionMentions.ts';
import { words } from '../../core/words.ts';
import { isRunner } from '../../node/shell/runnerScript.ts';
import type { SessionStore } from '../../node/storage/sessions/sessionStore.ts';
import { type SessionSummary, titleInLine } from '../../node/storage/sessions/sessionSummary.ts';
import { eventOf } from '../offered.ts';
import type { Parts } from '../parts.ts';
import { readTrust } from '../workspace.ts';
import { OpenFiles } from './mentionChoices.ts';

export class Mentions implements vscode.Disposable {
  readonly #parts: Pick<Parts, 'workspace' | 'store' | 'mcp'>;
  readonly #terminals = new WatchedTerminals(vscode.window);
  readonly #sessions: PastSessions;
  /** Files that the person works on. */
  readonly open = new OpenFiles();

  constructor(parts: Pick<Parts, 'workspace' | 'store' | 'mcp'>) {
    this.#parts = parts;
    this.#sessions = new PastSessions(parts.store);
  }

  /** Sources of mentions besides the workspace, for messages of that session. */
  sourcesFor(session: string | undefined): MentionSources {
    return {
      terminal: this.#terminals,
      session: (title, signal) => this.#sessions.textOf(title, session, signal),
      mcp: this.#parts.mcp.content,
    };
  }

  /** Depends on whether the person trusts the workspace. */
  get ports(): MentionPorts {
    const { files, language, git } = this.#parts.workspace.current;
    const trust = readTrust();
    return {
      files,
      language: trust === 'noFolder' ? undefined : language,
      git: trust === 'trusted' ? git : undefined,
    };
  }

  /** Titles of the sessions other than that one. */
  titles(session: string | undefined, signal: AbortSignal): Promise<readonly string[]> {
    return this.#sessions.titles(session, signal);
  }

  dispose(): void {
    this.#terminals.dispose();
    this.open.dispose();
  }
}

/** The other sessions of this workspace for mentions: their titles, and the text of one. */
export class PastSessions {
  readonly #store: SessionStore;

  constructor(store: SessionStore) {
    this.#store = store;
  }

  /** Newest first, without duplicates, unreadable sessions, or the `current` one. */
  async titles(current: string | undefined, signal: AbortSignal): Promise<readonly string[]> {
    return [...new Set((await this.#readable(current, signal)).map(titleInLine))].filter((title) => title !== '');
  }

  /** Text of the newest session with this title, which is not the `current` one. */
  async textOf(title: string, current: string | undefined, signal: AbortSignal): Promise<string | null> {
    const found = await this.#readable(current, signal);
    const summary = found.find((each) => titleInLine(each) === title || each.id === title);
    if (!summary) return null;
    const reason = words('It can only be read here.');
    const folder = this.#store.folderOf(summary.id);
    const readOnly = new JournalError('noPermission', folder, reason);
    const { journal } = await this.#store.open(summary.id, { readOnly, signal });
    try {
      return describeSession(journal.context);
    } finally {
      await journal.close();
    }
  }

  async #readable(current: string | undefined, signal: AbortSignal): Promise<readonly SessionSummary[]> {
    return (await this.#store.list(signal)).filter(({ id, problem }) => id !== current && !problem);
  }
}

// The terminals of this window for mentions: the last command that VS Code saw in one, with its output. Only terminals
// with shell integration report; of a long output only the end is kept, in memory.

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
