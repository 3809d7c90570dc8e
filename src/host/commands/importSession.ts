/**
 * Imports a session recorded by this or another known program. The file is never changed. Unreadable lines are counted
 * and reported by number; a file without a readable line makes no session.
 */

import { basename, dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { isAbort, wordsOf } from '../../core/errors.ts';
import { formatCount } from '../../core/figures.ts';
import { FORMAT_LABELS } from '../../core/sessions/recognise.ts';
import { type ImportReport, newImportReport } from '../../core/sessions/recorded.ts';
import { words } from '../../core/words.ts';
import { type FoundSession, findSessionFolders, listRecorded } from '../../node/storage/sessions/findRecorded.ts';
import { isThere } from '../../node/storage/sessions/folderFacts.ts';
import { importFile } from '../../node/storage/sessions/importFile.ts';
import { listParts } from '../../node/storage/sessions/recordedParts.ts';
import type { RecordedPlace } from '../../node/storage/sessions/recordedText.ts';
import type { SessionStore } from '../../node/storage/sessions/sessionStore.ts';
import { inEditorLanguage, showWarning, withCancel } from '../notices/notify.ts';
import { showOpenDialog, showQuickPick } from '../notices/pickers.ts';

const SHOWN_BY_CLINE = 'ui_messages.json';
const SAID_IN_CLINE = 'api_conversation_history.json';

/**
 * Asks for a place unless one is given. Returns null when nothing was imported; the person has then seen the reason, or
 * cancelled.
 */
export async function importSession(store: SessionStore, given?: RecordedPlace): Promise<string | null> {
  const chosen = given ?? (await askForFile());
  const place = chosen && (await choosePart({ ...chosen, path: await meantBy(chosen.path) }));
  if (!place) return null;
  const { path } = place;
  const report = newImportReport();
  const title = words('Importing {0}…', basename(path));
  try {
    const id = await withCancel(title, (signal) => importFile({ store, ...place, report, signal }), { keeps: true });
    const problem = describeProblem(path, id, report);
    if (problem) void showWarning(problem);
    return id;
  } catch (thrown) {
    if (isAbort(thrown)) return null;
    throw new Error(vscode.l10n.t('{0} cannot be imported: {1}', path, inEditorLanguage(wordsOf(thrown))));
  }
}

/** Offers sessions of other programs where some have their folders; nothing in these is read before the person says so. */
async function askForFile(): Promise<RecordedPlace | undefined> {
  const folders = await findSessionFolders();
  if (folders.length === 0) return askInDialog();
  const programs = [...new Set(folders.map(({ place }) => place.program))];
  const file = { label: vscode.l10n.t('Choose a file…') };
  const choice = {
    label: vscode.l10n.t('Look for sessions on this computer…'),
    detail: vscode.l10n.t('Reads the names and the beginnings of the newest sessions of {0}.', programs.join(', ')),
  };
  const title = vscode.l10n.t('Import a Recorded Session');
  const chosen = await showQuickPick([file, choice], { title });
  if (chosen !== choice) return chosen && askInDialog();
  const found = await withCancel(words('Looking for sessions…'), (signal) => listRecorded(folders, signal));
  const session = await showQuickPick(found.map(toItem), {
    title,
    matchOnDescription: true,
    placeHolder:
      found.length > 0
        ? vscode.l10n.t('The newest sessions, by title and folder')
        : vscode.l10n.t('No session was found'),
  });
  return session;
}

const toItem = ({ path, part, program, title, folder, time }: FoundSession) => ({
  label: title || basename(path),
  description: folder,
  detail: `${program} · ${shownTime(time)}`,
  path,
  ...(part === undefined ? {} : { part }),
});

const shownTime = (time: number) => new Date(time).toLocaleString(vscode.env.language);

/** Of a file with several sessions, the one that the person chooses; undefined when they choose none. */
async function choosePart(place: RecordedPlace): Promise<RecordedPlace | undefined> {
  if (place.part !== undefined) return place;
  const { path } = place;
  // A fault of the file is told when it is imported.
  const parts = await listParts(path, new AbortController().signal).catch(() => []);
  if (parts.length < 2) return place;
  const items = parts.map(({ part, title, folder, time }) => ({
    label: title || part,
    ...(folder ? { description: folder } : {}),
    ...(time ? { detail: shownTime(time) } : {}),
    part,
  }));
  const chosen = await showQuickPick(items, {
    title: vscode.l10n.t('The sessions in the file'),
    matchOnDescription: true,
  });
  return chosen && { path, part: chosen.part };
}

async function askInDialog(): Promise<RecordedPlace | undefined> {
  const [file] =
    (await showOpenDialog({
      title: vscode.l10n.t('Import a Recorded Session'),
      filters: { [vscode.l10n.t('Recorded sessions')]: ['jsonl', 'json', 'gz', 'md', 'traj', 'db'] },
    })) ?? [];
  return file && { path: file.fsPath };
}

/** Cline and Roo keep two files for each task: the panel's display and the conversation. The second is imported. */
async function meantBy(path: string): Promise<string> {
  if (basename(path) !== SHOWN_BY_CLINE) return path;
  const conversationFile = join(dirname(path), SAID_IN_CLINE);
  return (await isThere(conversationFile)) ? conversationFile : path;
}

function describeProblem(path: string, id: string | null, { badLines, brokenLinks }: ImportReport): string | null {
  const [first] = badLines;
  if (id === null) {
    const shown = basename(path) === SHOWN_BY_CLINE;
    if (shown) {
      return vscode.l10n.t(
        '{0} holds only what a panel showed, not a session. Choose {1} of the same task.',
        path,
        SAID_IN_CLINE,
      );
    }
    const why = first ? ` (line ${first.line}: ${first.reason})` : '';
    return vscode.l10n.t(
      '{0} holds no recorded session{1}. What can be imported: {2}.',
      path,
      why,
      FORMAT_LABELS.join('; '),
    );
  }
  if (!first) {
    if (brokenLinks === 0) return null;
    return vscode.l10n.t(
      '{0} was imported. Links to missing lines: {1}. At each of them the import went on with the line before it.',
      path,
      formatCount(brokenLinks),
    );
  }
  return vscode.l10n.t(
    '{0} was imported, but not all of it could be read. Lines left out: {1}; the first is line {2}: {3}.',
    path,
    formatCount(badLines.length),
    formatCount(first.line),
    first.reason,
  );
}
