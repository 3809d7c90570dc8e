/** The sources of mentions in VS Code. */

import * as vscode from 'vscode';
import type { MentionPorts, MentionSources } from '../../core/mentions/mentionSources.ts';
import { PastSessions } from '../../node/mentions/pastSessions.ts';
import type { SessionStore } from '../../node/storage/sessions/sessionStore.ts';
import type { OpenedMcp } from '../mcp/openMcp.ts';
import { readTrust, type WatchedWorkspace } from '../workspace.ts';
import { OpenFiles } from './openFiles.ts';
import { WatchedTerminals } from './watchedTerminals.ts';

interface Parts {
  readonly workspace: WatchedWorkspace;
  /** This workspace's sessions. */
  readonly store: SessionStore;
  readonly mcp: OpenedMcp;
}

export class Mentions implements vscode.Disposable {
  readonly #parts: Parts;
  readonly #terminals = new WatchedTerminals(vscode.window);
  readonly #sessions: PastSessions;
  /** Files that the person works on. */
  readonly open = new OpenFiles();

  constructor(parts: Parts) {
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
