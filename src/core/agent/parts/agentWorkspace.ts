/** The environment of the tools. Each of its parts may be missing, but files and a shell that refuse are always there. */

import { ToolError } from '../../errors.ts';
import type { MemoryText } from '../../instructions/memoryFiles.ts';
import type { SkillText } from '../../instructions/skill.ts';
import type { ReportSkipped } from '../../instructions/sourceFile.ts';
import type { WorkspaceTrust } from '../../tools/approvals.ts';
import type { ToolPorts } from '../../tools/tool.ts';
import type { HookRunner } from './hooks.ts';

export interface AgentWorkspace
  extends Pick<
    ToolPorts,
    'files' | 'shell' | 'language' | 'git' | 'background' | 'web' | 'commandRules' | 'commandDisk'
  > {
  readonly trust: () => WorkspaceTrust;
  /** Runs the person's hooks. Default: none. */
  readonly hooks?: HookRunner;
  /** The person's own memory file, for every folder. Default: none. */
  readonly ownMemory?: (reportSkipped: ReportSkipped) => Promise<MemoryText | null>;
  /** The person's own skills, for every folder. Default: none. */
  readonly ownSkills?: (reportSkipped: ReportSkipped) => Promise<readonly SkillText[]>;
  /** Names of commands that a person types after a slash, in lower case. Default: none. */
  readonly commands?: ReadonlySet<string>;
}

const refuse = () => Promise.reject(new ToolError('There is no workspace here.'));
const NO_DOOR = { resolve: refuse, read: refuse, write: refuse };

/** For an agent without files and shell: every use is refused. */
export const NO_WORKSPACE: Pick<AgentWorkspace, 'files' | 'shell'> = {
  files: {
    root: null,
    shownOf: async () => null,
    ...NO_DOOR,
    exact: NO_DOOR,
    remove: refuse,
    move: refuse,
    list: refuse,
    search: refuse,
    find: refuse,
  },
  shell: { run: refuse },
};
