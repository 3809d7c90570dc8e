/** What the agent of a window is set to: the sections of core and of this layer together, read from any configuration. */

import { HOOKS } from '../core/agent/hookSettings.ts';
import type { AgentSettings as CoreSettings } from '../core/agent/settings.ts';
import { AGENT } from '../core/agent/settings.ts';
import { CHECKPOINTS } from '../core/checkpoints/fileKeeper.ts';
import { MEMORY } from '../core/instructions/memoryFiles.ts';
import { SKILLS } from '../core/instructions/skill.ts';
import { MENTIONS } from '../core/mentions/mention.ts';
import { readSection, type SectionValues, type SettingProblem, type SettingReader } from '../core/setting.ts';
import { OUTPUT } from '../core/tools/toolSettings.ts';
import { MCP } from './mcp/serverConfig.ts';
import { MODEL } from './models/endpointConfig.ts';
import { SESSIONS } from './storage/sessions/pointerIndex.ts';

export interface AgentSettings extends SectionValues<typeof MODEL>, CoreSettings {
  readonly checkpoints: SectionValues<typeof CHECKPOINTS>;
  /** A person or a workspace set `contextWindow`, so it overrides the servers' reports. */
  readonly isWindowSet: boolean;
  readonly mcp: SectionValues<typeof MCP>;
  readonly sessions: SectionValues<typeof SESSIONS>;
}

interface CheckedAgentSettings {
  readonly settings: AgentSettings;
  readonly problems: readonly SettingProblem[];
}

export function readAgentSettings(read: SettingReader): CheckedAgentSettings {
  const problems: SettingProblem[] = [];
  const settings = {
    ...readSection(MODEL, read, problems),
    ...readSection(HOOKS, read, problems),
    isWindowSet: read('contextWindow').explicit,
    agent: readSection(AGENT, read, problems),
    output: readSection(OUTPUT, read, problems),
    memory: readSection(MEMORY, read, problems),
    skills: readSection(SKILLS, read, problems),
    mentions: readSection(MENTIONS, read, problems),
    checkpoints: readSection(CHECKPOINTS, read, problems),
    mcp: readSection(MCP, read, problems),
    sessions: readSection(SESSIONS, read, problems),
  };
  return { settings, problems };
}
