/**
 * Actions on whole sessions: create, find, open, rename, mark as favourite, delete, export, take over, hand off. Only the
 * window that writes a session can change it.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { BranchSummary } from '../../core/compaction/handover.ts';
import { JournalError, UserFacingError } from '../../core/errors.ts';
import { formatCount } from '../../core/figures.ts';
import type { Journal } from '../../core/journal/journal.ts';
import { makeNote } from '../../core/journal/makeNote.ts';
import type { Log } from '../../core/log.ts';
import { type CleanValue, exportJson, exportMarkdown, exportNormalForm } from '../../core/sessions/exportSession.ts';
import { words } from '../../core/words.ts';
import { knownSecrets } from '../../node/secrets/knownSecrets.ts';
import { openCleaner } from '../../node/secrets/openCleaner.ts';
import type { Conversation } from '../../node/session/conversation.ts';
import type { Drafts } from '../../node/session/drafts.ts';
import type { SessionAccess } from '../../node/session/sessionAccess.ts';
import type { SessionPlaces } from '../../node/session/sessionPlaces.ts';
import type { ShownSession } from '../../node/session/shownSession.ts';
import type { BackgroundShell } from '../../node/shell/backgroundShell.ts';
import { nodeCrypto } from '../../node/storage/disk/fileBlobStore.ts';
import { copyJournal } from '../../node/storage/journal/copyJournal.ts';
import { LONGEST_MESSAGE, leaveMessage } from '../../node/storage/sessions/mailbox.ts';
import type { RecordedPlace } from '../../node/storage/sessions/recordedText.ts';
import { JOURNAL, type SessionStore } from '../../node/storage/sessions/sessionStore.ts';
import type { SessionSummary } from '../../node/storage/sessions/sessionSummary.ts';
import type { ToHost } from '../../protocol/messages.ts';
import type { Handlers } from '../handlers.ts';
import type { ReadOnlyDocuments } from '../inspect/readOnlyDocuments.ts';
import type { OpenedMcp } from '../mcp/openMcp.ts';
import type { Models } from '../models/models.ts';
import { confirmInDialog, inEditorLanguage, showInformation, withCancel } from '../notices/notify.ts';
import { showInputBox, showQuickPick, showSaveDialog } from '../notices/pickers.ts';
import type { PanelChanges } from '../panel/panelChanges.ts';
import { focusPanel } from '../panel/panelChanges.ts';
import type { WindowHome } from '../session/sessionHome.ts';
import type { WatchedSettings } from '../settings.ts';
import { askOnceForImportedOrders } from './importedOrders.ts';
import { importSession } from './importSession.ts';

interface Parts {
  readonly session: ShownSession;
  readonly settings: WatchedSettings;
  readonly access: SessionAccess;
  readonly background: BackgroundShell;
  readonly home: WindowHome;
  readonly places: SessionPlaces;
  /** This workspace's sessions. */
  readonly store: SessionStore;
  readonly documents: ReadOnlyDocuments;
  readonly drafts: Drafts;
  readonly changes: PanelChanges;
  readonly log: Log;
  readonly models: Models;
  readonly mcp: OpenedMcp;
}

type ListRequest = Extract<ToHost, { type: 'listSessions' }>;
type OpenRequest = Extract<ToHost, { type: 'openSession' }>;
type ExportFormat = 'journal' | 'json' | 'markdown' | 'chat';

interface ExportWay {
  readonly format: ExportFormat;
  readonly clean: CleanValue;
}

export class SessionCommands {
  readonly #parts: Parts;
  #listed: Pick<ListRequest, 'query' | 'scope'> = { query: '', scope: 'workspace' };

  readonly handlers = {
    newSession: () => this.#showNone(),
    importSession: (_, file) => this.importFrom(file instanceof vscode.Uri ? { path: file.fsPath } : undefined),
    handOff: ({ instructions }) => this.#handOff(instructions),
    leaveMessage: () => leaveMessageElsewhere(this.#parts.session, this.#parts.store),
    exportSession: ({ sessionId }) => this.#export(sessionId),
    takeOverSession: () => this.#takeOver(),
    continueHere: () => this.#continueHere(),
    renameSession: ({ sessionId, title }) =>
      sessionId !== undefined && title !== undefined ? this.#rename(sessionId, title) : this.#renameShown(),
    showHistory: () => this.#parts.changes.publishInFront({ type: 'history' }),
    listSessions: (asked) => {
      this.#listed = asked;
      return this.#list();
    },
    openSession: ({ sessionId, hit }) => this.#open(sessionId, hit),
    favourite: async ({ sessionId, favourite }) => {
      await (await this.#parts.places.storeOf(sessionId)).setFavourite(sessionId, favourite);
      await this.#list();
    },
    deleteSession: async ({ sessionId }) => {
      await this.remove(sessionId);
      await this.#list();
    },
  } satisfies Partial<Handlers>;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The draft moves to the new session, unless the old one goes on, or another window writes it. */
  async #showNone(): Promise<void> {
    const { session, drafts } = this.#parts;
    const { conversation } = session;
    const stays = conversation === null || conversation.atWork || conversation.journal.readOnly !== null;
    if (!stays) await drafts.takeAlong(conversation.id);
    await session.show(null);
    await focusPanel();
  }

  /** Shows the imported session, and returns its id; null when nothing was imported. Asks for a place unless one is given. */
  async importFrom(place?: RecordedPlace): Promise<string | null> {
    const id = await importSession(this.#parts.store, place);
    if (!id) return null;
    await this.#parts.session.show(id);
    // Before the question: what takes the focus later would close it.
    await focusPanel();
    await this.#askForOrders(id);
    return id;
  }

  async #show(id: string): Promise<void> {
    await this.#parts.session.show(id);
    await this.#askForOrders(id);
  }

  /** An imported session's own orders hold only once the person has chosen them. */
  async #askForOrders(id: string): Promise<void> {
    const { session, settings } = this.#parts;
    const isShown = session.conversation?.id === id;
    if (isShown && settings.current.agent.memory.standingOrders) await askOnceForImportedOrders(session.conversation);
  }

  async #handOff(instructions: string | undefined): Promise<void> {
    const { session, background } = this.#parts;
    session.requireMovable();
    const goal = instructions ?? (await askForGoal());
    if (goal === undefined) return;
    const { id } = session.requireMovable();
    await handOff(session, goal.trim(), nameContinued);
    background.handOver(id, session.require().id);
    await focusPanel();
  }

  /** With `hit`, scrolls to the search hit, which may be on an abandoned branch. */
  async #open(id: string, hit: OpenRequest['hit']): Promise<void> {
    const { session, changes } = this.#parts;
    await this.#show(id);
    const rowId = hit && session.rowOfEntry(hit.entry);
    if (rowId) changes.publish({ type: 'reveal', rowId, text: hit.text });
  }

  /** Lists the sessions for the newest query. */
  async #list(): Promise<void> {
    const asked = this.#listed;
    const { places, session, changes } = this.#parts;
    const sessions = await withCancel(
      words('Reading the list of sessions…'),
      (signal) => places.list(asked.query, asked.scope, session.conversation?.id, signal),
      // The list says which of them were not read.
      { keeps: true },
    );
    // The person may type meanwhile, and only the newest answer counts.
    if (asked === this.#listed) changes.publish({ type: 'sessions', query: asked.query, sessions });
  }

  async #renameShown(): Promise<void> {
    const { id, journal } = this.#parts.session.require();
    if (journal.readOnly) throw journal.readOnly;
    const value = journal.title ?? '';
    const title = await showInputBox({ title: vscode.l10n.t('Rename Session'), value });
    if (title?.trim()) await this.#rename(id, title.trim());
  }

  async #rename(id: string, title: string): Promise<void> {
    const { session, places } = this.#parts;
    const conversation = session.find(id);
    if (conversation) {
      await conversation.journal.append({ type: 'title', title });
      return;
    }
    await (await places.storeOf(id)).rename(id, title);
  }

  async #takeOver(): Promise<void> {
    const { session } = this.#parts;
    session.require();
    await session.reopen('takeOver');
  }

  /** With all other sessions of that workspace, also those it went on with, so that a person is asked once. They stay where they lie. */
  async #continueHere(): Promise<void> {
    const { session, places, home } = this.#parts;
    const { id } = session.require();
    // Another window on this workspace may have asked already.
    await home.adopt([]);
    const origin = await places.originOf(id);
    if (origin) {
      const agree = vscode.l10n.t('Continue Here');
      const text = vscode.l10n.t('Continue the sessions of {0} in this folder?', origin.workspace);
      const detail = vscode.l10n.t(
        'From now on they are sessions of this folder: the agent works on the files that are open here, and checkpoints restore files here. Nothing is moved or copied.',
      );
      if (!(await confirmInDialog(text, detail, agree))) return;
      await home.adopt(origin.folders);
    }
    await session.reopen('own');
  }

  /** Moves it to the trash. The notification offers to undo this. */
  async remove(id: string): Promise<void> {
    const { session, places, drafts, log } = this.#parts;
    const store = await places.storeOf(id);
    const title = await this.titleOf(id);
    await session.close(id);
    const trashed = await store.remove(id, () => drafts.forget(id));
    const undo = vscode.l10n.t('Undo');
    log('info', `Session ${id} was moved to ${trashed}.`);
    const text = vscode.l10n.t('“{0}” was moved to the trash.', title);
    void showInformation(text, undo).then(async (chosen) => {
      if (chosen !== undo) return;
      await store.restore(id, trashed);
      await session.show(id);
    });
  }

  async #export(given?: string): Promise<void> {
    const id = given ?? (await this.choose());
    if (!id) return;
    const format = await askForFormat();
    if (!format) return;
    const title = await this.titleOf(id);
    const name = `${title.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 60) || id}.${EXTENSIONS[format]}`;
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const target = await showSaveDialog({
      title: vscode.l10n.t('Export Session'),
      ...(folder ? { defaultUri: vscode.Uri.joinPath(folder, name) } : {}),
    });
    if (!target) return;
    const { cleanValue } = await openCleaner(knownSecrets(this.#parts));
    await this.#write(id, { format, clean: cleanValue }, target.fsPath);
    await this.#writeSubagents(id, { format, clean: cleanValue }, target.fsPath);
    const open = vscode.l10n.t('Open');
    const done = vscode.l10n.t('The session was exported to {0}.', target.fsPath);
    void showInformation(done, open).then(async (chosen) => {
      if (chosen === open) await vscode.window.showTextDocument(target);
    });
  }

  /** The session on screen, or one that the person chooses. */
  async choose(): Promise<string | null> {
    const { session, store } = this.#parts;
    if (session.conversation) return session.conversation.id;
    const items = (await listSessions(store)).map(({ id, title, time, problem }) => ({
      label: title || id,
      description: new Date(time).toLocaleString(vscode.env.language),
      ...(problem ? { detail: `$(warning) ${inEditorLanguage(problem)}` } : {}),
      id,
    }));
    if (items.length === 0) {
      void showInformation(vscode.l10n.t('No session is open.'));
      return null;
    }
    const chosen = await showQuickPick(items, { title: vscode.l10n.t('Which Session?') });
    return chosen?.id ?? null;
  }

  async titleOf(id: string): Promise<string> {
    const { places, session } = this.#parts;
    const found = (await listSessions(await places.storeOf(id))).find((each) => each.id === id);
    return found?.title || session.find(id)?.journal.title || id;
  }

  async folderOf(id: string): Promise<string> {
    return (await this.#parts.places.storeOf(id)).folderOf(id);
  }

  /**
   * The file is replaced, so nobody may have it open. If it was the session on screen, it is shown again afterwards.
   */
  async whileClosed<T>(id: string, act: (folder: string) => Promise<T>): Promise<T> {
    const { session, places } = this.#parts;
    const shown = session.conversation?.id === id;
    await session.close(id);
    try {
      return await (await places.storeOf(id)).whileOwned(id, act);
    } finally {
      if (shown) await session.show(id);
    }
  }

  async #write(id: string, { format, clean }: ExportWay, path: string): Promise<void> {
    const { session, places } = this.#parts;
    const conversation = session.find(id);
    const store = await places.storeOf(id);
    if (format === 'journal') {
      await conversation?.journal.sync();
      await copyJournal(join(store.folderOf(id), JOURNAL), path, clean, nodeCrypto);
      return;
    }
    const journal = conversation?.journal ?? (await this.#readOnly(id)).journal;
    await writeFile(path, WRITERS[format](journal, clean));
    if (journal !== conversation?.journal) await journal.close();
  }

  /** Each in a folder next to the session's own file. */
  async #writeSubagents(id: string, { format, clean }: ExportWay, path: string): Promise<void> {
    const store = (await this.#parts.places.storeOf(id)).subagentsOf(id);
    const sessions = await store.list();
    if (sessions.length === 0) return;
    const folder = `${path}.subagents`;
    await mkdir(folder, { recursive: true });
    for (const session of sessions) {
      const target = join(folder, `${session.id}.${EXTENSIONS[format]}`);
      if (format === 'journal') await copyJournal(join(store.folderOf(session.id), JOURNAL), target, clean, nodeCrypto);
      else await whileOpen(store, session.id, (journal) => writeFile(target, WRITERS[format](journal, clean)));
    }
  }

  /** Shows a subagent's whole conversation so far as text. */
  async showSubagent(id: string, subagent: string): Promise<void> {
    const store = (await this.#parts.places.storeOf(id)).subagentsOf(id);
    const text = await whileOpen(store, subagent, async (journal) => [...exportMarkdown(journal)].join(''));
    await this.#parts.documents.show(`${subagent}.md`, text);
  }

  async #readOnly(id: string) {
    const { access, places } = this.#parts;
    return withCancel(
      words('Opening the session…'),
      async (signal) => (await places.openForeign(id, signal)) ?? (await access.open(id, 'read', signal)),
      { keeps: true },
    );
  }
}

/** Read-only, even while a subagent writes it. */
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
  return (await showQuickPick(items, { title: vscode.l10n.t('Export Session') }))?.format ?? null;
}

function askForGoal(): Thenable<string | undefined> {
  const prompt = vscode.l10n.t('What the new session is for (optional). The summary keeps it in mind.');
  return showInputBox({ title: vscode.l10n.t('Hand Off to New Session'), prompt });
}

function nameContinued(title: string): string {
  const name = (of: string) => vscode.l10n.t('{0}, continued', of);
  return title.endsWith(name('')) ? title : name(title);
}

/**
 * Starts a session with a summary of the one on screen; each links to the other. `goal`, the purpose of the new one,
 * waits in its composer. Throws with the reason when it cannot be started.
 */
export async function handOff(session: ShownSession, goal: string, nameNext: (title: string) => string): Promise<void> {
  const before = session.requireMovable();
  const { title } = session;
  const summary = await before.whileIdle((signal) => before.compactor.handover.summariseSession(goal, signal), true);
  if (summary.kind === 'none') throw new UserFacingError(summary.reason);
  const titles = { before: title, next: nameNext(title) };
  await session.showNew((next) => beginFrom(next, before, titles, summary), goal);
}

/** Model, agent, strategy and mode are taken from `before`. */
async function beginFrom(
  next: Conversation,
  before: Conversation,
  titles: { readonly before: string; readonly next: string },
  summary: BranchSummary,
): Promise<void> {
  const { journal, agent } = next;
  await next.setMode(before.journal.mode);
  await next.change(async () => {
    await journal.append({ type: 'title', title: titles.next });
    const { chosenAgent, modelName } = before.agent;
    const chosen = before.journal.strategyChosen;
    // The agent afterwards, because the newer choice counts.
    if (chosen) await agent.chooseStrategy(chosen.strategy);
    if (chosenAgent) await agent.chooseAgent(chosenAgent);
    await agent.configure(modelName);
    const notice = words('This session continues from “{0}”.', titles.before);
    await journal.append(makeNote('info', notice, { action: 'openSession', session: before.id }));
    await agent.compactor.handover.beginWith(summary, { id: before.id, title: titles.before });
  });
  await before.change(() =>
    before.journal.append(
      makeNote('info', words('“{0}” continues from here.', titles.next), { action: 'openSession', session: next.id }),
    ),
  );
}

/** *Leave Message for Another Session…*: passes findings on to a conversation elsewhere. */
async function leaveMessageElsewhere(session: ShownSession, store: SessionStore): Promise<void> {
  const conversation = session.requireMovable();
  const from = session.title;
  const others = (await listSessions(store)).filter(({ id, problem }) => id !== conversation.id && problem === null);
  if (others.length === 0) throw new UserFacingError(words('There is no other session in this workspace.'));
  const items = others.map(({ id, title, time }) => ({
    id,
    label: title || id,
    description: new Date(time).toLocaleString(vscode.env.language),
  }));
  const chosen = await showQuickPick(items, {
    title: vscode.l10n.t('Leave a Message for Which Session?'),
    placeHolder: vscode.l10n.t('Its model will read the message at the beginning of its next turn.'),
  });
  if (!chosen) return;
  const text = await showInputBox({
    title: vscode.l10n.t('Message for “{0}”', chosen.label),
    prompt: vscode.l10n.t('What its model should know, such as what was found out here'),
    ignoreFocusOut: true,
    validateInput: (typed) =>
      typed.length > LONGEST_MESSAGE ? vscode.l10n.t('At most {0} characters.', formatCount(LONGEST_MESSAGE)) : null,
  });
  if (!text?.trim()) return;
  const message = { from: conversation.id, title: from, text: text.trim() };
  await leaveMessage(store.folderOf(chosen.id), message, { clock: { now: Date.now }, crypto: nodeCrypto });
  await conversation.change(() =>
    conversation.journal.append(
      makeNote(
        'info',
        words('Your message was left for “{0}”. Its model will read it on its next turn.', chosen.label),
        {
          detail: message.text.split('\n').map((line) => words('{0}', line)),
        },
      ),
    ),
  );
  void showInformation(vscode.l10n.t('The message is waiting for “{0}”.', chosen.label));
}
