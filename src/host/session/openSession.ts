/** Opens a session of any folder in this window, and reports what could not be read of it. */

import * as vscode from 'vscode';
import type { Log } from '../../core/ports.ts';
import { words } from '../../core/words.ts';
import type { JournalReport } from '../storage/journal/readJournal.ts';
import { showWarning } from '../tell/notify.ts';
import { withCancel } from '../tell/withCancel.ts';
import { type AccessMode, free, type HeldSession, type SessionAccess } from './sessionAccess.ts';
import type { SessionPlaces } from './sessionPlaces.ts';

interface SessionDoors {
  readonly access: SessionAccess;
  readonly places: SessionPlaces;
  readonly log: Log;
}

/** With null, creates a session. A person may cancel what takes long; it then rejects with an abort. */
export async function openSession(id: string | null, mode: AccessMode, doors: SessionDoors): Promise<HeldSession> {
  const { access, places, log } = doors;
  if (id === null) return access.create();
  const session = await withCancel(words('Opening the session…'), async (signal) => {
    const foreign = await places.openForeign(id, signal);
    return foreign ? free(foreign) : access.open(id, mode, signal);
  });
  if (session.report) reportDamage(session.report, log);
  return session;
}

/** Briefly to the person, and in full in the log. */
function reportDamage(report: JournalReport, log: Log): void {
  const { path, damaged, gaps, tornBytes } = report;
  if (tornBytes) log('warn', `${path}: the last line was torn (${tornBytes} bytes) and was moved aside.`);
  if (!damaged.length && !gaps.length) return;
  for (const { line, reason } of damaged) log('warn', `${path}: line ${line} is left out (${reason}).`);
  for (const { from, to } of gaps) log('warn', `${path}: entries ${from} to ${to} are missing.`);
  const text = vscode.l10n.t(
    'Part of this session could not be read (damaged lines: {0}, gaps: {1}). Everything else is here; the file {2} was not changed. Check Session says more.',
    damaged.length,
    gaps.length,
    path,
  );
  void showWarning(text);
}
