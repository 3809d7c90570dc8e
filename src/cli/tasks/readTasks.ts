/**
 * Tasks for an agent in folders: `prompt.md` for the agent, `task.json` with the command that checks its work, `files/` to
 * work in, and `check/`, files that the agent never sees and that are laid over its own before the check.
 */

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import * as z from 'zod';
import { messageOf } from '../../core/errors.ts';

export interface Task {
  /** Distinct in a run. */
  readonly name: string;
  readonly prompt: string;
  /** Command line; the task is solved when it exits with 0. */
  readonly check: string;
  /** How long the check may take. */
  readonly checkMs: number;
  /** Absolute folders; null where the task has none. */
  readonly files: string | null;
  readonly checkFiles: string | null;
  /** Changes with what the task is: its texts, the files of its check, the names and sizes of its other files. */
  readonly hash: string;
}

interface Tasks {
  readonly tasks: readonly Task[];
  /** Folders that are no task, each with the reason. */
  readonly leftOut: readonly string[];
}

const TASK = 'task.json';
const PROMPT = 'prompt.md';
const MOST_SECONDS = 86_400;
const MOST_NAMED = 10;

const schema = z.strictObject({
  check: z.string().trim().min(1, 'expected a command line'),
  checkSeconds: z.number().positive().max(MOST_SECONDS).default(300),
});

/** A folder that is itself a task, or all tasks directly in it, by name. Throws when there is no task. */
export function readTasks(folder: string): Tasks {
  const root = resolve(folder);
  const paths = existsSync(join(root, TASK)) ? [root] : listFolders(root);
  const tasks: Task[] = [];
  const leftOut: string[] = [];
  for (const path of paths) {
    try {
      tasks.push(readTask(path));
    } catch (thrown) {
      leftOut.push(`${basename(path)}: ${messageOf(thrown)}`);
    }
  }
  if (tasks.length === 0) {
    const how = `a task is a folder with ${PROMPT} and ${TASK}, in ${folder} or being it.`;
    throw new Error([`There is no task in ${folder}: ${how}`, ...leftOut.slice(0, MOST_NAMED)].join('\n'));
  }
  return { tasks, leftOut };
}

function listFolders(root: string): string[] {
  try {
    return readdirSync(root)
      .filter((name) => !name.startsWith('.') && name !== 'node_modules' && isFolder(join(root, name)))
      .sort()
      .map((name) => join(root, name));
  } catch (cause) {
    throw new Error(`The tasks ${root} cannot be read (${messageOf(cause)}).`, { cause });
  }
}

function readTask(path: string): Task {
  const [prompt, facts] = [readText(path, PROMPT), readText(path, TASK)];
  if (prompt.trim() === '') throw new Error(`${PROMPT} is empty`);
  const { check, checkSeconds } = parse(facts);
  const [files, checkFiles] = [folderIn(path, 'files'), folderIn(path, 'check')];
  // The files to work in may be many gigabytes.
  const listed = [
    listFiles(files, (file) => String(statSync(file).size)),
    listFiles(checkFiles, (file) => hashOf(readFileSync(file))),
  ];
  const hash = hashOf(JSON.stringify([prompt, facts, listed])).slice(0, 16);
  return { name: basename(path), prompt, check, checkMs: checkSeconds * 1000, files, checkFiles, hash };
}

function readText(path: string, name: string): string {
  if (!existsSync(join(path, name))) throw new Error(`it has no ${name}`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(join(path, name)));
  } catch (cause) {
    throw new Error(`${name} cannot be read as a text in UTF-8 (${messageOf(cause)})`, { cause });
  }
}

function parse(facts: string): z.infer<typeof schema> {
  let value: unknown;
  try {
    value = JSON.parse(facts);
  } catch (cause) {
    throw new Error(`${TASK} is not JSON (${messageOf(cause)})`, { cause });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '));
  throw new Error(`${TASK}: ${faults.join('; ')}`);
}

function folderIn(path: string, name: string): string | null {
  const folder = join(path, name);
  if (!existsSync(folder)) return null;
  if (!isFolder(folder)) throw new Error(`${name} is not a folder`);
  return folder;
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** A line for each name below a folder, in order, with what `tell` says of a file. */
function listFiles(folder: string | null, tell: (path: string) => string): string[] {
  if (folder === null) return [];
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listFiles(path, tell).map((line) => `${entry.name}/${line}`);
    return [`${entry.name} ${entry.isFile() ? tell(path) : ''}`];
  });
}

const hashOf = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');
