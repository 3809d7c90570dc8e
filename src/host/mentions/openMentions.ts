/** Mentions in VS Code: where what is mentioned is read from, what the composer offers, and what the commands do. */

import * as vscode from 'vscode';
import type { MentionPorts, MentionSources } from '../../core/mentions/mentionSources.ts';
import { PANEL_VIEW } from '../../protocol/commands.ts';
import type { ReadOnlyDocuments } from '../inspect/readOnlyDocuments.ts';
import type { ServerContent } from '../mcp/serverContent.ts';
import type { ShownSession } from '../session/shownSession.ts';
import type { SessionStore } from '../storage/sessions/sessionStore.ts';
import { readTrust, type Workspace } from '../workspace.ts';
import { MentionChoices } from './mentionChoices.ts';
import { MentionCommands } from './mentionCommands.ts';
import { OpenFiles } from './openFiles.ts';
import { PastSessions } from './pastSessions.ts';
import { WatchedTerminals } from './watchedTerminals.ts';

export interface OpenedMentions {
  readonly sources: MentionSources;
  readonly choices: MentionChoices;
  readonly commands: MentionCommands;
  /** Fired with a text for what is being written. */
  readonly onInsert: vscode.Event<string>;
  dispose(): void;
}

interface Parts {
  readonly workspace: () => Workspace;
  readonly store: SessionStore;
  readonly mcp: ServerContent;
  readonly documents: ReadOnlyDocuments;
  /** Made later. */
  readonly session: () => Pick<ShownSession, 'conversation'>;
}

export function openMentions({ workspace, store, mcp, documents, session }: Parts): OpenedMentions {
  const inserted = new vscode.EventEmitter<string>();
  const terminals = new WatchedTerminals();
  const open = new OpenFiles();
  const sessions = new PastSessions(store, () => session().conversation?.id);
  const sources: MentionSources = {
    terminal: terminals,
    session: (title, signal) => sessions.textOf(title, signal),
    mcp,
  };
  const ports = (): MentionPorts => {
    const { files, language, git } = workspace();
    const trust = readTrust();
    return {
      files,
      language: trust === 'noFolder' ? undefined : language,
      git: trust === 'trusted' ? git : undefined,
      sources,
    };
  };
  return {
    sources,
    choices: new MentionChoices({
      files: () => ports().files,
      language: () => ports().language,
      hasGit: () => ports().git !== undefined,
      open,
      titles: (signal) => sessions.titles(signal),
      resources: () => mcp.resources,
    }),
    commands: new MentionCommands({
      session: {
        get conversation() {
          return session().conversation;
        },
      },
      ports,
      prompts: () => mcp.prompts,
      documents,
      insert: async (text) => {
        await vscode.commands.executeCommand(`${PANEL_VIEW}.focus`);
        inserted.fire(text);
      },
    }),
    onInsert: inserted.event,
    dispose: () => {
      inserted.dispose();
      terminals.dispose();
      open.dispose();
    },
  };
}
