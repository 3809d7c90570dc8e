/** Reads a session of a known format into entries. Invalid lines are reported by their number. */

import type { Journal } from '../journal/journal.ts';
import { type Json, parseObject } from '../json.ts';
import { readAider } from './formats/aider.ts';
import { readClaudeCode } from './formats/claudeCode.ts';
import { readCline } from './formats/cline.ts';
import { readCodex } from './formats/codex.ts';
import { readContinue } from './formats/continueDev.ts';
import { readCopilotChat, readCopilotCli } from './formats/copilot.ts';
import { readGeminiCli } from './formats/geminiCli.ts';
import { readList } from './formats/json.ts';
import { readKimi, readKimiWire } from './formats/kimi.ts';
import { readMessagesApi } from './formats/messagesApi.ts';
import { readNormalForm, readNormalList } from './formats/normalForm.ts';
import { readOpenCode } from './formats/openCode.ts';
import { readOpenHands } from './formats/openHands.ts';
import { readPi } from './formats/pi.ts';
import { listFieldOf, type RecordedFormat } from './recognise.ts';
import { recordEntries } from './recordEntries.ts';
import type { ImportReport, Recorded } from './recorded.ts';

type Foreign = Exclude<RecordedFormat, 'normal' | 'normalList'>;

const READERS: Readonly<Record<Exclude<Foreign, 'aider'>, (values: readonly Json[]) => Recorded[]>> = {
  claudeCode: readClaudeCode,
  codex: readCodex,
  pi: readPi,
  kimi: readKimi,
  kimiWire: readKimiWire,
  cline: readCline,
  geminiCli: readGeminiCli,
  geminiCliList: readGeminiCli,
  openCode: readOpenCode,
  copilotCli: readCopilotCli,
  copilotChat: readCopilotChat,
  continue: readContinue,
  messagesApi: readMessagesApi,
  messagesApiList: readMessagesApi,
  responsesList: readCodex,
  openHands: readOpenHands,
  openHandsList: readOpenHands,
};

/**
 * `lines` are the file's lines without their line breaks. The normal form is read as a stream, the others whole. `open`
 * returns the journal to append to, and is called before each entry.
 */
export function importRecorded(
  format: RecordedFormat,
  lines: AsyncIterable<string>,
  report: ImportReport,
  open: () => Promise<Journal>,
): Promise<void> {
  const messages = format === 'normal' ? readNormalForm(lines, report) : readWhole(format, lines, report);
  return recordEntries(messages, report, open);
}

/** True when the format stores the whole session as one list, which may be one line. */
export function isList(format: RecordedFormat): boolean {
  return listFieldOf(format) !== null;
}

async function* readWhole(
  format: Exclude<RecordedFormat, 'normal'>,
  lines: AsyncIterable<string>,
  report: ImportReport,
): AsyncGenerator<Recorded> {
  const held: string[] = [];
  for await (const line of lines) held.push(line);
  yield* format === 'normalList'
    ? readNormalList(readArray(format, held, report), report)
    : readForeign(format, held, report);
}

export function readForeign(format: Foreign, lines: readonly string[], report: ImportReport): Recorded[] {
  if (format === 'aider') return readAider(lines);
  return READERS[format](isList(format) ? readArray(format, lines, report) : readObjects(lines, report));
}

function readObjects(lines: readonly string[], report: ImportReport): Json[] {
  return lines.flatMap((line, i) => {
    if (line.trim() === '') return [];
    const value = parseObject(line);
    if (value) return [value];
    report.badLines.push({ line: i + 1, reason: 'not JSON' });
    return [];
  });
}

function readArray(format: RecordedFormat, lines: readonly string[], report: ImportReport): Json[] {
  const { items, whole } = readList(lines.join('\n'), listFieldOf(format) ?? '');
  if (!whole)
    report.badLines.push({ line: lines.length, reason: 'the list of messages does not end: the file is cut off' });
  return items;
}
