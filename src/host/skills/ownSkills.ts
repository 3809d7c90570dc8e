/** The person's own skills, for every folder. Links are followed: it is their own home folder. */

import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isSystemError } from '../../core/errors.ts';
import { LARGEST_SKILL_FILE, type SkillText } from '../../core/skills/skill.ts';
import { MOST_SKILLS, SKILL_FILE, SKILL_FOLDERS } from '../../core/skills/skillFiles.ts';
import { decodeText } from '../../core/tools/text/decodeText.ts';
import { readBounded } from '../files/readChecked.ts';

/** What cannot be read is left out: a turn does not depend on it. */
export async function readOwnSkills(home = homedir()): Promise<readonly SkillText[]> {
  const found: SkillText[] = [];
  for (const folder of SKILL_FOLDERS) {
    const names = (await unlessGone(() => readdir(join(home, folder)))) ?? [];
    for (const name of names.sort().slice(0, MOST_SKILLS)) {
      const text = await unlessGone(() => readText(join(home, folder, name, SKILL_FILE)));
      if (text !== null) found.push({ origin: `~/${folder}/${name}/${SKILL_FILE}`, text });
    }
  }
  return found;
}

async function readText(path: string): Promise<string | null> {
  const bytes = await readBounded(path, LARGEST_SKILL_FILE);
  if (typeof bytes === 'string') return null;
  const decoded = decodeText(bytes);
  return decoded.kind === 'text' ? decoded.text : null;
}

/** Most people have none. */
async function unlessGone<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (thrown) {
    if (isSystemError(thrown)) return null;
    throw thrown;
  }
}
