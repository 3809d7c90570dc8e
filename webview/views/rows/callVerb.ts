/** The verb that a tool call's line begins with: "Ran", "Editing", "Read". */

import { type Words, words } from '../../../src/core/words.ts';
import type { RowOf } from '../../../src/protocol/rows.ts';
import { inPanelLanguage } from '../../page/format.ts';

type ToolRow = RowOf<'tool'>;

/** To be done, being done, done. */
type Verb = readonly [todo: Words, doing: Words, done: Words];

const RUN: Verb = [words('Run'), words('Running'), words('Ran')];

const EDIT: Verb = [words('Edit'), words('Editing'), words('Edited')];

const DELETE: Verb = [words('Delete'), words('Deleting'), words('Deleted')];

const WRITE: Verb = [words('Write'), words('Writing'), words('Wrote')];

const READ: Verb = [words('Read'), words('Reading'), words('Read')];

/** By the name of the product's own tools, each of which has one: a raw name is shown of foreign tools only. */
export const VERBS: ReadonlyMap<string, Verb> = new Map([
  ['read_file', READ],
  ['edit_file', EDIT],
  ['write_file', WRITE],
  ['run_command', RUN],
  ['fetch_url', READ],
  ['delete_file', DELETE],
  ['move_file', [words('Move'), words('Moving'), words('Moved')]],
  ['search_text', [words('Search for'), words('Searching for'), words('Searched for')]],
  ['list_files', [words('List'), words('Listing'), words('Listed')]],
  ['find_files', [words('Look for'), words('Looking for'), words('Looked for')]],
  ['find_symbols', [words('Look for symbols:'), words('Looking for symbols:'), words('Looked for symbols:')]],
  ['find_references', [words('Look for uses of'), words('Looking for uses of'), words('Looked for uses of')]],
  ['read_problems', [words('Read the problems of'), words('Reading the problems of'), words('Read the problems of')]],
  ['git_changes', [words('Look for changes in'), words('Looking for changes in'), words('Looked for changes in')]],
  ['read_output', [words('Read the output of'), words('Reading the output of'), words('Read the output of')]],
  ['stop_command', [words('Stop'), words('Stopping'), words('Stopped')]],
  ['recall', [words('Recall'), words('Recalling'), words('Recalled')]],
  ['present_plan', [words('Plan'), words('Planning'), words('Planned')]],
  ['ask_user', [words('Ask'), words('Asking'), words('Asked')]],
  ['use_skill', [words('Use skill'), words('Using skill'), words('Used skill')]],
  ['task', [words('Give to a subagent:'), words('A subagent works on:'), words('A subagent worked on:')]],
  ['write_todos', [words('Update the todo list'), words('Updating the todo list'), words('Updated the todo list')]],
  ['compact_context', [words('Ask for compaction'), words('Asking for compaction'), words('Asked for compaction')]],
  [
    'send_message_to_past',
    [
      words('Send a message to checkpoint'),
      words('Sending a message to checkpoint'),
      words('Sent a message to checkpoint'),
    ],
  ],
  [
    'report_to_past',
    [words('Report to checkpoint'), words('Reporting to checkpoint'), words('Reported to checkpoint')],
  ],
]);

/** Of a call that names nothing, which is then about all there is. */
const ALONE: ReadonlyMap<string, Verb> = new Map([
  ['list_files', [words('List the workspace'), words('Listing the workspace'), words('Listed the workspace')]],
  ['git_changes', [words('Look for changes'), words('Looking for changes'), words('Looked for changes')]],
  ['read_problems', [words('Read the problems'), words('Reading the problems'), words('Read the problems')]],
  ['use_skill', [words('Look at the skills'), words('Looking at the skills'), words('Looked at the skills')]],
  [
    'report_to_past',
    [
      words('Report to the agent that gave the task'),
      words('Reporting to the agent that gave the task'),
      words('Reported to the agent that gave the task'),
    ],
  ],
]);

/**
 * The beginning of a row's sentence: "Ran", "Editing", "Read". The call's own title follows it. Empty for a tool of an MCP
 * server, an extension or another program, whose name says it best. `running`: its command goes on in the background.
 */
export function describeCall(row: ToolRow, running = false): string {
  const verb = verbOf(row);
  return verb ? inPanelLanguage(verb[running ? 1 : tenseOf(row)]) : '';
}

/** Tools of imported sessions have other names. */
function verbOf({ detail, opens, title, toolName }: ToolRow): Verb | undefined {
  if (title === '') return ALONE.get(toolName) ?? VERBS.get(toolName);
  if (detail.kind === 'command') return RUN;
  if (detail.kind === 'edit')
    return toolName === 'delete_file' ? DELETE : wroteWhole(detail.effect, toolName) ? WRITE : EDIT;
  return opens === 'file' ? READ : VERBS.get(toolName);
}

const wroteWhole = (effect: string, toolName: string) =>
  effect === 'created' || effect === 'overwritten' || toolName === 'write_file';

/** A command that failed has run; another call that failed has done nothing. */
function tenseOf({ status, detail }: ToolRow): 0 | 1 | 2 {
  if (status === 'running') return 1;
  const hasRun = detail.kind === 'command' && detail.exitCode !== null;
  return status === 'done' || (status === 'failed' && hasRun) ? 2 : 0;
}
