/** The skills that there are now, for the panel's completions and the list of *Show Memory*. It reads when it is asked to. */

import type { Skill } from '../../core/skills/skill.ts';
import { readSkills } from '../../core/skills/skillFiles.ts';
import { readTrust, type Workspace } from '../workspace.ts';
import { readOwnSkills } from './ownSkills.ts';

interface SkillListParts {
  readonly workspace: () => Workspace;
  readonly enabled: () => boolean;
  readonly onChange: () => void;
}

export class SkillList {
  readonly #parts: SkillListParts;
  #current: readonly Skill[] = [];

  constructor(parts: SkillListParts) {
    this.#parts = parts;
  }

  get current(): readonly Skill[] {
    return this.#current;
  }

  async refresh(): Promise<readonly Skill[]> {
    const { workspace, enabled, onChange } = this.#parts;
    const files = readTrust() === 'trusted' ? workspace().files : null;
    const found = enabled() ? (await readSkills({ files, own: () => readOwnSkills() })).skills : [];
    if (JSON.stringify(found) !== JSON.stringify(this.#current)) {
      this.#current = found;
      onChange();
    }
    return found;
  }
}
