/**
 * The lines of a ledger: their kinds, how they are told to a person, and how a ledger is known again. What they are made
 * from is found by `extractFacts`.
 */

import type { ToolCall } from '../../context/message.ts';
import { parseObject } from '../../json.ts';
import { verbatim, type Words, words } from '../../words.ts';

export interface Fact {
  readonly line: string;
  /** The fact survived when these words are found in what stays. Null where only the line itself says it. */
  readonly needle: string | null;
}

/** The kinds of facts, most important first: how the lines of each begin in the ledger. */
export const KINDS = [
  'asked',
  'file changed',
  'error',
  'command',
  'todo list',
  'can be recalled',
  'file read',
  'noted',
] as const;

export type FactKind = (typeof KINDS)[number];

/** How a person is told the label of a line; the model reads the English. */
const LABELS: readonly (readonly [start: string, label: Words])[] = [
  ['asked: ', words('asked')],
  ['file changed: ', words('file changed')],
  ['file deleted: ', words('file deleted')],
  ['command passed: ', words('command passed')],
  ['command failed: ', words('command failed')],
  ['command run: ', words('command run')],
  ['file read: ', words('file read')],
  ['todo list: ', words('todo list')],
  ['can be recalled: ', words('can be looked up')],
  ['noted: ', words('noted')],
];

/** A line of the ledger for a person. */
export function factWords(line: string): Words {
  const [, tool, files, passed, message = ''] = ERROR.exec(line) ?? [];
  if (tool !== undefined) {
    if (files !== undefined)
      return words('{0}: {1}', words('error of {0}, solved by changing {1}', tool, files), message);
    const label = passed === undefined ? words('error of {0}', tool) : words('error of {0}, which later passed', tool);
    return words('{0}: {1}', label, message);
  }
  const [, code, failed = ''] = FAILED.exec(line) ?? [];
  if (code !== undefined) return words('{0}: {1}', words('command failed with exit code {0}', code), failed);
  const [start, label] = LABELS.find(([each]) => line.startsWith(each)) ?? [];
  return start && label ? words('{0}: {1}', label, line.slice(start.length)) : verbatim(line);
}

export const LEDGER_HEADING = 'Ledger (facts of what was compacted, collected by program):';

const ERROR = /^error of (\S+?)(?:, solved by changing ([^:]{1,900})|(, which later passed))?: (.*)$/s;
const FAILED = /^command failed with exit code (-?\d{1,5}): (.*)$/s;
/** Tools that read a file, in recordings of other programs too. */
export const READS = /^read_?file$|^read$/i;
/** Names of tools that change files, and of those that take them away. */
export const WRITES = /write|edit|patch|create|delete|rename|move|replace|insert|update/i;
export const DELETES = /delete|remove_file/i;
const PATH_KEYS: ReadonlySet<string> = new Set(['path', 'file_path', 'filePath', 'file', 'filename', 'target_file']);

/** Whether a note is a ledger and nothing else. */
export function isLedger(text: string): boolean {
  return text.startsWith(LEDGER_HEADING);
}

/** What a note says beside its ledger: earlier versions put that after the summary. */
export function withoutLedger(text: string): string {
  const start = text.lastIndexOf(LEDGER_HEADING);
  return start < 0 ? text : text.slice(0, start).trimEnd();
}

/** Values of the keys that name files, in JSON that may be malformed. */
export function pathsIn(json: string): string[] {
  return Object.entries(parseObject(json) ?? {}).flatMap(([key, path]) =>
    PATH_KEYS.has(key) && typeof path === 'string' && path.length > 0 && path.length < 300 ? [path.toWellFormed()] : [],
  );
}

/** By call, which never changes. */
const paths = new WeakMap<ToolCall, readonly string[]>();

/** The same of a call's arguments, read once however often they are asked for. */
export function pathsOf(call: ToolCall): readonly string[] {
  const known = paths.get(call) ?? pathsIn(call.arguments);
  paths.set(call, known);
  return known;
}

/** One spelling for a file, however a call named it. */
export const plainPath = (path: string): string => path.replaceAll('\\', '/').replace(/^(\.\/)+/, '');
