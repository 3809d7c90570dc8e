/**
 * The text of a recorded session, wherever it is: a file in UTF-8 or UTF-16 (with a mark or without), packed with gzip or not, a line of a file that
 * holds several, a session of a database, or the files of a folder with one event each. Nothing is written, and no more is
 * read than is allowed.
 */

import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, constants as zlib } from 'node:zlib';
import { UserFacingError } from '../../../core/errors.ts';
import { LineSplitter } from '../../../core/tools/text/lineSplitter.ts';
import { words } from '../../../core/words.ts';
import { readOpenCodeSession } from './openCodeDatabase.ts';

/** Where a session is recorded. */
export interface RecordedPlace {
  /** Of a file, or of a folder of events. */
  readonly path: string;
  /** Of several sessions in the file, the one that is meant, by the id that `listParts` gives it. */
  readonly part?: string;
}

interface RecordedText {
  readonly text: Readable;
  /** Call at its end: false for an archive with less content than declared. */
  readonly isWhole: () => boolean;
}

const always = () => true;

/**
 * In UTF-8 without byte order mark, unpacked, at most `most` bytes. A pipe or a device is refused, because it may never end,
 * and an archive of several files, because none of them is meant.
 */
export async function openText(place: RecordedPlace, most: number, signal: AbortSignal): Promise<RecordedText> {
  const events = await eventFilesAt(place.path);
  if (events) return { text: Readable.from(readEvents(events, most, signal), { objectMode: false }), isWhole: always };
  const file = await open(place.path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const { facts, head } = await openFacts(file);
  if (head.equals(DATABASE)) {
    await file.close();
    const json = await readOpenCodeSession(place.path, place.part, most);
    return { text: Readable.from([json], { objectMode: false }), isWhole: always };
  }
  const whole = await unpack(file, facts, head, most, signal);
  if (place.part === undefined) return whole;
  const line = readLine(whole.text, Number(place.part), most);
  return { text: Readable.from(line, { objectMode: false }), isWhole: always };
}

const DATABASE = Buffer.from('SQLite format 3\0');
const GZIP = Buffer.from([0x1f, 0x8b]);

async function openFacts(file: FileHandle): Promise<{ readonly facts: Stats; readonly head: Buffer }> {
  const facts = await file.stat();
  if (!facts.isFile()) {
    await file.close();
    throw new UserFacingError(words('it is not a regular file.'));
  }
  const { buffer, bytesRead } = await file.read(Buffer.alloc(DATABASE.length), 0, DATABASE.length, 0);
  return { facts, head: buffer.subarray(0, bytesRead) };
}

async function unpack(
  file: FileHandle,
  facts: Stats,
  head: Buffer,
  most: number,
  signal: AbortSignal,
): Promise<RecordedText> {
  const zipped = head.subarray(0, GZIP.length).equals(GZIP);
  // The last four bytes of an archive are the length of its content.
  const lengthField = Buffer.alloc(4);
  if (zipped && facts.size > lengthField.length)
    await file.read(lengthField, 0, lengthField.length, facts.size - lengthField.length);
  const text = new Decode(most);
  const bytes = file.createReadStream({ start: 0 });
  // From a truncated archive, everything before the end is unpacked.
  const stages = zipped ? [bytes, createGunzip({ finishFlush: zlib.Z_SYNC_FLUSH }), text] : [bytes, text];
  // An error of any stage destroys the last one, and so reaches its reader.
  void pipeline(stages, { signal }).catch(() => undefined);
  return { text, isWhole: () => !zipped || text.length % 2 ** 32 === lengthField.readUInt32LE() };
}

/** Bytes at the beginning that tell what a file is: the name in an archive of tar is the farthest. */
const TELLING = 512;

/** Where an archive has which bytes. */
const ARCHIVES: readonly (readonly [name: string, at: number, sign: Buffer])[] = [
  ['zip', 0, Buffer.from('PK\u0003\u0004')],
  ['tar', 257, Buffer.from('ustar')],
  ['7z', 0, Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c])],
  ['rar', 0, Buffer.from('Rar!')],
  ['xz', 0, Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00])],
  ['bzip2', 0, Buffer.from('BZh')],
  ['zstd', 0, Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
];

const MARKS: readonly (readonly [mark: Buffer, encoding: 'utf-8' | 'utf-16le' | 'utf-16be'])[] = [
  [Buffer.from([0xef, 0xbb, 0xbf]), 'utf-8'],
  [Buffer.from([0xff, 0xfe]), 'utf-16le'],
  [Buffer.from([0xfe, 0xff]), 'utf-16be'],
];

/** All formats begin with two signs of ASCII: in UTF-16 one byte of each is 0. */
function unmarked([a, b, c, d]: Buffer): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (a && b === 0 && c && d === 0) return 'utf-16le';
  return a === 0 && b && c === 0 && d ? 'utf-16be' : 'utf-8';
}

const begins = (bytes: Buffer, sign: Buffer, at = 0) => bytes.subarray(at, at + sign.length).equals(sign);

class Decode extends Transform {
  /** In bytes, as they came. */
  length = 0;
  readonly #most: number;
  #head: Buffer | null = Buffer.alloc(0);
  #decoder: InstanceType<typeof TextDecoder> | null = null;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  override _transform(chunk: Buffer, _: string, done: (error?: Error | null) => void): void {
    this.length += chunk.length;
    if (this.length > this.#most) {
      done(
        new UserFacingError(words('unpacked it is larger than {0} bytes, which is the most that is read.', this.#most)),
      );
      return;
    }
    if (this.#head) this.#head = Buffer.concat([this.#head, chunk]);
    done(this.#head === null ? this.#decode(chunk) : this.#head.length < TELLING ? null : this.#begin());
  }

  override _flush(done: (error?: Error | null) => void): void {
    const problem = this.#head ? this.#begin() : null;
    const rest = this.#decoder?.decode();
    if (rest) this.push(rest);
    done(problem);
  }

  #begin(): Error | null {
    const head = this.#head ?? Buffer.alloc(0);
    this.#head = null;
    const [archive] = ARCHIVES.find(([, at, sign]) => begins(head, sign, at)) ?? [];
    if (archive)
      return new UserFacingError(words('it is an archive ({0}). Unpack it and choose a file in it.', archive));
    const [mark, encoding] = MARKS.find(([each]) => begins(head, each)) ?? [Buffer.alloc(0), unmarked(head)];
    if (encoding !== 'utf-8') this.#decoder = new TextDecoder(encoding);
    return this.#decode(encoding === 'utf-8' ? head.subarray(mark.length) : head);
  }

  #decode(chunk: Buffer): null {
    const piece = this.#decoder ? Buffer.from(this.#decoder.decode(chunk, { stream: true })) : chunk;
    if (piece.length > 0) this.push(piece);
    return null;
  }
}

async function* readLine(text: Readable, wanted: number, most: number): AsyncGenerator<string> {
  const splitter = new LineSplitter(most);
  let line = 0;
  for await (const piece of text.setEncoding('utf8'))
    for (const each of splitter.push(piece as string)) {
      if (++line < wanted) continue;
      yield `${each.text}\n`;
      return;
    }
  const last = splitter.end();
  if (last && line + 1 === wanted) yield `${last.text}\n`;
}

const EVENTS = 'events';
/** OpenHands' file for one event, in its first and its second version. */
const EVENT_FILE = /^(?:event-)?(\d+)(?:-[\w-]+)?\.json$/;

/** The files of the events, in order, of the folder or of the one that a file in it or beside it belongs to; else null. */
export async function eventFilesAt(path: string): Promise<readonly string[] | null> {
  const isFolder = (await stat(path).catch(() => null))?.isDirectory() === true;
  if (!isFolder && !isEventFile(path)) return null;
  const folder = isFolder ? path : dirname(path);
  for (const each of isFolder && basename(folder) !== EVENTS ? [join(folder, EVENTS)] : [folder]) {
    const numbered = (await readdir(each).catch(() => [])).flatMap((name) => {
      const number = EVENT_FILE.exec(name)?.[1];
      return number === undefined ? [] : [{ number: Number(number), path: join(each, name) }];
    });
    if (numbered.length > 0) return numbered.sort((a, b) => a.number - b.number).map((event) => event.path);
  }
  return null;
}

/** True for the file of one event of a session. */
export const isEventFile = (path: string): boolean =>
  basename(dirname(path)) === EVENTS && EVENT_FILE.test(basename(path));

/** Each event as a line; one that cannot be read is a line that is no JSON. */
async function* readEvents(paths: readonly string[], most: number, signal: AbortSignal): AsyncGenerator<string> {
  let length = 0;
  for (const path of paths) {
    signal.throwIfAborted();
    const facts = await stat(path).catch(() => null);
    length += facts?.size ?? 0;
    if (length > most)
      throw new UserFacingError(words('unpacked it is larger than {0} bytes, which is the most that is read.', most));
    const text = facts?.isFile() ? await readFile(path, 'utf8').catch(() => '') : '';
    // Outside of a string a line break means nothing, and within one it is written otherwise.
    yield `${
      text
        .replace(/^\uFEFF/, '')
        .replaceAll(/[\r\n]+/g, ' ')
        .trim() || '?'
    }\n`;
  }
}
