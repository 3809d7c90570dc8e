/**
 * Agents in files: of the open folder, where it is trusted, and of the person's own folder. What is nearer counts when two
 * have the same name. Links out of the workspace are refused by the workspace's own guard.
 */

import { homedir } from 'node:os';
import { join } from 'node:path';
import { type AgentFile, type AgentFiles, LONGEST_AGENT_FILE, readAgentFile } from '../../core/agents/agentFile.ts';
import { readFrontMatter } from '../../core/frontMatter.ts';
import type { Files } from '../../core/ports.ts';
import { type LeaveOut, leaveOutSilently, listSources, readSource } from '../../core/sourceFile.ts';
import type { WorkspaceTrust } from '../../core/tools/approvals.ts';
import { words } from '../../core/words.ts';
import { listOwnSources, readOwnSource } from '../files/readChecked.ts';

export interface AgentFolderPorts {
  readonly files: () => Files;
  readonly trust: () => WorkspaceTrust;
  /** The person's home folder, for tests. */
  readonly home?: string;
}

/** The first one is where a new agent of the folder is made. */
export const WORKSPACE_FOLDERS: readonly string[] = ['.agents/agents', '.claude/agents'];
export const OWN_FOLDER = '.agents/agents';
/** Of one folder. */
const MOST_FILES = 100;

export function openAgentFolders({ files, trust, home = homedir() }: AgentFolderPorts): AgentFiles {
  return {
    list: async (leaveOut = leaveOutSilently) => {
      const workspace = trust() === 'trusted' ? await inWorkspace(files(), leaveOut) : [];
      const byName = new Map<string, AgentFile>();
      for (const agent of [...workspace, ...(await inHome(home, leaveOut))]) {
        const name = agent.name.toLowerCase();
        if (!byName.has(name)) byName.set(name, agent);
      }
      return [...byName.values()];
    },
  };
}

async function inWorkspace(files: Files, leaveOut: LeaveOut): Promise<AgentFile[]> {
  if (files.root === null) return [];
  const found: AgentFile[] = [];
  for (const folder of WORKSPACE_FOLDERS) {
    const listed = await listSources(files, folder, leaveOut);
    for (const name of agentNames(listed.map((each) => each.name))) {
      const id = `${folder}/${name}`;
      const agent = await understand(await readSource(files, id, LONGEST_BYTES, leaveOut), id, leaveOut);
      if (agent) found.push(agent);
    }
  }
  return found;
}

async function inHome(home: string, leaveOut: LeaveOut): Promise<AgentFile[]> {
  const folder = join(home, OWN_FOLDER);
  const found: AgentFile[] = [];
  for (const name of agentNames(await listOwnSources(folder, `~/${OWN_FOLDER}`, leaveOut))) {
    const id = `~/${OWN_FOLDER}/${name}`;
    const text = await readOwnSource(join(folder, name), id, LONGEST_BYTES, leaveOut);
    const agent = await understand(text, id, leaveOut);
    if (agent) found.push(agent);
  }
  return found;
}

/** A character has at most four bytes. */
const LONGEST_BYTES = 4 * LONGEST_AGENT_FILE;

function agentNames(names: readonly string[]): string[] {
  return names
    .filter((name) => /^[^.].*\.md$/i.test(name))
    .sort()
    .slice(0, MOST_FILES);
}

/** A file that does not begin as an agent does, such as a README, was not meant as one. */
async function understand(text: string | null, id: string, leaveOut: LeaveOut): Promise<AgentFile | null> {
  if (text === null) return null;
  const agent = await readAgentFile(text, id);
  if (agent) return agent;
  if (text.length > LONGEST_AGENT_FILE) {
    leaveOut(id, words('It is longer than {0} characters.', LONGEST_AGENT_FILE));
  } else if (await readFrontMatter(text)) leaveOut(id, words('It has no instructions below its settings.'));
  else if (/^\uFEFF?---\s/.test(text)) leaveOut(id, words('Its settings do not end with a line of “---”.'));
  return null;
}
