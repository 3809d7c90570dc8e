/**
 * The lines of a ledger: their kinds, their labels for a person, and how a ledger is recognised. `SessionFacts` finds
 * their content.
 */

import { verbatim, type Words, words } from '../../words.ts';

export interface Fact {
  readonly line: string;
  /** The fact has survived if these words occur in a kept message. Null where only the line itself can express it. */
  readonly needle: string | null;
}

/** The kinds of facts, most important first, with the opening of their lines in the ledger. */
export const KINDS = [
  'asked',
  'declined',
  'file changed',
  'error',
  'command',
  'todo list',
  'can be recalled',
  'file read',
  'noted',
] as const;

export type FactKind = (typeof KINDS)[number];

/** Translatable labels for a person; the model reads the English. */
const LABELS: readonly (readonly [start: string, label: Words])[] = [
  ['asked: ', words('asked')],
  ['file changed: ', words('file changed')],
  ['declined by the person: ', words('declined by you')],
  ['file deleted: ', words('file deleted')],
  ['file moved: ', words('file moved')],
  ['file restored: ', words('file restored')],
  ['command passed: ', words('command passed')],
  ['command failed: ', words('command failed')],
  ['command run: ', words('command run')],
  ['command stopped before its end: ', words('command stopped before its end')],
  ['file read: ', words('file read')],
  ['todo list: ', words('todo list')],
  ['can be recalled: ', words('can be looked up')],
  ['noted: ', words('noted')],
];

export function factWords(line: string): Words {
  const [, tool, solving, passed, files, message = ''] = ERROR.exec(line) ?? [];
  if (tool !== undefined) {
    if (solving !== undefined)
      return words('{0}: {1}', words('error of {0}, solved by changing {1}', tool, solving), message);
    if (files !== undefined)
      return words('{0}: {1}', words('error of {0}, which later passed, after changes to {1}', tool, files), message);
    const label = passed === undefined ? words('error of {0}', tool) : words('error of {0}, which later passed', tool);
    return words('{0}: {1}', label, message);
  }
  const [, code, failed = ''] = FAILED.exec(line) ?? [];
  if (code !== undefined) return words('{0}: {1}', words('command failed with exit code {0}', code), failed);
  const [, id, running] = RUNNING.exec(line) ?? [];
  if (running !== undefined) {
    const label = words('command running when last seen');
    return words('{0}: {1}', id === undefined ? label : words('{0} ({1})', label, id), running);
  }
  const [start, label] = LABELS.find(([each]) => line.startsWith(each)) ?? [];
  return start && label ? words('{0}: {1}', label, line.slice(start.length)) : verbatim(line);
}

export const LEDGER_HEADING = 'Ledger (facts of what was compacted, collected by program):';

/** Earlier versions named the changed files as the solution. */
const ERROR =
  /^error of (\S+?)(?:, solved by changing ([^:]{1,900})|(, which later passed)(?:, after changes to ([^:]{1,900}))?)?: (.*)$/s;

const FAILED = /^command failed with exit code (-?\d{1,5}): (.*)$/s;

const RUNNING = /^command running when last seen(?:, as ([\w-]{1,40}))?: (.*)$/s;

export function isLedger(text: string): boolean {
  return text.startsWith(LEDGER_HEADING);
}

/** The text of a note without its ledger: earlier versions put that after the summary. */
export function withoutLedger(text: string): string {
  const start = text.lastIndexOf(LEDGER_HEADING);
  return start < 0 ? text : text.slice(0, start).trimEnd();
}
