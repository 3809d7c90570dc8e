/**
 * The name of each built-in tool for a person. A raw name is for the model, and for settings and files that are written with it;
 * of tools of MCP servers, extensions and other programs it is the only name.
 */

import { inLanguage, type Translate, verbatim, type Words, words } from '../words.ts';

export const TOOL_NAMES: ReadonlyMap<string, Words> = new Map([
  ['read_file', words('Read file')],
  ['list_files', words('List files')],
  ['search_text', words('Search text')],
  ['edit_file', words('Edit file')],
  ['write_file', words('Write file')],
  ['run_command', words('Run command')],
  ['move_file', words('Move file')],
  ['delete_file', words('Delete file')],
  ['read_problems', words('Read problems')],
  ['find_symbols', words('Find symbols')],
  ['find_references', words('Find references')],
  ['git_changes', words('Git changes')],
  ['read_output', words('Read output of a command')],
  ['stop_command', words('Stop command')],
  ['write_todos', words('Todo list')],
  ['present_plan', words('Plan')],
  ['ask_user', words('Question')],
  ['find_files', words('Find files')],
  ['fetch_url', words('Read web page')],
  ['recall', words('Recall')],
  ['compact_context', words('Ask for compaction')],
  ['send_message_to_past', words('Message to the past')],
  ['task', words('Subagent')],
  ['use_skill', words('Skill')],
  ['report_to_past', words('Report to the past')],
]);

export function toolWords(name: string): Words {
  return TOOL_NAMES.get(name) ?? verbatim(name);
}

export function nameTool(name: string, t: Translate): string {
  return inLanguage(toolWords(name), t);
}
