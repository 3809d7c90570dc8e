/** The settings of the model, the agent, its tools and its checkpoints, checked. Each table stands beside its owner. */

import type { AgentSettings as CoreSettings } from '../../core/agent/agentPorts.ts';
import { AGENT } from '../../core/agent/agentSettings.ts';
import { CHECKPOINTS } from '../../core/checkpoints/checkpointSettings.ts';
import { HOOKS } from '../../core/hooks/hookSettings.ts';
import { MEMORY } from '../../core/memory/memorySettings.ts';
import { MENTIONS } from '../../core/mentions/mentionSettings.ts';
import { readSection, type SettingProblem, type SettingReader } from '../../core/settings/readSection.ts';
import type { SectionValues } from '../../core/settings/setting.ts';
import { SKILLS } from '../../core/skills/skillSettings.ts';
import { OUTPUT } from '../../core/tools/toolSettings.ts';
import { MCP } from '../mcp/config/mcpSettings.ts';
import { MODEL } from '../models/modelSettings.ts';

export interface AgentSettings extends SectionValues<typeof MODEL>, CoreSettings {
  readonly checkpoints: SectionValues<typeof CHECKPOINTS>;
  /** A person or a workspace set `contextWindow`, so it goes before what servers say. */
  readonly isWindowSet: boolean;
  readonly mcp: SectionValues<typeof MCP>;
}

export interface CheckedAgentSettings {
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
  };
  return { settings, problems };
}
