/**
 * Tells which program recorded a session and reads it into entries. The formats are those the programs' files have; a
 * line that does not fit is reported by its number, and a file of no known format says so.
 */

import type { Journal } from '../journal/journal.ts';
import { isObject, type Json, parseObject } from '../json.ts';
import { readClaudeCode } from './formats/claudeCode.ts';
import { readCline } from './formats/cline.ts';
import { readCodex } from './formats/codex.ts';
import { readKimi } from './formats/kimi.ts';
import { readKimiWire } from './formats/kimiWire.ts';
import { readNormalForm } from './formats/normalForm.ts';
import { readPi } from './formats/pi.ts';
import { readList } from './formats/readList.ts';
import { recordEntries } from './recordEntries.ts';
import type { ImportReport, Recorded } from './recorded.ts';

export type RecordedFormat = 'normal' | 'claudeCode' | 'codex' | 'pi' | 'kimi' | 'kimiWire' | 'cline';

export const FORMAT_LABELS: Readonly<Record<RecordedFormat, string>> = {
  normal: 'chat completions, one message a line',
  claudeCode: 'Claude Code',
  codex: 'Codex',
  pi: 'pi',
  kimi: 'Kimi CLI',
  kimiWire: 'Kimi CLI (wire.jsonl)',
  cline: 'Cline or Roo Code',
};

const READERS: Readonly<Record<Exclude<RecordedFormat, 'normal'>, (lines: readonly Json[]) => Recorded[]>> = {
  claudeCode: readClaudeCode,
  codex: readCodex,
  pi: readPi,
  kimi: readKimi,
  kimiWire: readKimiWire,
  cline: readCline,
};

/** The id of the session when the file is one of our journals, as *Export Session* writes it; otherwise null. */
export function journalId(start: string): string | null {
  const { type, format, id, crc } = parseObject(start.split('\n', 1)[0] ?? '') ?? {};
  return type === 'session' && typeof format === 'number' && typeof crc === 'string' && typeof id === 'string'
    ? id
    : null;
}

/** Looks at the start of a file (64 KB are plenty); null when it is of no known format. */
export function detectFormat(start: string): RecordedFormat | null {
  if (/^\s*(?:\[|\{\s*"version"\s*:\s*2\s*,\s*"messages"\s*:)/.test(start))
    return /"role"\s*:\s*"(?:user|assistant)"/.test(start) ? 'cline' : null;
  let normal = false;
  for (const line of start.split('\n').slice(0, 200)) {
    const value = parseObject(line);
    if (!value) continue;
    const { type, role } = value;
    if (type === 'metadata' && typeof value.protocol_version === 'string') return 'kimiWire';
    if (isObject(value.message) && typeof value.message.type === 'string' && isObject(value.message.payload))
      return 'kimiWire';
    if (type === 'session_meta' || type === 'response_item' || type === 'turn_context') return 'codex';
    if ((type === 'message' || type === 'function_call') && ('content' in value || 'call_id' in value)) return 'codex';
    if (type === 'session' || (type === 'message' && isObject(value.message))) return 'pi';
    if ((type === 'user' || type === 'assistant') && isObject(value.message)) return 'claudeCode';
    if (typeof role === 'string' && role.startsWith('_')) return 'kimi';
    if (Array.isArray(value.content) && value.content.some((part) => isObject(part) && part.type === 'think'))
      return 'kimi';
    normal ||= role === 'system' || role === 'user' || role === 'assistant' || role === 'developer';
  }
  return normal ? 'normal' : null;
}

/**
 * `lines` are the file's lines without their breaks. The normal form is read as a stream, the others whole. `open` gives
 * the journal to append to, and is asked before each entry.
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

async function* readWhole(
  format: Exclude<RecordedFormat, 'normal'>,
  lines: AsyncIterable<string>,
  report: ImportReport,
): AsyncGenerator<Recorded> {
  const values = format === 'cline' ? await readArray(lines, report) : await readObjects(lines, report);
  yield* READERS[format](values);
}

async function readObjects(lines: AsyncIterable<string>, report: ImportReport): Promise<Json[]> {
  const values: Json[] = [];
  let number = 0;
  for await (const line of lines) {
    number++;
    if (line.trim() === '') continue;
    const value = parseObject(line);
    if (value) values.push(value);
    else report.badLines.push({ line: number, reason: 'not JSON' });
  }
  return values;
}

async function readArray(lines: AsyncIterable<string>, report: ImportReport): Promise<Json[]> {
  const text: string[] = [];
  for await (const line of lines) text.push(line);
  const { items, whole } = readList(text.join('\n'));
  if (!whole)
    report.badLines.push({ line: text.length, reason: 'the list of messages does not end: the file is cut off' });
  return items;
}
