/**
 * Agents in files: of the open folder, where it is trusted, and of the person's own folder. What is nearer counts when two
 * have the same name. Links out of the workspace are refused by the workspace's own guard.
 */

import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type AgentFile, type AgentFiles, LONGEST_AGENT_FILE, readAgentFile } from '../../core/agents/agentFile.ts';
import { isSystemError, ToolError } from '../../core/errors.ts';
import type { Files } from '../../core/ports.ts';
import type { WorkspaceTrust } from '../../core/tools/approvals.ts';
import { decodeText } from '../../core/tools/text/decodeText.ts';
import { readBounded } from '../files/readChecked.ts';

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
    list: async () => {
      const workspace = trust() === 'trusted' ? await inWorkspace(files()) : [];
      const byName = new Map<string, AgentFile>();
      for (const agent of [...workspace, ...(await inHome(home))]) {
        const name = agent.name.toLowerCase();
        if (!byName.has(name)) byName.set(name, agent);
      }
      return [...byName.values()];
    },
  };
}

async function inWorkspace(files: Files): Promise<AgentFile[]> {
  const found: AgentFile[] = [];
  for (const folder of WORKSPACE_FOLDERS) {
    for (const name of await namesIn(async () => namesOf(await files.list(folder)))) {
      const id = `${folder}/${name}`;
      const text = await unlessGone(async () => {
        const { size, type } = await files.resolve(id);
        if (type !== 'file' || size > LONGEST_BYTES) return null;
        return textOf(await files.read(id));
      });
      const agent = text === null ? null : await readAgentFile(text, id);
      if (agent) found.push(agent);
    }
  }
  return found;
}

async function inHome(home: string): Promise<AgentFile[]> {
  const folder = join(home, OWN_FOLDER);
  const found: AgentFile[] = [];
  for (const name of await namesIn(() => readdir(folder))) {
    const path = join(folder, name);
    const text = await unlessGone(async () => {
      const bytes = await readBounded(path, LONGEST_BYTES);
      return typeof bytes === 'string' ? null : textOf(bytes);
    });
    const agent = text === null ? null : await readAgentFile(text, `~/${OWN_FOLDER}/${name}`);
    if (agent) found.push(agent);
  }
  return found;
}

/** A character has at most four bytes. */
const LONGEST_BYTES = 4 * LONGEST_AGENT_FILE;

type Listed = Awaited<ReturnType<Files['list']>>;

function namesOf(listed: Listed): string[] {
  return listed.flatMap(({ name, type }) => (type === 'folder' ? [] : [name]));
}

async function namesIn(list: () => Promise<string[]>): Promise<string[]> {
  const names = (await unlessGone(list)) ?? [];
  return names
    .filter((name) => /^[^.].*\.md$/i.test(name))
    .sort()
    .slice(0, MOST_FILES);
}

function textOf(bytes: Uint8Array): string | null {
  const decoded = decodeText(bytes);
  return decoded.kind === 'text' ? decoded.text : null;
}

/** Null for what is not there or may not be read: most people have no such folder. */
async function unlessGone<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (thrown) {
    if (thrown instanceof ToolError || isSystemError(thrown)) return null;
    throw thrown;
  }
}
