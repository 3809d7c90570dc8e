/**
 * Imports a recorded session from a file as a new session. The file is read as a stream and never changed; lines that do
 * not fit are counted and named by number, and a file with nothing in it that fits makes no session.
 */

import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import * as vscode from 'vscode';
import { importNormalForm } from '../core/sessions/importNormalForm.ts';
import { type ImportReport, newImportReport } from '../core/sessions/recorded.ts';
import type { SessionStore } from './storage/sessionStore.ts';

/** Asks for a file unless one is given. Null when nothing was imported; the person has then been told why. */
export async function importSession(store: SessionStore, given?: vscode.Uri): Promise<string | null> {
  const file = given ?? (await askForFile());
  if (!file) return null;
  const path = file.fsPath;
  const report = newImportReport();
  const title = vscode.l10n.t('Importing {0}…', basename(path));
  const id = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, () =>
    readInto(store, path, report),
  );
  const problem = describeProblem(path, id, report);
  if (problem) void vscode.window.showWarningMessage(problem);
  return id;
}

async function askForFile(): Promise<vscode.Uri | undefined> {
  const [file] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('Import a Recorded Session'),
      filters: { [vscode.l10n.t('Recorded sessions')]: ['jsonl', 'gz'] },
    })) ?? [];
  return file;
}

async function readInto(store: SessionStore, path: string, report: ImportReport): Promise<string | null> {
  const bytes = createReadStream(path);
  const text = path.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  // An error of the file itself must reach the reader of the unzipped lines.
  if (text !== bytes) bytes.on('error', (error) => text.destroy(error));
  const lines = createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY });
  const drafts = importNormalForm(lines, report);
  let session: Awaited<ReturnType<SessionStore['create']>> | null = null;
  for await (const draft of drafts) {
    session ??= await store.create({ importedFrom: { format: 'chat-completions', name: basename(path) } });
    await session.journal.append(draft);
  }
  if (!session) return null;
  await session.journal.append({ type: 'title', title: basename(path).replace(/\.jsonl(\.gz)?$/, '') });
  await session.journal.close();
  return session.id;
}

function describeProblem(path: string, id: string | null, { badLines }: ImportReport): string | null {
  const [first] = badLines;
  if (id === null) {
    const why = first ? ` (line ${first.line}: ${first.reason})` : '';
    return vscode.l10n.t(
      '{0} holds no recorded session{1}. It must be JSON lines, one chat-completions message a line.',
      path,
      why,
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
