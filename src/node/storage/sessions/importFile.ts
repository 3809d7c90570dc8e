/**
 * Reads a recorded session into the store, leaving its file unchanged. The last entry marks everything before it as
 * imported, so that nothing in it triggers actions here. Sizes are capped, the work can be cancelled, and a failure
 * leaves nothing behind.
 */

import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { isAbort, messageOf, UserFacingError } from '../../../core/errors.ts';
import type { Journal } from '../../../core/journal/journal.ts';
import { asText, parseJson } from '../../../core/json.ts';
import { importRecorded, isList } from '../../../core/sessions/importRecorded.ts';
import { type Recognised, Recogniser, type RecordedFormat } from '../../../core/sessions/recognise.ts';
import type { ImportReport } from '../../../core/sessions/recorded.ts';
import { LineSplitter, type SplitLine } from '../../../core/tools/text/lineSplitter.ts';
import { words } from '../../../core/words.ts';
import { rm } from '../disk/patientDisk.ts';
import { codeOf } from '../disk/storageError.ts';
import { severalSessions } from './openCodeDatabase.ts';
import { listParts, readBeginning } from './recordedParts.ts';
import { sourceOf } from './recordedSource.ts';
import { openText, type RecordedPlace } from './recordedText.ts';
import { JOURNAL, type OpenSession, type SessionStore } from './sessionStore.ts';

/** In bytes, unpacked. */
export interface ImportLimits {
  /** For copied files and streams. */
  readonly streamed: number;
  /** For formats held in memory whole. */
  readonly whole: number;
  /** For one line; a longer one is omitted and reported. */
  readonly line: number;
}

const LIMITS: ImportLimits = { streamed: 4_000_000_000, whole: 256_000_000, line: 64_000_000 };

export interface Import extends RecordedPlace {
  readonly store: SessionStore;
  /** Filled while the file is read. */
  readonly report: ImportReport;
  readonly signal: AbortSignal;
  readonly limits?: ImportLimits;
}

/** The id of the new session; null when the file contains none. */
export async function importFile(work: Import): Promise<string | null> {
  const recognised = await recogniseFile(work);
  if (!recognised) return null;
  if (recognised.format === 'openHandsOutput' && work.part === undefined) {
    const parts = await listParts(work.path, work.signal);
    if (parts.length > 1) throw severalSessions(parts.map(({ part, title }) => `${part} (${title})`));
  }
  if (recognised.format === 'palimpsest') return adoptJournal(work, recognised.id);
  return readRecorded(work, recognised.format);
}

async function readRecorded(work: Import, format: RecordedFormat): Promise<string | null> {
  const { store, path, report, limits = LIMITS } = work;
  const most = format === 'normal' ? limits.streamed : limits.whole;
  const line = isList(format) ? limits.whole : limits.line;
  const isChat = format === 'normal' || format === 'normalList';
  let session = null as OpenSession | null;
  // Before anything is read: what is written meanwhile counts as new.
  const source = await sourceOf(work, work.signal).catch(() => ({}));
  const open = async (): Promise<Journal> => {
    work.signal.throwIfAborted();
    session ??= await store.create({
      importedFrom: { format: isChat ? 'chat-completions' : format, name: basename(path), ...source },
    });
    return session.journal;
  };
  try {
    await importRecorded(format, readLines(work, most, line), report, open);
    if (!session) return null;
    // Other programs name their files by date and number, or all the same: the first message is the better title.
    const title = isChat ? nameOf(path) : await givenTitle(work, format);
    if (title !== '') await session.journal.append({ type: 'title', title });
    work.signal.throwIfAborted();
    await markImported(session.journal);
    return session.id;
  } catch (thrown) {
    if (session) await discard(session.journal, session.folder);
    throw thrown;
  }
}

/** Programs that write a title before the list of messages, which a person may have given. */
const TITLED: ReadonlySet<RecordedFormat> = new Set(['openCode', 'continue']);
/** They stand for no title. */
const NO_TITLE = /^(?:(?:New|Child) session - |New Session$|Untitled)/;
const LONGEST_TITLE = 200;

/** Empty where the recording has none. */
async function givenTitle(work: Import, format: RecordedFormat): Promise<string> {
  if (!TITLED.has(format)) return '';
  const { text } = await readBeginning(work, work.signal);
  const [head = ''] = text.split(/"(?:messages|history)"\s*:\s*\[/, 1);
  const written = /"title"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(head)?.[1];
  const title = written === undefined ? '' : asText(parseJson(written)).trim().slice(0, LONGEST_TITLE).toWellFormed();
  return NO_TITLE.test(title) ? '' : title;
}

/** Messages of chat completions, one a line, as a session of their own. Returns its id. */
export async function importChat(chat: {
  readonly store: SessionStore;
  readonly name: string;
  readonly title: string;
  readonly lines: readonly string[];
  readonly report: ImportReport;
}): Promise<string> {
  const { store, name, title, lines, report } = chat;
  const session = await store.create({ importedFrom: { format: 'chat-completions', name } });
  try {
    await importRecorded('normal', Readable.from(lines), report, async () => session.journal);
    await session.journal.append({ type: 'title', title });
    await markImported(session.journal);
    return session.id;
  } catch (thrown) {
    await discard(session.journal, session.folder);
    throw thrown;
  }
}

/** One of the product's own journals is copied whole, with its branches and its id. Its blobs are not copied. */
async function adoptJournal(work: Import, id: string): Promise<string> {
  const { store, signal, limits = LIMITS } = work;
  const folder = store.folderOf(id);
  try {
    await mkdir(dirname(folder), { recursive: true });
    await mkdir(folder);
  } catch (thrown) {
    if (codeOf(thrown) !== 'EEXIST') throw thrown;
    throw new UserFacingError(words('this session is already here. Move the one that is here to the trash first.'));
  }
  let journal: Journal | null = null;
  try {
    const target = createWriteStream(join(folder, JOURNAL), { flags: 'wx' });
    const { text, isWhole } = await openText(work, limits.streamed, signal);
    await pipeline(text, target, { signal });
    if (!isWhole()) throw new UserFacingError(words('the archive is cut off.'));
    journal = (await store.open(id, { signal })).journal;
    const { readOnly } = journal;
    if (readOnly?.kind === 'newer')
      throw new UserFacingError(
        words('it was written by a newer Palimpsest. Update the extension, then import it again.'),
      );
    signal.throwIfAborted();
    await markImported(journal);
  } catch (thrown) {
    await discard(journal, folder);
    throw thrown;
  }
  return id;
}

async function markImported(journal: Journal): Promise<void> {
  await journal.append({ type: 'opened', writer: 'import', imported: true });
  await journal.close();
}

async function discard(journal: Journal | null, folder: string): Promise<void> {
  await journal?.close().catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
}

async function recogniseFile({ signal, limits = LIMITS, ...place }: Import): Promise<Recognised | null> {
  const recogniser = new Recogniser();
  let isEmpty = true;
  try {
    const { text } = await openText(place, limits.streamed, signal);
    for await (const piece of text.setEncoding('utf8')) {
      isEmpty = false;
      if (recogniser.push(piece as string)) break;
    }
  } catch (thrown) {
    // The readable part of a truncated file may be enough.
    if (isEmpty || isRefusal(thrown)) throw thrown;
  }
  return recogniser.end();
}

/** A truncated file yields the lines before its end, and the person is told where it ends. */
async function* readLines({ signal, report, ...place }: Import, most: number, longest: number): AsyncGenerator<string> {
  let line = 0;
  const splitter = new LineSplitter(longest);
  const take = ({ text, length }: SplitLine): string => {
    line++;
    if (length > longest) report.badLines.push({ line, reason: `longer than ${longest} characters` });
    return length > longest ? '' : text.endsWith('\r') ? text.slice(0, -1) : text;
  };
  const decoder = new StringDecoder('utf8');
  const { text, isWhole } = await openText(place, most, signal);
  try {
    for await (const bytes of text) for (const each of splitter.push(decoder.write(bytes))) yield take(each);
  } catch (thrown) {
    if (isRefusal(thrown) || line === 0) throw thrown;
    report.badLines.push({ line: line + 1, reason: messageOf(thrown) });
    return;
  }
  for (const each of splitter.push(decoder.end())) yield take(each);
  const last = splitter.end();
  if (last) yield take(last);
  if (!isWhole()) report.badLines.push({ line: line + 1, reason: 'unexpected end of file' });
}

/** Cancelled, or over a limit: nothing of the file is used. */
function isRefusal(thrown: unknown): boolean {
  return isAbort(thrown) || thrown instanceof UserFacingError;
}

function nameOf(path: string): string {
  return basename(path).replace(/\.jsonl?(\.gz)?$/, '');
}
