/**
 * One line about a session for the session list. It is derived: stored next to the journal with the length it covers,
 * and updated from the bytes appended since; a cache that does not match is discarded.
 */

import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownText } from '../../../core/context/authorship.ts';
import { areParts } from '../../../core/journal/entryTypes.ts';
import { objectOf, parseObject } from '../../../core/json.ts';
import { cut, LABEL } from '../../../core/transcript/cut.ts';
import { type Words, words } from '../../../core/words.ts';
import { rename } from '../disk/patientDisk.ts';
import { readRanges } from '../disk/readLines.ts';
import { storageError } from '../disk/storageError.ts';
import type { RecordedSource } from './recordedSource.ts';

/** An empty file of this name marks a favourite. */
export const FAVOURITE = 'favourite';

/** The cached line; derived from the journal. */
export const SUMMARY = 'summary.json';
const TITLE_LIMIT = 80;

export interface SessionSummary {
  readonly id: string;
  /** The given title, else the first line of the first user message. */
  readonly title: string;
  /** Milliseconds since the epoch of the last entry; of the file when it cannot be read. */
  readonly time: number;
  /** Of all branches, as `isSaid` counts them. */
  readonly messages: number;
  /** A compaction is in its journal, taken over from another program or its own. */
  readonly compacted: boolean;
  /** Length of the journal. */
  readonly bytes: number;
  readonly favourite: boolean;
  /** The session of another program that it goes on with. */
  readonly from?: RecordedSource;
  /** Why it cannot be read; null when it can. */
  readonly problem: Words | null;
}

interface Cache {
  readonly version: 4;
  /** Bytes of the journal that it covers. */
  readonly bytes: number;
  readonly title: string;
  readonly firstMessage: string;
  readonly time: number;
  readonly messages: number;
  readonly compacted: boolean;
  readonly from?: RecordedSource;
}

const EMPTY: Cache = { version: 4, bytes: 0, title: '', firstMessage: '', time: 0, messages: 0, compacted: false };

/** Never throws: unreadable sessions, and those interrupted by the signal, are part of the list. */
export async function readSummary(
  id: string,
  folder: string,
  journal: string,
  signal?: AbortSignal,
): Promise<SessionSummary> {
  const path = join(folder, journal);
  const favourite = await stat(join(folder, FAVOURITE)).then(
    () => true,
    () => false,
  );
  let cached = EMPTY;
  let written = 0;
  try {
    const { size, mtimeMs } = await stat(path);
    written = mtimeMs;
    cached = await readCache(folder, size);
    const fresh = cached.bytes < size ? await count(path, cached, signal) : cached;
    if (fresh !== cached) await writeCache(folder, fresh);
    const time = fresh.time || mtimeMs;
    const problem =
      size === 0
        ? words('The session file is empty.')
        : fresh.time === 0
          ? words('The session file has no readable line.')
          : null;
    return {
      id,
      title: fresh.title || fresh.firstMessage,
      time,
      messages: fresh.messages,
      compacted: fresh.compacted,
      bytes: size,
      favourite,
      ...(fresh.from ? { from: fresh.from } : {}),
      problem,
    };
  } catch (thrown) {
    return {
      id,
      title: cached.title || cached.firstMessage,
      time: cached.time || written,
      messages: 0,
      compacted: false,
      bytes: 0,
      favourite,
      problem: signal?.aborted ? NOT_READ : storageError(path, thrown).words,
    };
  }
}

const NOT_READ = words('Reading it was cancelled. You can still open it.');

async function readCache(folder: string, size: number): Promise<Cache> {
  try {
    const cache = JSON.parse(await readFile(join(folder, SUMMARY), 'utf8')) as Partial<Cache>;
    const whole =
      cache.version === 4 &&
      typeof cache.bytes === 'number' &&
      typeof cache.title === 'string' &&
      typeof cache.firstMessage === 'string' &&
      typeof cache.time === 'number' &&
      typeof cache.messages === 'number' &&
      typeof cache.compacted === 'boolean' &&
      cache.bytes <= size;
    return whole ? (cache as Cache) : EMPTY;
  } catch {
    // Missing or damaged: it is derived, so it is computed again.
    return EMPTY;
  }
}

async function writeCache(folder: string, cache: Cache): Promise<void> {
  const path = join(folder, SUMMARY);
  try {
    await writeFile(`${path}.tmp`, JSON.stringify(cache));
    await rename(`${path}.tmp`, path);
  } catch {
    // A session in a read-only folder is listed too, only more slowly.
  }
}

/**
 * Reads the lines after `cache.bytes`. Only titles and the first message are read whole; of other lines only the start.
 */
async function count(path: string, cache: Cache, signal?: AbortSignal): Promise<Cache> {
  let { title, firstMessage, time, messages, compacted, from } = cache;
  const take = (chunk: Buffer, start: number, end: number) => {
    const head = HEAD.exec(chunk.toString('latin1', start, Math.min(end, start + HEAD_LENGTH)));
    if (!head) return;
    time = Date.parse(head[1] ?? '') || time;
    if (head[2] === 'message' && SAID.test(head[3] ?? '')) messages++;
    if (head[2] === 'compaction') compacted = true;
    if (head[2] === 'session') from = sourceIn(chunk.toString('utf8', start, end)) ?? from;
    if (head[2] === 'title') title = textOf(chunk.toString('utf8', start, end), 'title') || title;
    if (head[2] === 'message' && !firstMessage) firstMessage = textOf(chunk.toString('utf8', start, end), 'message');
  };
  const { size, rest } = await readRanges(path, take, { from: cache.bytes, signal });
  const bytes = rest ? rest.offset : size;
  return { version: 4, bytes, title, firstMessage, time, messages, compacted, ...(from ? { from } : {}) };
}

const HEAD_LENGTH = 200;

/** The order of fields on disk is fixed (`Journal`), so a line's start identifies it. */
const HEAD = /^\{"seq":\d+,(?:"parent":(?:\d+|null),)?"time":"([^"]+)","type":"([^"]+)"(.*)/s;
/** Of the lines whose message `isSaid`. */
const SAID = /^,"message":\{"role":(?:"user","kind":"user"|"assistant","text":"(?!"))/;

function sourceIn(line: string): RecordedSource | null {
  const { session, state } = objectOf(parseObject(line)?.importedFrom);
  return typeof session === 'string' && typeof state === 'string' ? { session, state } : null;
}

function textOf(line: string, type: 'title' | 'message'): string {
  try {
    const { title, message } = JSON.parse(line) as {
      title?: unknown;
      message?: { role?: unknown; kind?: unknown; text?: unknown; parts?: unknown };
    };
    if (type === 'title') return typeof title === 'string' ? cut(title, LABEL) : '';
    if (message?.role !== 'user' || message.kind !== 'user' || typeof message.text !== 'string') return '';
    const parts = areParts(message.parts) ? { parts: message.parts } : {};
    const text =
      ownText({ kind: 'user', text: message.text, ...parts })
        .trim()
        .split('\n', 1)[0] ?? '';
    return text.length > TITLE_LIMIT ? `${text.slice(0, TITLE_LIMIT).toWellFormed()}…` : text;
  } catch {
    // A damaged line names nothing; opening the session reports it.
    return '';
  }
}

/** On one line, for a message or a list. Empty without a title. */
export const titleInLine = ({ title }: Pick<SessionSummary, 'title'>): string =>
  title.replace(/\s+/gu, ' ').trim().slice(0, 80);
