/**
 * Imports a session that this or another known program recorded. The file is never changed. Lines that cannot be read
 * are counted and reported by number; a file without a readable line makes no session.
 */

import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import * as vscode from 'vscode';
import { messageOf } from '../../core/errors.ts';
import { detectFormat, FORMAT_LABELS, importRecorded, journalId } from '../../core/sessions/importRecorded.ts';
import { type ImportReport, newImportReport } from '../../core/sessions/recorded.ts';
import { hasCode } from '../files/fileErrors.ts';
import { JOURNAL, type SessionStore } from '../storage/sessions/sessionStore.ts';
import { showWarning } from '../tell/notify.ts';

/** Characters read to find out which program recorded the file. */
const START = 64_000;

const SHOWN_BY_CLINE = 'ui_messages.json';
const SAID_IN_CLINE = 'api_conversation_history.json';

/** Asks for a file unless one is given. Returns null when nothing was imported; the person then knows why. */
export async function importSession(store: SessionStore, given?: vscode.Uri): Promise<string | null> {
  const file = given ?? (await askForFile());
  if (!file) return null;
  const path = await meantBy(file.fsPath);
  const report = newImportReport();
  const title = vscode.l10n.t('Importing {0}…', basename(path));
  try {
    const id = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, () =>
      readInto(store, path, report),
    );
    const problem = describeProblem(path, id, report);
    if (problem) void showWarning(problem);
    return id;
  } catch (thrown) {
    throw new Error(vscode.l10n.t('{0} cannot be imported: {1}', path, messageOf(thrown)));
  }
}

async function askForFile(): Promise<vscode.Uri | undefined> {
  const [file] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('Import a Recorded Session'),
      filters: { [vscode.l10n.t('Recorded sessions')]: ['jsonl', 'json', 'gz'] },
    })) ?? [];
  return file;
}

/** Cline and Roo keep two files for each task: what their panel shows and what was said. The second is imported. */
async function meantBy(path: string): Promise<string> {
  if (basename(path) !== SHOWN_BY_CLINE) return path;
  const said = join(dirname(path), SAID_IN_CLINE);
  return access(said).then(
    () => said,
    () => path,
  );
}

async function readInto(store: SessionStore, path: string, report: ImportReport): Promise<string | null> {
  const start = await readStart(path);
  const own = journalId(start);
  if (own !== null) return adoptJournal(store, own, path);
  const format = detectFormat(start);
  if (!format) return null;
  let session: Awaited<ReturnType<SessionStore['create']>> | null = null;
  try {
    for await (const draft of importRecorded(format, readLines(path, report), report)) {
      session ??= await store.create({
        importedFrom: { format: format === 'normal' ? 'chat-completions' : format, name: basename(path) },
      });
      await session.journal.append(draft);
    }
  } catch (thrown) {
    await session?.journal.close().catch(() => undefined);
    throw thrown;
  }
  if (!session) return null;
  // Other programs name their files by date and number, or all the same: the first message is the better title.
  if (format === 'normal') await session.journal.append({ type: 'title', title: nameOf(path) });
  await session.journal.close();
  return session.id;
}

/** One of our own journals is copied whole, with its branches and its id. Its blobs are not copied. */
async function adoptJournal(store: SessionStore, id: string, path: string): Promise<string> {
  const folder = store.folderOf(id);
  try {
    await mkdir(dirname(folder), { recursive: true });
    await mkdir(folder);
  } catch (thrown) {
    if (!hasCode(thrown, 'EEXIST')) throw thrown;
    throw new Error(vscode.l10n.t('this session is here already. Move the one that is here to the trash first.'));
  }
  try {
    await pipeline(openText(path), createWriteStream(join(folder, JOURNAL), { flags: 'wx' }));
  } catch (thrown) {
    await rm(folder, { recursive: true });
    throw thrown;
  }
  return id;
}

async function readStart(path: string): Promise<string> {
  let start = '';
  try {
    for await (const chunk of openText(path).setEncoding('utf8')) {
      start += chunk;
      if (start.length >= START) break;
    }
  } catch (thrown) {
    // The readable part of a truncated file may be enough to detect its format.
    if (start === '') throw thrown;
  }
  return start;
}

/** A truncated file gives the lines before its end, and the person is told where it ends. */
async function* readLines(path: string, report: ImportReport): AsyncGenerator<string> {
  let line = 0;
  try {
    for await (const text of createInterface({ input: openText(path), crlfDelay: Number.POSITIVE_INFINITY })) {
      line++;
      yield text;
    }
  } catch (thrown) {
    if (line === 0) throw thrown;
    report.badLines.push({ line: line + 1, reason: messageOf(thrown) });
  }
}

function openText(path: string): Readable {
  const bytes = createReadStream(path);
  if (!path.endsWith('.gz')) return bytes;
  const text = bytes.pipe(createGunzip());
  // An error of the file itself must reach the reader of the unzipped lines.
  bytes.on('error', (error) => text.destroy(error));
  return text;
}

function nameOf(path: string): string {
  return basename(path).replace(/\.jsonl?(\.gz)?$/, '');
}

function describeProblem(path: string, id: string | null, { badLines }: ImportReport): string | null {
  const [first] = badLines;
  if (id === null) {
    const shown = basename(path) === SHOWN_BY_CLINE;
    if (shown) {
      return vscode.l10n.t(
        '{0} holds what a panel showed, and no session. Choose {1} of the same task.',
        path,
        SAID_IN_CLINE,
      );
    }
    const why = first ? ` (line ${first.line}: ${first.reason})` : '';
    return vscode.l10n.t(
      '{0} holds no recorded session{1}. What can be imported: {2}.',
      path,
      why,
      ['Palimpsest', ...Object.values(FORMAT_LABELS)].join('; '),
    );
  }
  if (!first) return null;
  return vscode.l10n.t(
    '{0} was imported, but not all of it could be read. Lines left out: {1}; the first is line {2}: {3}.',
    path,
    badLines.length,
    first.line,
    first.reason,
  );
}
