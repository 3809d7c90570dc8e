/** The person's own skills, for every folder. Links are followed: it is their own home folder. */

import { homedir } from 'node:os';
import { join } from 'node:path';
import { LARGEST_SKILL_FILE, type SkillText } from '../../core/skills/skill.ts';
import { MOST_SKILLS, SKILL_FILE, SKILL_FOLDERS } from '../../core/skills/skillFiles.ts';
import { type LeaveOut, leaveOutSilently } from '../../core/sourceFile.ts';
import { listOwnSources, readOwnSource } from '../files/readChecked.ts';

/** What cannot be read is left out: a turn does not depend on it. */
export async function readOwnSkills(
  home = homedir(),
  leaveOut: LeaveOut = leaveOutSilently,
): Promise<readonly SkillText[]> {
  const found: SkillText[] = [];
  for (const folder of SKILL_FOLDERS) {
    const names = await listOwnSources(join(home, folder), `~/${folder}`, leaveOut);
    for (const name of [...names].sort().slice(0, MOST_SKILLS)) {
      const origin = `~/${folder}/${name}/${SKILL_FILE}`;
      const path = join(home, folder, name, SKILL_FILE);
      const text = await readOwnSource(path, origin, LARGEST_SKILL_FILE, leaveOut);
      if (text !== null) found.push({ origin, text });
    }
  }
  return found;
}
