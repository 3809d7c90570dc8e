/** Reads from the beginning of a recorded session the person's first question, and the folder that it worked in. */

import { injectedKind } from '../../../core/context/attribute.ts';
import { readForeign } from '../../../core/sessions/importRecorded.ts';
import { recognise } from '../../../core/sessions/recognise.ts';
import { newImportReport } from '../../../core/sessions/recorded.ts';

export const LONGEST_TITLE = 100;

interface WorkedIn {
  /** A path or an address. */
  readonly folder?: string;
  /** The SHA-256 of its path, in hexadecimal digits. */
  readonly hash?: string;
}

/** Whatever was said is in strings, where a quote is escaped: it cannot pass for one of these fields. */
const FOLDER = /"(?:cwd|workspace|workspaceDirectory)"\s*:\s*("(?:[^"\\]|\\.)*")/;
const HASH = /"projectHash"\s*:\s*"([0-9a-f]{64})"/i;
/** Cline and Roo Code tell it to the model with the first message. */
const TOLD = /# Current Work(?:ing|space) Directory \(((?:[^"\\\n]|\\.){1,4000}?)\) Files/;

/** Empty where the beginning does not say it. */
export function workedIn(text: string): WorkedIn {
  const folder = FOLDER.exec(text)?.[1] ?? quoted(TOLD.exec(text)?.[1]);
  const path = folder === undefined ? '' : readText(folder);
  if (path !== '') return { folder: path };
  const hash = HASH.exec(text)?.[1];
  return hash === undefined ? {} : { hash };
}

const quoted = (raw: string | undefined) => raw && `"${raw}"`;

function readText(json: string): string {
  try {
    return String(JSON.parse(json));
  } catch {
    return '';
  }
}

/** The first line of what the person wrote first; empty where nothing is found. */
export function titleOf(text: string): string {
  const format = recognise(text)?.format;
  if (!format || format === 'palimpsest' || format === 'normal' || format === 'normalList') return '';
  const messages = readForeign(format, text.split('\n'), newImportReport());
  for (const message of messages) {
    if (message.role !== 'user' || (message.kind ?? injectedKind(message.text)) !== 'user') continue;
    const line =
      message.text
        .replace(/<\/?(?:task|feedback|user_message)>/g, '')
        .trim()
        .split('\n')[0] ?? '';
    if (line !== '') return line.slice(0, LONGEST_TITLE).toWellFormed();
  }
  return '';
}
