/**
 * Where skills and prompt files are: finds those of the open folders, in order, and at most as many as are offered. A file
 * that is left out is named with the reason.
 */

import { findLookAlike } from '../tools/text/neutralise.ts';
import { showName, spellLetters } from '../tools/text/showHidden.ts';
import { type Words, words } from '../words.ts';
import type { Files } from '../workspace/files.ts';
import { PROMPT_ENDING, readPrompt } from './promptFile.ts';
import { readSkill, type Skill, type SkillText } from './skill.ts';
import { listSources, type ReportSkipped, readSource, skipSilently } from './sourceFile.ts';

/** Bytes. */
export const LARGEST_SKILL_FILE = 400_000;

/** Below each open folder and the home folder, in this order. */
export const SKILL_FOLDERS: readonly string[] = ['.agents/skills', '.claude/skills'];

export const SKILL_FILE = 'SKILL.md';

const PROMPTS_FOLDER = '.github/prompts';

export const COMMANDS_FOLDER = '.claude/commands';

/** In one folder of skills, and of prompt files with the folders below it. */
export const MOST_SKILLS = 100;

/** Folders of commands within each other. */
export const DEEPEST_COMMANDS = 4;

export interface FoundSkills {
  /** By name. */
  readonly skills: readonly Skill[];
  /** Why files are left out. */
  readonly remarks: readonly Words[];
}

interface ReadingSkills {
  readonly reportSkipped?: ReportSkipped;
  /** Names of the product's own commands, in lower case: what only looks like one is left out. */
  readonly commands?: Iterable<string>;
}

/**
 * When several skills share a name, the nearer one is used: the folder's before the person's own. A prompt file whose name
 * is taken has its long name. `files` is null where nothing may be read; `reportSkipped` receives files that cannot be
 * read, the remarks concern the others.
 */
export async function readSkills(
  files: Files | null,
  own: readonly SkillText[],
  { reportSkipped = skipSilently, commands = [] }: ReadingSkills = {},
): Promise<FoundSkills> {
  const byName = new Map<string, Skill>();
  const remarks: Words[] = [];
  const texts = [...(await inFolders(files, reportSkipped)), ...own];
  const isSkill = ({ command }: SkillText) => command === undefined;
  // A prompt file never takes a skill from the model.
  for (const text of [...texts.filter(isSkill), ...texts.filter((each) => !isSkill(each))]) {
    const read = await (isSkill(text) ? readSkill(text) : readPrompt(text));
    if ('leftOut' in read) {
      remarks.push(read.leftOut);
      continue;
    }
    const alike = findLookAlike(read.name, commands);
    if (alike !== null) {
      remarks.push(
        words(
          '{0} is left out: its name {1} only looks like the command /{2}.',
          showName(read.origin),
          spellLetters(read.name),
          alike,
        ),
      );
      continue;
    }
    const name = [read.name, ...(read.prompt ? [read.prompt.longName] : [])].find(
      (each) => !byName.has(each.toLowerCase()),
    );
    if (name !== undefined) byName.set(name.toLowerCase(), { ...read, name });
  }
  return { skills: [...byName.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, skill]) => skill), remarks };
}

/** The name of a prompt file below its folder, null for any other file: `front/new-page.md` is `front:new-page`. */
export function nameCommand(path: string, ending: string): string | null {
  if (!path.endsWith(ending) || path.split('/').some((part) => part.startsWith('.'))) return null;
  return path.slice(0, -ending.length).replaceAll('/', ':');
}

async function inFolders(files: Files | null, reportSkipped: ReportSkipped): Promise<SkillText[]> {
  if (files === null || files.root === null) return [];
  const found: SkillText[] = [];
  const take = async (origin: string, command?: string) => {
    const text = await readSource(files, origin, LARGEST_SKILL_FILE, reportSkipped);
    if (text !== null) found.push({ origin, text, ...(command === undefined ? {} : { command }) });
  };
  const list = (folder: string) => listSources(files, folder, reportSkipped);
  for (const top of files.folders?.map(({ name }) => `${name}/`) ?? ['']) {
    for (const folder of SKILL_FOLDERS) {
      const names = (await list(top + folder)).flatMap(({ name, type }) => (type === 'folder' ? [name] : []));
      for (const name of names.slice(0, MOST_SKILLS)) await take(`${top}${folder}/${name}/${SKILL_FILE}`);
    }
    for (const [folder, ending, deepest] of [
      [COMMANDS_FOLDER, '.md', DEEPEST_COMMANDS],
      [PROMPTS_FOLDER, PROMPT_ENDING, 0],
    ] as const) {
      const paths = await listBelow(async (below) => list([top + folder, below].filter(Boolean).join('/')), deepest);
      for (const path of paths) {
        const command = nameCommand(path, ending);
        if (command !== null) await take(`${top}${folder}/${path}`, command);
      }
    }
  }
  return found;
}

/** Paths of files, sorted, at most as many as are read. `list` gets a path below the folder, empty for itself. */
export async function listBelow(
  list: (below: string) => Promise<readonly { readonly name: string; readonly type: string }[]>,
  deepest: number,
): Promise<readonly string[]> {
  const found: string[] = [];
  const search = async (below: string, left: number): Promise<void> => {
    const listed = [...(await list(below))].sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const { name, type } of listed.slice(0, MOST_SKILLS)) {
      const path = below === '' ? name : `${below}/${name}`;
      if (found.length >= MOST_SKILLS) return;
      if (type === 'file') found.push(path);
      else if (type === 'folder' && left > 0 && !name.startsWith('.')) await search(path, left - 1);
    }
  };
  await search('', deepest);
  return found;
}
