/** Finds the skills that a session has: those of the open folder, read through the guard that tools use, then a person's own. */

import type { Files } from '../ports.ts';
import { type LeaveOut, leaveOutSilently, listSources, readSource } from '../sourceFile.ts';
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
  readonly own: (leaveOut: LeaveOut) => Promise<readonly SkillText[]>;
  /** Told of files that cannot be read; the remarks are about those that can. */
  readonly leaveOut?: LeaveOut;
}

export interface FoundSkills {
  /** By name. */
  readonly skills: readonly Skill[];
  /** Why files are left out. */
  readonly remarks: readonly Words[];
}

/** Of several with one name the nearer counts: a skill of the folder goes before one of the person's own. */
export async function readSkills({ files, own, leaveOut = leaveOutSilently }: SkillSources): Promise<FoundSkills> {
  const byName = new Map<string, Skill>();
  const remarks: Words[] = [];
  for (const text of [...(await inFolder(files, leaveOut)), ...(await own(leaveOut))]) {
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

async function inFolder(files: Files | null, leaveOut: LeaveOut): Promise<SkillText[]> {
  if (files === null || files.root === null) return [];
  const found: SkillText[] = [];
  for (const folder of SKILL_FOLDERS) {
    const listed = await listSources(files, folder, leaveOut);
    const names = listed.flatMap(({ name, type }) => (type === 'folder' ? [name] : []));
    for (const name of names.slice(0, MOST_SKILLS)) {
      const origin = `${folder}/${name}/${SKILL_FILE}`;
      const text = await readSource(files, origin, LARGEST_SKILL_FILE, leaveOut);
      if (text !== null) found.push({ origin, text });
    }
  }
  return found;
}
