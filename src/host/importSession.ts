/**
 * Imports a recorded session from a file as a new session, whichever known program recorded it. The file is never
 * changed; lines that do not fit are counted and named by number, and a file with nothing that fits makes no session.
 */

import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import * as vscode from 'vscode';
import { JournalError, messageOf } from '../core/errors.ts';
import { detectFormat, FORMAT_LABELS, importRecorded, type RecordedFormat } from '../core/sessions/importRecorded.ts';
import { type ImportReport, newImportReport } from '../core/sessions/recorded.ts';
import type { SessionStore } from './storage/sessionStore.ts';

/** Characters read to find out which program recorded the file. */
const START = 64_000;

/** Asks for a file unless one is given. Null when nothing was imported; the person has then been told why. */
export async function importSession(store: SessionStore, given?: vscode.Uri): Promise<string | null> {
  const file = given ?? (await askForFile());
  if (!file) return null;
  const path = file.fsPath;
  const report = newImportReport();
  const title = vscode.l10n.t('Importing {0}…', basename(path));
  try {
    const id = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, () =>
      readInto(store, path, report),
    );
    const problem = describeProblem(path, id, report);
    if (problem) void vscode.window.showWarningMessage(problem);
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

async function readInto(store: SessionStore, path: string, report: ImportReport): Promise<string | null> {
  const format = detectFormat(await readStart(path));
  if (!format) return null;
  const lines = createInterface({ input: openText(path), crlfDelay: Number.POSITIVE_INFINITY });
  let session: Awaited<ReturnType<SessionStore['create']>> | null = null;
  try {
    for await (const draft of importRecorded(format, lines, report)) {
      session ??= await store.create({ importedFrom: { format: nameOf(format), name: basename(path) } });
      await session.journal.append(draft);
    }
  } catch (thrown) {
    // A file that is cut off: what came before the cut is kept, and the person is told where it ends.
    if (!session || thrown instanceof JournalError) throw thrown;
    report.badLines.push({ line: report.messages + 1, reason: messageOf(thrown) });
  }
  if (!session) return null;
  await session.journal.append({ type: 'title', title: basename(path).replace(/\.jsonl?(\.gz)?$/, '') });
  await session.journal.close();
  return session.id;
}

async function readStart(path: string): Promise<string> {
  let start = '';
  for await (const chunk of openText(path).setEncoding('utf8')) {
    start += chunk;
    if (start.length >= START) break;
  }
  return start;
}

function openText(path: string): Readable {
  const bytes = createReadStream(path);
  if (!path.endsWith('.gz')) return bytes;
  const text = bytes.pipe(createGunzip());
  // An error of the file itself must reach the reader of the unzipped lines.
  bytes.on('error', (error) => text.destroy(error));
  return text;
}

/** As it stands in the session's first entry. */
function nameOf(format: RecordedFormat): string {
  return format === 'normal' ? 'chat-completions' : format;
}

function describeProblem(path: string, id: string | null, { badLines }: ImportReport): string | null {
  const [first] = badLines;
  if (id === null) {
    const why = first ? ` (line ${first.line}: ${first.reason})` : '';
    return vscode.l10n.t(
      '{0} holds no recorded session{1}. What can be imported: {2}.',
      path,
      why,
      Object.values(FORMAT_LABELS).join('; '),
    );
  }
  if (!first) return null;
  return vscode.l10n.t(
    '{0} lines of {1} do not fit and were left out, the first is line {2}: {3}.',
    badLines.length,
    path,
    first.line,
    first.reason,
  );
}
