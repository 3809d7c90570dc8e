/** The present skills, for the panel's completions and the list of *Show Memory*. Reads only on request. */

import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  LARGEST_SKILL_FILE,
  MOST_SKILLS,
  readSkills,
  SKILL_FILE,
  SKILL_FOLDERS,
  type Skill,
  type SkillText,
} from '../../core/instructions/skill.ts';
import { type ReportSkipped, skipSilently } from '../../core/sourceFile.ts';
import { listOwnSources, readOwnSource } from '../files/checkedFiles.ts';
import type { Parts } from '../parts.ts';
import { readTrust } from '../workspace.ts';

type Siblings = Pick<Parts, 'workspace' | 'settings' | 'changes'>;

export class SkillList {
  readonly #parts: Siblings;
  #current: readonly Skill[] = [];

  constructor(parts: Siblings) {
    this.#parts = parts;
  }

  get current(): readonly Skill[] {
    return this.#current;
  }

  async refresh(): Promise<readonly Skill[]> {
    const { workspace, settings, changes } = this.#parts;
    const files = readTrust() === 'trusted' ? workspace.current.files : null;
    const { enabled } = settings.current.agent.skills;
    const found = enabled ? (await readSkills(files, await readOwnSkills())).skills : [];
    if (JSON.stringify(found) !== JSON.stringify(this.#current)) {
      this.#current = found;
      changes.refresh();
    }
    return found;
  }
}

/** Omits skills that cannot be read: a turn does not depend on them. */
export async function readOwnSkills(
  home = homedir(),
  reportSkipped: ReportSkipped = skipSilently,
): Promise<readonly SkillText[]> {
  const found: SkillText[] = [];
  for (const folder of SKILL_FOLDERS) {
    const names = await listOwnSources(join(home, folder), `~/${folder}`, reportSkipped);
    for (const name of [...names].sort().slice(0, MOST_SKILLS)) {
      const origin = `~/${folder}/${name}/${SKILL_FILE}`;
      const path = join(home, folder, name, SKILL_FILE);
      const text = await readOwnSource(path, origin, LARGEST_SKILL_FILE, reportSkipped);
      if (text !== null) found.push({ origin, text });
    }
  }
  return found;
}
