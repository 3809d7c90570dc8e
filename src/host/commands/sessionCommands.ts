/**
 * What a person does with whole sessions: rename, mark as favourite, delete, export, take over, and care for their files.
 * A session that another window writes can be changed only there.
 */

import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { JournalError } from '../../core/errors.ts';
import type { Journal } from '../../core/journal/journal.ts';
import type { Log } from '../../core/ports.ts';
import { exportJson, exportMarkdown, exportNormalForm } from '../../core/sessions/exportSession.ts';
import { words } from '../../core/words.ts';
import type { ReadOnlyDocuments } from '../inspect/readOnlyDocuments.ts';
import type { Pages } from '../pages/pages.ts';
import type { Drafts } from '../session/drafts.ts';
import type { SessionAccess } from '../session/sessionAccess.ts';
import type { SessionPlaces } from '../session/sessionPlaces.ts';
import type { ShownSession } from '../session/shownSession.ts';
import { JOURNAL, type SessionStore } from '../storage/sessions/sessionStore.ts';
import type { SessionSummary } from '../storage/sessions/sessionSummary.ts';
import { say, showInformation } from '../tell/notify.ts';
import { withCancel } from '../tell/withCancel.ts';
import type { Handlers } from './commands.ts';
import { SessionCare, type SessionFinder } from './sessionCare.ts';

export interface SessionCommandParts {
  readonly session: ShownSession;
  readonly access: SessionAccess;
  readonly places: SessionPlaces;
  readonly store: SessionStore;
  readonly documents: ReadOnlyDocuments;
  readonly pages: Pages;
  readonly drafts: Pick<Drafts, 'forget'>;
  readonly log: Log;
}

type ExportFormat = 'journal' | 'json' | 'markdown' | 'chat';

export class SessionCommands {
  readonly #parts: SessionCommandParts;
  /** Check, repair, redact. */
  readonly care: SessionCare;

  readonly commands = {
    exportSession: ({ sessionId }) => this.export(sessionId),
    takeOverSession: () => this.takeOver(),
    renameSession: ({ sessionId, title }) =>
      sessionId !== undefined && title !== undefined ? this.rename(sessionId, title) : this.renameShown(),
    checkSession: () => this.care.check(),
    repairSession: () => this.care.repair(),
    redactSession: () => this.care.redact(),
  } satisfies Partial<Handlers>;

  constructor(parts: SessionCommandParts) {
    this.#parts = parts;
    const find: SessionFinder = {
      choose: () => this.#choose(),
      titleOf: (id) => this.#titleOf(id),
      folderOf: (id) => this.#folderOf(id),
      whileClosed: (id, act) => this.#whileClosed(id, act),
    };
    this.care = new SessionCare(find, parts.pages, parts.documents);
  }

  async renameShown(): Promise<void> {
    const { id, journal } = this.#parts.session.require();
    if (journal.readOnly) throw journal.readOnly;
    const value = journal.title ?? '';
    const title = await vscode.window.showInputBox({ title: vscode.l10n.t('Rename Session'), value });
    if (title?.trim()) await this.rename(id, title.trim());
  }

  async rename(id: string, title: string): Promise<void> {
    const { session, access, places } = this.#parts;
    const { conversation } = session;
    if (conversation?.id === id) {
      await conversation.journal.append({ type: 'title', title });
      return;
    }
    const store = await places.storeOf(id);
    await access.whileOwned(store.folderOf(id), () => store.rename(id, title));
  }

  async setFavourite(id: string, favourite: boolean): Promise<void> {
    await (await this.#parts.places.storeOf(id)).setFavourite(id, favourite);
  }

  async takeOver(): Promise<void> {
    const { session } = this.#parts;
    session.require();
    await session.reopen('takeOver');
  }

  /** Moves it to the trash. The notification offers to bring it back. */
  async remove(id: string): Promise<void> {
    const { session, access, places, drafts, log } = this.#parts;
    const store = await places.storeOf(id);
    const title = await this.#titleOf(id);
    if (session.conversation?.id === id) await session.show(null);
    // A session that another window writes must stay, and no lock file may end up in the trash.
    await access.whileOwned(store.folderOf(id), async () => {});
    await drafts.forget(id);
    const trashed = await store.remove(id);
    const undo = vscode.l10n.t('Undo');
    log('info', `Session ${id} was moved to ${trashed}.`);
    const text = vscode.l10n.t('“{0}” was moved to the trash.', title);
    void showInformation(text, undo).then(async (chosen) => {
      if (chosen !== undo) return;
      await store.restore(id, trashed);
      await session.show(id);
    });
  }

  async export(given?: string): Promise<void> {
    const id = given ?? (await this.#choose());
    if (!id) return;
    const format = await askForFormat();
    if (!format) return;
    const title = await this.#titleOf(id);
    const name = `${title.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 60) || id}.${EXTENSIONS[format]}`;
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const target = await vscode.window.showSaveDialog({
      title: vscode.l10n.t('Export Session'),
      ...(folder ? { defaultUri: vscode.Uri.joinPath(folder, name) } : {}),
    });
    if (!target) return;
    await this.#write(id, format, target.fsPath);
    await this.#writeSubagents(id, format, target.fsPath);
    const open = vscode.l10n.t('Open');
    const done = vscode.l10n.t('The session was exported to {0}.', target.fsPath);
    void showInformation(done, open).then(async (chosen) => {
      if (chosen === open) await vscode.window.showTextDocument(target);
    });
  }

  #show(name: string, report: string): Promise<void> {
    return this.#parts.documents.show(`${name}.md`, report);
  }

  /** The session on screen, or else one that the person chooses. */
  async #choose(): Promise<string | null> {
    const { session, store } = this.#parts;
    if (session.conversation) return session.conversation.id;
    const items = (await listSessions(store)).map(({ id, title, time, problem }) => ({
      label: title || id,
      description: new Date(time).toLocaleString(vscode.env.language),
      ...(problem ? { detail: `$(warning) ${say(problem)}` } : {}),
      id,
    }));
    if (items.length === 0) {
      void showInformation(vscode.l10n.t('No session is open.'));
      return null;
    }
    const chosen = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Which Session?') });
    return chosen?.id ?? null;
  }

  async #titleOf(id: string): Promise<string> {
    const { places, session } = this.#parts;
    const found = (await listSessions(await places.storeOf(id))).find((each) => each.id === id);
    return found?.title || session.conversation?.journal.title || id;
  }

  async #folderOf(id: string): Promise<string> {
    return (await this.#parts.places.storeOf(id)).folderOf(id);
  }

  /**
   * The file is replaced, so nobody may have it open. If it was the session on screen, it is shown again afterwards.
   */
  async #whileClosed<T>(id: string, act: (folder: string) => Promise<T>): Promise<T> {
    const { session, access } = this.#parts;
    const shown = session.conversation?.id === id;
    if (shown) await session.show(null);
    try {
      const folder = await this.#folderOf(id);
      return await access.whileOwned(folder, () => act(folder));
    } finally {
      if (shown) await session.show(id);
    }
  }

  async #write(id: string, format: ExportFormat, path: string): Promise<void> {
    const { session, places } = this.#parts;
    const { conversation } = session;
    const store = await places.storeOf(id);
    if (format === 'journal') {
      if (conversation?.id === id) await conversation.journal.sync();
      await copyFile(join(store.folderOf(id), JOURNAL), path);
      return;
    }
    const journal = conversation?.id === id ? conversation.journal : (await this.#readOnly(id)).journal;
    await writeFile(path, WRITERS[format](journal));
    if (journal !== conversation?.journal) await journal.close();
  }

  /** Each beside the session's own file, in a folder of that name. */
  async #writeSubagents(id: string, format: ExportFormat, path: string): Promise<void> {
    const store = (await this.#parts.places.storeOf(id)).subagentsOf(id);
    const sessions = await store.list();
    if (sessions.length === 0) return;
    const folder = `${path}.subagents`;
    await mkdir(folder, { recursive: true });
    for (const session of sessions) {
      const target = join(folder, `${session.id}.${EXTENSIONS[format]}`);
      if (format === 'journal') await copyFile(join(store.folderOf(session.id), JOURNAL), target);
      else await whileOpen(store, session.id, (journal) => writeFile(target, WRITERS[format](journal)));
    }
  }

  /** What a subagent said and did so far, as a text. */
  async showSubagent(id: string, subagent: string): Promise<void> {
    const store = (await this.#parts.places.storeOf(id)).subagentsOf(id);
    const text = await whileOpen(store, subagent, async (journal) => [...exportMarkdown(journal)].join(''));
    await this.#show(subagent, text);
  }

  async #readOnly(id: string) {
    const { access, places } = this.#parts;
    return withCancel(
      words('Opening the session…'),
      async (signal) => (await places.openForeign(id, signal)) ?? (await access.open(id, 'read', signal)),
    );
  }
}

/** For reading, also while a subagent writes it. */
async function whileOpen<T>(store: SessionStore, id: string, read: (journal: Journal) => Promise<T>): Promise<T> {
  const { journal } = await store.open(id, {
    readOnly: new JournalError('closed', store.folderOf(id), 'Only being read.'),
  });
  try {
    return await read(journal);
  } finally {
    await journal.close();
  }
}

function listSessions(store: SessionStore): Promise<SessionSummary[]> {
  return withCancel(words('Reading the list of sessions…'), (signal) => store.list(signal));
}

const EXTENSIONS: Readonly<Record<ExportFormat, string>> = {
  journal: 'jsonl',
  json: 'json',
  markdown: 'md',
  chat: 'chat.jsonl',
};

const WRITERS = { json: exportJson, markdown: exportMarkdown, chat: exportNormalForm } as const;

async function askForFormat(): Promise<ExportFormat | null> {
  const items: (vscode.QuickPickItem & { readonly format: ExportFormat })[] = [
    { label: 'Markdown', description: vscode.l10n.t('this branch, for reading'), format: 'markdown' },
    { label: 'JSON', description: vscode.l10n.t('this branch with all its facts'), format: 'json' },
    { label: 'Chat completions', description: vscode.l10n.t('this branch, one message a line'), format: 'chat' },
    { label: 'Journal', description: vscode.l10n.t('everything, all branches'), format: 'journal' },
  ];
  return (await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Export Session') }))?.format ?? null;
}
