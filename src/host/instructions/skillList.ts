/** The present skills and prompt files, for the panel's completions and the list of *Show Memory*. Reads only on request. */

import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { PROMPT_ENDING } from '../../core/instructions/promptFile.ts';
import type { Skill, SkillText } from '../../core/instructions/skill.ts';
import {
  COMMANDS_FOLDER,
  DEEPEST_COMMANDS,
  LARGEST_SKILL_FILE,
  listBelow,
  MOST_SKILLS,
  nameCommand,
  readSkills,
  SKILL_FILE,
  SKILL_FOLDERS,
} from '../../core/instructions/skillFiles.ts';
import { type ReportSkipped, skipSilently } from '../../core/instructions/sourceFile.ts';
import { listOwnSources, readOwnSource } from '../../node/files/readOwnSource.ts';
import { COMMAND_WORDS } from '../../protocol/commands.ts';
import type { PanelChanges } from '../panel/panelChanges.ts';
import type { WatchedSettings } from '../settings.ts';
import { readTrust, type WatchedWorkspace } from '../workspace.ts';

interface Parts {
  readonly workspace: WatchedWorkspace;
  readonly settings: WatchedSettings;
  readonly changes: PanelChanges;
}

export class SkillList {
  readonly #parts: Parts;
  readonly #profile: string;
  #current: readonly Skill[] = [];

  /** `profile`: the folder of VS Code's profile, which has the person's own prompt files. */
  constructor(parts: Parts, profile: string) {
    this.#parts = parts;
    this.#profile = profile;
  }

  get current(): readonly Skill[] {
    return this.#current;
  }

  async refresh(): Promise<readonly Skill[]> {
    const { workspace, settings, changes } = this.#parts;
    const files = readTrust() === 'trusted' ? workspace.current.files : null;
    const { enabled } = settings.current.agent.skills;
    const found = enabled ? (await readSkills(files, await this.readOwn(), { commands: COMMAND_WORDS })).skills : [];
    if (JSON.stringify(found) !== JSON.stringify(this.#current)) {
      this.#current = found;
      changes.refresh();
    }
    return found;
  }

  /** Those of the person, for every folder. */
  readOwn(reportSkipped: ReportSkipped = skipSilently): Promise<readonly SkillText[]> {
    return readOwnSkills(homedir(), join(this.#profile, 'prompts'), reportSkipped);
  }
}

/** Omits those that cannot be read: a turn does not depend on them. `prompts` is VS Code's own folder of prompt files. */
export async function readOwnSkills(
  home: string,
  prompts: string | null,
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
  const take = async (folder: string, shown: string, ending: string, deepest: number) => {
    for (const path of await listBelow((below) => listTyped(join(folder, below)), deepest)) {
      const command = nameCommand(path, ending);
      const origin = `${shown}/${path}`;
      if (command === null) continue;
      const text = await readOwnSource(join(folder, path), origin, LARGEST_SKILL_FILE, reportSkipped);
      if (text !== null) found.push({ origin, text, command });
    }
  };
  await take(join(home, COMMANDS_FOLDER), `~/${COMMANDS_FOLDER}`, '.md', DEEPEST_COMMANDS);
  if (prompts !== null) await take(prompts, prompts.replaceAll('\\', '/'), PROMPT_ENDING, 0);
  return found;
}

/** A link counts as a file: reading it shows what it is. Empty without such a folder. */
async function listTyped(folder: string) {
  const listed = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return listed.map((each) => ({ name: each.name, type: each.isDirectory() ? 'folder' : 'file' }));
}
