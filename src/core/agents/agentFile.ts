/**
 * An agent in a Markdown file: its name, what it is for, its tools, model and strategy in front, its system prompt below.
 * Files written for other programs are read too; their names of tools are put into ours.
 */

import { readFrontMatter, splitList } from '../frontMatter.ts';
import { neutralise } from '../tools/text/neutralise.ts';
import { showHidden } from '../tools/text/showHidden.ts';

export interface AgentFile {
  /** Where it lies: a path in the workspace, or one that begins with `~`. */
  readonly id: string;
  readonly name: string;
  /** For the person who chooses, and for the model that gives it a task. */
  readonly description: string;
  readonly prompt: string;
  /** Names of ours; null for all tools. */
  readonly tools: readonly string[] | null;
  /** Empty for the session's own. */
  readonly model: string;
  /** Id of a compaction strategy; empty for the one that is set. */
  readonly strategy: string;
}

/** The agents that are there now, by name; of several with one name, the first counts. */
export interface AgentFiles {
  list(): Promise<readonly AgentFile[]>;
}

/** Characters. */
export const LONGEST_AGENT_FILE = 100_000;
const LONGEST_NAME = 64;
const LONGEST_DESCRIPTION = 1_000;
const MOST_TOOLS = 200;

/** Null for what is no agent: a file without front matter, without a name, or without a prompt. */
export function readAgentFile(text: string, id: string): AgentFile | null {
  if (text.length > LONGEST_AGENT_FILE) return null;
  const read = readFrontMatter(text);
  if (!read) return null;
  const line = (name: string, most: number) => {
    const value = read.fields.get(name);
    return typeof value === 'string' ? clean(value).replace(/\s+/g, ' ').slice(0, most).trim() : '';
  };
  const named = /([^/\\]+?)(?:\.agent)?\.md$/i.exec(id)?.[1] ?? '';
  const name = line('name', LONGEST_NAME) || clean(named).slice(0, LONGEST_NAME);
  const prompt = clean(read.body);
  if (name === '' || prompt === '') return null;
  return {
    ...{ id, name, prompt },
    description: line('description', LONGEST_DESCRIPTION),
    tools: readTools(read.fields.get('tools')),
    model: OTHERS_MODELS.has(line('model', 200).toLowerCase()) ? '' : line('model', 200),
    strategy: line('strategy', 200),
  };
}

/** True for what the agent may use; what keeps its context readable is always there. */
export function mayUse({ tools }: Pick<AgentFile, 'tools'>, name: string): boolean {
  if (tools === null || name === 'recall') return true;
  return tools.some((each) => each === name || (each.startsWith('mcp__') && name.startsWith(`${each}__`)));
}

/** Short for a model of another program. */
const OTHERS_MODELS: ReadonlySet<string> = new Set(['inherit', 'sonnet', 'opus', 'haiku', 'default']);

const OTHERS_TOOLS: Readonly<Record<string, readonly string[]>> = {
  read: ['read_file'],
  notebookread: ['read_file'],
  ls: ['list_files'],
  glob: ['find_files', 'list_files'],
  grep: ['search_text'],
  search: ['search_text', 'find_files'],
  edit: ['edit_file'],
  multiedit: ['edit_file'],
  write: ['write_file'],
  bash: ['run_command'],
  shell: ['run_command'],
  webfetch: ['fetch_url'],
  fetch: ['fetch_url'],
  todowrite: ['write_todos'],
};

function readTools(value: string | readonly string[] | undefined): readonly string[] | null {
  if (value === undefined) return null;
  const names = (typeof value === 'string' ? splitList(value) : value).slice(0, MOST_TOOLS);
  if (names.length === 0 || names.includes('*')) return null;
  return [...new Set(names.flatMap((name) => OTHERS_TOOLS[name.toLowerCase()] ?? [name.replace(/__\*$/, '')]))];
}

const clean = (text: string) => neutralise(showHidden(text)).toWellFormed();
