/**
 * Sessions that other programs recorded in the folders of this window. Nothing is looked for before the panel asks, and one
 * that the person goes on with is a copy, which is opened again the next time: its file is never changed. What does not fit
 * is compacted only once they agreed.
 */

import * as vscode from 'vscode';
import { isAbort, UserFacingError, wordsOf } from '../../core/errors.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import { cut, LABEL } from '../../core/transcript/cut.ts';
import { words } from '../../core/words.ts';
import { userDataOf } from '../../node/files/deniedFolders.ts';
import { nameFolder } from '../../node/files/nameFolder.ts';
import type { ShownSession } from '../../node/session/shownSession.ts';
import type { FoundSession } from '../../node/storage/sessions/findRecorded.ts';
import { sourceOf } from '../../node/storage/sessions/recordedSource.ts';
import type { SessionStore } from '../../node/storage/sessions/sessionStore.ts';
import { findSessionsHere } from '../../node/storage/sessions/sessionsHere.ts';
import type { ToPanel } from '../../protocol/messages.ts';
import { openFolders } from '../files/openFolders.ts';
import type { Handlers } from '../handlers.ts';
import { inEditorLanguage, withCancel } from '../notices/notify.ts';
import { focusPanel, type PanelChanges } from '../panel/panelChanges.ts';
import type { SessionCommands } from './sessionCommands.ts';

type SessionsFound = Extract<ToPanel, { type: 'sessionsHere' }>;

interface Parts {
  readonly changes: PanelChanges;
  readonly session: ShownSession;
  readonly sessions: Pick<SessionCommands, 'importFrom'>;
  /** This workspace's sessions. */
  readonly store: Pick<SessionStore, 'list'>;
  /** A folder of this extension in the data of the editor. */
  readonly storage: string;
}

interface Here {
  readonly id: string;
  readonly kind: 'whole' | 'older';
}

export class FoundSessions {
  readonly #parts: Parts;
  #found: readonly FoundSession[] = [];
  /** Counts the searches: an id names a session of one of them. */
  #searches = 0;
  #importing = false;

  readonly handlers = {
    findSessionsHere: () => this.#find(),
    continueFound: ({ foundId, anew = false }) => this.#continue(foundId, anew),
  } satisfies Partial<Handlers>;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async #find(): Promise<void> {
    const { changes, storage } = this.#parts;
    const search = ++this.#searches;
    const none = (reason: string): SessionsFound => ({
      type: 'sessionsHere',
      sessions: [],
      problems: [reason],
      more: false,
    });
    const open = openFolders();
    const { workspaceFile } = vscode.workspace;
    const folders = workspaceFile?.scheme === 'file' ? [...open, workspaceFile.fsPath] : open;
    const editorData = userDataOf(storage);
    const where = { folders, ...(editorData === null ? {} : { editorData }) };
    try {
      const found = await withCancel(words('Looking for sessions…'), (signal) =>
        findSessionsHere({ ...where, signal }),
      );
      const here = await this.#hereOf(found.sessions);
      if (search !== this.#searches) return;
      this.#found = found.sessions;
      changes.publish({
        type: 'sessionsHere',
        sessions: found.sessions.map(({ program, title, time, folder }, at) => ({
          id: nameFound(search, at),
          program,
          title: cut(showInOneLine(title), LABEL),
          time,
          here: here[at]?.kind ?? 'no',
          folder: open.length > 1 ? cut(showInOneLine(nameFolder(folder, open)), LABEL) : '',
        })),
        problems: found.problems.map((problem) => cut(showInOneLine(inEditorLanguage(problem)), LABEL)),
        more: found.isCut,
      });
    } catch (thrown) {
      const reason = isAbort(thrown) ? words('The search was stopped.') : wordsOf(thrown);
      if (search === this.#searches) changes.publish(none(cut(inEditorLanguage(reason), LABEL)));
    }
  }

  /** Of each, the session here that goes on with it: the newest, where there are several. */
  async #hereOf(found: readonly FoundSession[]): Promise<(Here | null)[]> {
    const { signal } = new AbortController();
    const own = await this.#parts.store.list(signal);
    return Promise.all(
      found.map(async ({ path, part }) => {
        const place = { path, ...(part === undefined ? {} : { part }) };
        const source = await sourceOf(place, signal).catch(() => null);
        const here = own.find(({ from }) => from && from.session === source?.session);
        return here ? { id: here.id, kind: here.from?.state === source?.state ? 'whole' : 'older' } : null;
      }),
    );
  }

  async #continue(foundId: string, anew: boolean): Promise<void> {
    // The second click of two hits the same session.
    if (this.#importing) return;
    const { session, sessions } = this.#parts;
    const chosen = this.#found.find((_, at) => nameFound(this.#searches, at) === foundId);
    if (!chosen) throw new UserFacingError(words('That session is no longer in the list. Look for sessions again.'));
    this.#importing = true;
    let id: string | null = null;
    try {
      const { path, part } = chosen;
      const [here] = anew ? [] : await this.#hereOf([chosen]);
      if (here) {
        id = here.id;
        await session.show(id);
        await focusPanel();
      } else id = await sessions.importFrom({ path, ...(part === undefined ? {} : { part }) });
    } finally {
      this.#importing = false;
    }
    const { conversation } = session;
    if (id !== null && conversation?.id === id) await conversation.compactToFit();
  }
}

const nameFound = (search: number, at: number): string => `${search}.${at}`;
