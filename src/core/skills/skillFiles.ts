/** Finds the skills that a session has: those of the open folder, read through the guard that tools use, then a person's own. */

import { ToolError } from '../errors.ts';
import type { Files } from '../ports.ts';
import { decodeText } from '../tools/text/decodeText.ts';
import type { Words } from '../words.ts';
import { LARGEST_SKILL_FILE, readSkill, type Skill, type SkillText } from './skill.ts';

/** In the open folder as in the home folder, in this order. */
export const SKILL_FOLDERS: readonly string[] = ['.agents/skills', '.claude/skills'];
export const SKILL_FILE = 'SKILL.md';
/** Of one folder of skills. */
export const MOST_SKILLS = 100;

export interface SkillSources {
  /** Null where nothing may be read. */
  readonly files: Files | null;
  /** The person's own, for every folder. Throws nothing. */
  readonly own: () => Promise<readonly SkillText[]>;
}

export interface FoundSkills {
  /** By name. */
  readonly skills: readonly Skill[];
  /** Why files are left out. */
  readonly remarks: readonly Words[];
}

/** Of several with one name the nearer counts: a skill of the folder goes before one of the person's own. */
export async function readSkills({ files, own }: SkillSources): Promise<FoundSkills> {
  const byName = new Map<string, Skill>();
  const remarks: Words[] = [];
  for (const text of [...(await inFolder(files)), ...(await own())]) {
    const read = await readSkill(text);
    if ('leftOut' in read) {
      remarks.push(read.leftOut);
      continue;
    }
    const key = read.name.toLowerCase();
    if (!byName.has(key)) byName.set(key, read);
  }
  return { skills: [...byName.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, skill]) => skill), remarks };
}

async function inFolder(files: Files | null): Promise<SkillText[]> {
  if (files === null || files.root === null) return [];
  const found: SkillText[] = [];
  for (const folder of SKILL_FOLDERS) {
    const listed = (await unlessGone(() => files.list(folder))) ?? [];
    const names = listed.flatMap(({ name, type }) => (type === 'folder' ? [name] : []));
    for (const name of names.slice(0, MOST_SKILLS)) {
      const origin = `${folder}/${name}/${SKILL_FILE}`;
      const text = await unlessGone(() => readText(files, origin));
      if (text !== null) found.push({ origin, text });
    }
  }
  return found;
}

async function readText(files: Files, path: string): Promise<string | null> {
  const { exists, type, size } = await files.resolve(path);
  if (!exists || type !== 'file' || size > LARGEST_SKILL_FILE) return null;
  const decoded = decodeText(await files.read(path));
  return decoded.kind === 'text' ? decoded.text : null;
}

/** Null for what is not there, or may not be read: a link that leads out of the workspace, or what left meanwhile. */
async function unlessGone<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (thrown) {
    if (thrown instanceof ToolError) return null;
    throw thrown;
  }
}
