/** The verb that a tool call's line begins with: "Ran", "Editing", "Read". */

import { type Words, words } from '../../../src/core/words.ts';
import type { RowOf } from '../../../src/protocol/rows.ts';
import { inPanelLanguage } from '../../page/format.ts';

type ToolRow = RowOf<'tool'>;

/** To be done, being done, done. */
type Verb = readonly [todo: Words, doing: Words, done: Words];

const RUN: Verb = [words('Run'), words('Running'), words('Ran')];

const EDIT: Verb = [words('Edit'), words('Editing'), words('Edited')];

const WRITE: Verb = [words('Write'), words('Writing'), words('Wrote')];

const READ: Verb = [words('Read'), words('Reading'), words('Read')];

const VERBS: ReadonlyMap<string, Verb> = new Map([
  ['fetch_url', READ],
  ['delete_file', [words('Delete'), words('Deleting'), words('Deleted')]],
  ['move_file', [words('Move'), words('Moving'), words('Moved')]],
  ['search_text', [words('Search for'), words('Searching for'), words('Searched for')]],
  ['list_files', [words('List'), words('Listing'), words('Listed')]],
  ['find_files', [words('Look for'), words('Looking for'), words('Looked for')]],
  ['recall', [words('Recall'), words('Recalling'), words('Recalled')]],
  ['present_plan', [words('Plan'), words('Planning'), words('Planned')]],
  ['ask_user', [words('Ask'), words('Asking'), words('Asked')]],
]);

/**
 * The beginning of a row's sentence: "Ran", "Editing", "Read". The call's own title follows it. Empty for a tool whose name
 * says it best.
 */
export function describeCall(row: ToolRow): string {
  const verb = verbOf(row);
  return verb ? inPanelLanguage(verb[tenseOf(row)]) : '';
}

/** Tools of imported sessions have other names. */
function verbOf({ detail, opens, title, toolName }: ToolRow): Verb | undefined {
  if (title === '') return undefined;
  if (detail.kind === 'command') return RUN;
  if (detail.kind === 'edit') return isWhole(detail.effect) || toolName === 'write_file' ? WRITE : EDIT;
  return opens === 'file' ? READ : VERBS.get(toolName);
}

const isWhole = (effect: string) => effect === 'created' || effect === 'overwritten';

/** A command that failed has run; another call that failed has done nothing. */
function tenseOf({ status, detail }: ToolRow): 0 | 1 | 2 {
  if (status === 'running') return 1;
  const hasRun = detail.kind === 'command' && detail.exitCode !== null;
  return status === 'done' || (status === 'failed' && hasRun) ? 2 : 0;
}
