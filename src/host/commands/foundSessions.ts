/**
 * Sessions that other programs recorded in the folders of this window. Nothing is looked for before the panel asks, and one
 * that the person goes on with is a copy: its file is never changed. What does not fit is compacted only once they agreed.
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
import { findSessionsHere } from '../../node/storage/sessions/sessionsHere.ts';
import type { ToPanel } from '../../protocol/messages.ts';
import { openFolders } from '../files/openFolders.ts';
import type { Handlers } from '../handlers.ts';
import { inEditorLanguage, withCancel } from '../notices/notify.ts';
import type { PanelChanges } from '../panel/panelChanges.ts';
import type { SessionCommands } from './sessionCommands.ts';

type SessionsFound = Extract<ToPanel, { type: 'sessionsHere' }>;

interface Parts {
  readonly changes: PanelChanges;
  readonly session: ShownSession;
  readonly sessions: Pick<SessionCommands, 'importFrom'>;
  /** A folder of this extension in the data of the editor. */
  readonly storage: string;
}

export class FoundSessions {
  readonly #parts: Parts;
  #found: readonly FoundSession[] = [];
  /** Counts the searches: an id names a session of one of them. */
  #searches = 0;
  #importing = false;

  readonly handlers = {
    findSessionsHere: () => this.#find(),
    continueFound: ({ foundId }) => this.#continue(foundId),
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
      if (search !== this.#searches) return;
      this.#found = found.sessions;
      changes.publish({
        type: 'sessionsHere',
        sessions: found.sessions.map(({ program, title, time, folder }, at) => ({
          id: nameFound(search, at),
          program,
          title: cut(showInOneLine(title), LABEL),
          time,
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

  async #continue(foundId: string): Promise<void> {
    // The second click of two hits the same session.
    if (this.#importing) return;
    const { session, sessions } = this.#parts;
    const chosen = this.#found.find((_, at) => nameFound(this.#searches, at) === foundId);
    if (!chosen) throw new UserFacingError(words('That session is no longer in the list. Look for sessions again.'));
    this.#importing = true;
    let id: string | null = null;
    try {
      const { path, part } = chosen;
      id = await sessions.importFrom({ path, ...(part === undefined ? {} : { part }) });
    } finally {
      this.#importing = false;
    }
    const { conversation } = session;
    if (id !== null && conversation?.id === id) await conversation.compactToFit();
  }
}

const nameFound = (search: number, at: number): string => `${search}.${at}`;
