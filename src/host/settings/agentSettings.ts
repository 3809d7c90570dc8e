/** The validated settings of the model, the agent, its tools and its checkpoints. Each table is next to its owner. */

import * as vscode from 'vscode';
import { AGENT, type AgentSettings as CoreSettings } from '../../core/agent/agentPorts.ts';
import { HOOKS } from '../../core/agent/hooks.ts';
import { CHECKPOINTS } from '../../core/checkpoints/fileKeeper.ts';
import { MEMORY } from '../../core/instructions/memoryFiles.ts';
import { SKILLS } from '../../core/instructions/skill.ts';
import { MENTIONS } from '../../core/mentions/mention.ts';
import {
  readSection,
  type SectionValues,
  type SettingProblem,
  type SettingReader,
} from '../../core/settings/setting.ts';
import { OUTPUT } from '../../core/tools/toolSettings.ts';
import { MCP } from '../mcp/serverConfig.ts';
import { MODEL } from '../models/modelSettings.ts';
import { SESSIONS } from '../storage/sessions/pointerIndex.ts';

export interface AgentSettings extends SectionValues<typeof MODEL>, CoreSettings {
  readonly checkpoints: SectionValues<typeof CHECKPOINTS>;
  /** A person or a workspace set `contextWindow`, so it overrides the servers' reports. */
  readonly isWindowSet: boolean;
  readonly mcp: SectionValues<typeof MCP>;
  readonly sessions: SectionValues<typeof SESSIONS>;
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
    sessions: readSection(SESSIONS, read, problems),
  };
  return { settings, problems };
}

/**
 * Reads `palimpsest.*` from VS Code's configuration. Values are returned unchecked, with whether a person or a
 * workspace set them; callers validate them against the tables of settings.
 */
export const readSetting: SettingReader = (key) => {
  const section = vscode.workspace.getConfiguration('palimpsest');
  const inspected = section.inspect(key);
  const explicit = [inspected?.globalValue, inspected?.workspaceValue, inspected?.workspaceFolderValue];
  return { value: section.get(key), explicit: explicit.some((value) => value !== undefined) };
};

/** Writes where the value is already set, otherwise to the user's settings. */
export async function writeSetting(key: string, value: unknown): Promise<void> {
  const section = vscode.workspace.getConfiguration('palimpsest');
  const inWorkspace = section.inspect(key)?.workspaceValue !== undefined;
  await section.update(
    key,
    value,
    inWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global,
  );
}

/** Adds values by `file.name`, as a person writes them for their strategy files. */
export async function writeFileSettings(values: Readonly<Record<string, unknown>>): Promise<void> {
  const key = 'compaction.fileSettings';
  const now = vscode.workspace.getConfiguration('palimpsest').inspect<Record<string, unknown>>(key)?.globalValue;
  await writeSetting(key, { ...now, ...values });
}
