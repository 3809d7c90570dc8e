/** Searches sessions by title and text, reading the stored journals directly. */

import { join } from 'node:path';
import type { Message } from '../../../core/context/message.ts';
import { isAbort } from '../../../core/errors.ts';
import { readLines } from '../disk/readLines.ts';
import { JOURNAL, type SessionStore } from './sessionStore.ts';
import type { SessionSummary } from './sessionSummary.ts';

export interface SessionMatch {
  readonly session: SessionSummary;
  /** Passages around the hits, newest first; empty when only the title matched. */
  readonly passages: readonly { readonly seq: number; readonly text: string }[];
}

const PASSAGES = 3;
const AROUND = 60;

/**
 * Newest sessions first, ignoring case. When the signal is aborted, returns the hits so far, and without a query every
 * session.
 */
export async function searchSessions(store: SessionStore, query: string, signal: AbortSignal): Promise<SessionMatch[]> {
  const sought = query.trim().toLowerCase();
  const sessions = await store.list(signal);
  if (sought === '') return sessions.map((session) => ({ session, passages: [] }));
  const matches: SessionMatch[] = [];
  for (const session of sessions) {
    if (signal.aborted) break;
    const passages = session.problem
      ? []
      : await searchJournal(join(store.folderOf(session.id), JOURNAL), sought, signal);
    if (passages.length > 0 || session.title.toLowerCase().includes(sought)) matches.push({ session, passages });
  }
  return matches;
}

async function searchJournal(
  path: string,
  sought: string,
  signal: AbortSignal,
): Promise<{ seq: number; text: string }[]> {
  // In JSON form, with escaped quotes and line breaks.
  const escaped = JSON.stringify(sought).slice(1, -1).toLowerCase();
  const found: { seq: number; text: string }[] = [];
  const take = (line: Buffer) => {
    if (!line.includes('"type":"message"')) return;
    const text = line.toString();
    if (!text.toLowerCase().includes(escaped)) return;
    const passage = passageOf(text, sought);
    if (passage) found.push(passage);
    if (found.length > PASSAGES) found.shift();
  };
  try {
    await readLines(path, take, { signal });
  } catch (thrown) {
    if (!isAbort(thrown)) throw thrown;
  }
  return found.reverse();
}

/** Null when the hit is outside the message text, or the line is damaged. */
function passageOf(line: string, sought: string): { seq: number; text: string } | null {
  try {
    const { seq, message } = JSON.parse(line) as { seq: number; message: Message };
    const at = message.text.toLowerCase().indexOf(sought);
    if (at < 0) return null;
    const from = Math.max(0, at - AROUND);
    const cut = message.text
      .slice(from, at + sought.length + AROUND)
      .toWellFormed()
      .replace(/\s+/g, ' ');
    return { seq, text: cut.trim() };
  } catch {
    return null;
  }
}
