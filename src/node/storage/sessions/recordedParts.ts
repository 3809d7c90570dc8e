/** The sessions in a file that holds several: a database of OpenCode, and the outputs of an evaluation of OpenHands. */

import { open } from 'node:fs/promises';
import { recognise } from '../../../core/sessions/recognise.ts';
import { LineSplitter } from '../../../core/tools/text/lineSplitter.ts';
import { listOpenCodeSessions } from './openCodeDatabase.ts';
import { openText, type RecordedPlace } from './recordedText.ts';

export interface RecordedPart {
  readonly part: string;
  readonly title: string;
  /** Milliseconds since the epoch of its last change; omitted where the file does not say. */
  readonly time?: number;
  /** The folder that it worked in, where the file says. */
  readonly folder?: string;
}

/** Characters of the beginning of a text that are looked at. */
const MOST_READ = 128 * 1024;
const MOST_PARTS = 10_000;
const MOST_TEXT = 4_000_000_000;
/** Characters of a line in which its instance is named. */
const NAMED_IN = 4_000;

const DATABASE = 'SQLite format 3\0';

/** Empty for a file with one session, or with none. Throws a `UserFacingError` where the file cannot be read here. */
export async function listParts(path: string, signal: AbortSignal): Promise<readonly RecordedPart[]> {
  if (await isDatabase(path))
    return (await listOpenCodeSessions(path)).map(({ id, title, folder, time }) => ({ part: id, title, folder, time }));
  const { text } = await readBeginning({ path }, signal);
  return recognise(text)?.format === 'openHandsOutput' ? listInstances(path, signal) : [];
}

export async function isDatabase(path: string): Promise<boolean> {
  const file = await open(path).catch(() => null);
  try {
    const read = await file?.read(Buffer.alloc(DATABASE.length), 0, DATABASE.length, 0).catch(() => null);
    return read?.buffer.toString('latin1') === DATABASE;
  } finally {
    await file?.close();
  }
}

async function listInstances(path: string, signal: AbortSignal): Promise<RecordedPart[]> {
  const splitter = new LineSplitter(NAMED_IN);
  const parts: RecordedPart[] = [];
  let line = 0;
  const take = (beginning: string) => {
    line++;
    const name = /"instance_id"\s*:\s*"([^"\\]{1,200})"/.exec(beginning)?.[1];
    if (name !== undefined && parts.length < MOST_PARTS) parts.push({ part: String(line), title: name });
  };
  const { text } = await openText({ path }, MOST_TEXT, signal);
  for await (const piece of text.setEncoding('utf8'))
    for (const each of splitter.push(piece as string)) take(each.text);
  const last = splitter.end();
  if (last) take(last.text);
  return parts;
}

/** The first characters of a text, at least `most` of them, and whether they are all of it. */
export async function readBeginning(
  place: RecordedPlace,
  signal: AbortSignal,
  most = MOST_READ,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const { text } = await openText(place, MOST_TEXT, signal);
  let beginning = '';
  try {
    for await (const piece of text.setEncoding('utf8')) {
      beginning += piece;
      if (beginning.length >= most) return { text: beginning, isWhole: false };
    }
  } catch (thrown) {
    // The readable part of an archive that is cut off tells enough.
    if (beginning === '') throw thrown;
  }
  return { text: beginning, isWhole: true };
}
