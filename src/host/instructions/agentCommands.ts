/**
 * *Choose Agent…*: the agents in files, the built-in one, and a template for a person's own. An agent chosen before a
 * session has begun applies to the next one.
 */

import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import {
  type AgentFile,
  type AgentFiles,
  LONGEST_AGENT_FILE,
  readAgentFile,
} from '../../core/agent/parts/agentFile.ts';
import { mayUse } from '../../core/agent/parts/agentTools.ts';
import { modelNotHere } from '../../core/agent/parts/subagents.ts';
import type { StrategyRegistry } from '../../core/compaction/hosting/registry.ts';
import { UserFacingError } from '../../core/errors.ts';
import { readFrontMatter } from '../../core/frontMatter.ts';
import { listSources, type ReportSkipped, readSource, skipSilently } from '../../core/instructions/sourceFile.ts';
import { makeNote } from '../../core/journal/makeNote.ts';
import type { WorkspaceTrust } from '../../core/tools/approvals.ts';
import { type Words, words } from '../../core/words.ts';
import type { Files } from '../../core/workspace/files.ts';
import { listOwnSources, readOwnSource } from '../../node/files/readOwnSource.ts';
import type { Conversation } from '../../node/session/conversation.ts';
import type { ShownSession } from '../../node/session/shownSession.ts';
import type { Handlers } from '../handlers.ts';
import type { Models } from '../models/models.ts';
import { type Listed, manageList, showInputBox } from '../notices/pickers.ts';
import { readTrust, type WatchedWorkspace } from '../workspace.ts';
import { openOrCreate } from './openOrCreate.ts';

interface Parts {
  readonly agentFiles: AgentFiles;
  readonly session: ShownSession;
  readonly models: Models;
  readonly registry: StrategyRegistry;
  readonly workspace: WatchedWorkspace;
}

export class AgentCommands {
  readonly #parts: Parts;
  readonly #changed = new vscode.EventEmitter<void>();
  /** Chosen while no session was open. */
  #next: AgentFile | null = null;
  #listed: readonly AgentFile[] = [];

  readonly onDidChange = this.#changed.event;

  readonly handlers = { chooseAgent: ({ agent }) => this.#choose(agent) } satisfies Partial<Handlers>;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Of the session on screen, or of the next one; empty for the built-in agent. */
  get name(): string {
    const { conversation } = this.#parts.session;
    return (conversation ? conversation.agent.chosenAgent?.name : this.#next?.name) ?? '';
  }

  /** The strategy of the agent that was chosen for the next session; empty where it names none that there is. */
  get nextStrategy(): string {
    return this.#strategyOf(this.#next);
  }

  #strategyOf(agent: AgentFile | null): string {
    if (!agent?.strategy) return '';
    return this.#parts.registry.list().some(({ id }) => id === agent.strategy) ? agent.strategy : '';
  }

  /** As last read. */
  get listed(): readonly AgentFile[] {
    return this.#listed;
  }

  /** Reads them again, before listing them. */
  async refresh(): Promise<void> {
    const found = await this.#parts.agentFiles.list();
    if (JSON.stringify(found) === JSON.stringify(this.#listed)) return;
    this.#listed = found;
    this.#changed.fire();
  }

  /** Asks for one unless named. */
  async #choose(name?: string): Promise<void> {
    const agents = await this.#parts.agentFiles.list();
    if (name === undefined || name.trim() === '') return this.#pick(agents);
    const wanted = name.trim().toLowerCase();
    if (wanted === BUILT_IN_AGENT.toLowerCase()) return this.#use(null);
    const agent = agents.find((each) => each.name.toLowerCase() === wanted);
    if (!agent) throw new UserFacingError(words('There is no agent “{0}”. /agent alone lists them.', name.trim()));
    return this.#use(agent);
  }

  /** A new session gets the agent that was chosen for it. */
  async begin(conversation: Conversation): Promise<void> {
    const agent = this.#next;
    this.#next = null;
    if (agent) await this.#apply(agent, conversation);
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #pick(agents: readonly AgentFile[]): Promise<void> {
    const { name } = this;
    const here = (label: string) => (label === name ? vscode.l10n.t('in use') : '');
    return manageList({
      title: vscode.l10n.t('Choose Agent'),
      placeholder: vscode.l10n.t('It answers starting with your next message.'),
      read: () => [
        {
          label: `$(robot) ${BUILT_IN_AGENT}`,
          description: [vscode.l10n.t('built in'), here('')].filter(Boolean).join(' · '),
          act: () => this.#use(null),
        },
        ...agents.map((agent) => ({
          label: `$(account) ${agent.name}`,
          description: [agent.id, agent.model, agent.strategy, here(agent.name)].filter(Boolean).join(' · '),
          detail: agent.description,
          act: () => this.#use(agent),
        })),
        ...(readTrust() === 'trusted' ? [this.#newItem(FOLDER, 'folder')] : []),
        this.#newItem(`~/${FOLDER}`, 'own'),
      ],
    });
  }

  #newItem(folder: string, place: 'folder' | 'own'): Listed {
    return {
      label: `$(add) ${vscode.l10n.t('New agent in {0}', folder)}`,
      description:
        place === 'own'
          ? vscode.l10n.t('your own, for every folder')
          : vscode.l10n.t('for everyone who works in this folder'),
      group: '',
      act: () => this.#create(place),
    };
  }

  async #use(agent: AgentFile | null): Promise<void> {
    const { session } = this.#parts;
    if (session.conversation) await this.#apply(agent, session.requireMovable());
    else {
      this.#next = agent;
      if (this.nextStrategy) session.forgetNextStrategy();
    }
    this.#changed.fire();
  }

  async #apply(agent: AgentFile | null, conversation: Conversation): Promise<void> {
    const { models } = this.#parts;
    if ((agent?.id ?? null) === (conversation.agent.chosenAgent?.id ?? null)) return;
    const model = agent?.model ? models.canonical(agent.model) : '';
    const problem = !agent?.model ? null : models.resolve(model, null);
    const strategy = this.#strategyOf(agent);
    const detail: Words[] = [];
    if (agent?.tools) {
      const has = agent.tools.filter((tool) => mayUse(agent, tool));
      detail.push(has.length > 0 ? words('Its tools: {0}.', has.join(', ')) : words('It has no tools.'));
    } else if (agent && agent.withheld.length > 0) {
      detail.push(words('All tools but: {0}.', agent.withheld.join(', ')));
    }
    const isListed = !agent?.model || models.lists(agent.model);
    if (agent && !isListed) detail.push(modelNotHere(agent));
    else if (problem) {
      detail.push(
        'problem' in problem
          ? words('Its model {0} cannot be used here, so the session keeps its own.', agent?.model ?? '')
          : words('Its model: {0}.', agent?.model ?? ''),
      );
    }
    if (agent?.strategy) {
      detail.push(
        strategy
          ? words('Its compaction strategy: {0}.', agent.strategy)
          : words('There is no compaction strategy {0}, so the one that is set is used.', agent.strategy),
      );
    }
    await conversation.change(async () => {
      const chosen = agent && { id: agent.id, name: agent.name, strategy };
      await conversation.agent.chooseAgent(chosen);
      if (problem && isListed && !('problem' in problem)) await conversation.agent.configure(model);
      const notice = agent
        ? words('{0} answers starting with your next message ({1}).', agent.name, agent.id)
        : words('The built-in agent answers starting with your next message.');
      await conversation.journal.append(makeNote('info', notice, { detail }));
    });
  }

  async #create(place: 'folder' | 'own'): Promise<void> {
    const typed = await showInputBox({
      title: vscode.l10n.t('New Agent'),
      prompt: vscode.l10n.t('Its name, such as reviewer'),
      validateInput: (text) =>
        NAME.test(text.trim()) ? null : vscode.l10n.t('Use letters, digits and hyphens, at most 64.'),
    });
    if (typed === undefined) return;
    const name = typed.trim();
    const path =
      place === 'own'
        ? join(homedir(), FOLDER, `${name}.md`)
        : (await this.#parts.workspace.current.files.resolve(`${FOLDER}/${name}.md`)).real;
    await vscode.window.showTextDocument(await openOrCreate(path, startingFile(name)));
  }
}

/** Name of the built-in agent in arguments. */
export const BUILT_IN_AGENT = 'Palimpsest';
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}_-]{0,63}$/u;

function startingFile(name: string): string {
  return `---
name: ${name}
description: ${vscode.l10n.t('What this agent is for, in one line')}
tools: read_file, list_files, search_text
---

${vscode.l10n.t('What this agent must know and how it works.')}
`;
}

/** A new agent is created there, in the open folder or in the home. */
const FOLDER = '.agents/agents';
const WORKSPACE_FOLDERS = [FOLDER, '.claude/agents'];

/** In one folder. */
const MOST_FILES = 100;

/**
 * Agent files of the open folder, if trusted, and of the person's own folder. The nearer one is used when two have the
 * same name. The workspace's own guard refuses links out of the workspace.
 */
export function openAgentFolders(files: () => Files, trust: () => WorkspaceTrust, home = homedir()): AgentFiles {
  return {
    list: async (reportSkipped = skipSilently) => {
      const workspace = trust() === 'trusted' ? await inWorkspace(files(), reportSkipped) : [];
      const byName = new Map<string, AgentFile>();
      for (const agent of [...workspace, ...(await inHome(home, reportSkipped))]) {
        const name = agent.name.toLowerCase();
        if (!byName.has(name)) byName.set(name, agent);
      }
      return [...byName.values()];
    },
  };
}

async function inWorkspace(files: Files, reportSkipped: ReportSkipped): Promise<AgentFile[]> {
  if (files.root === null) return [];
  const found: AgentFile[] = [];
  const tops = files.folders?.map(({ name }) => `${name}/`) ?? [''];
  for (const folder of tops.flatMap((top) => WORKSPACE_FOLDERS.map((each) => top + each))) {
    const listed = await listSources(files, folder, reportSkipped);
    for (const name of agentNames(listed.map((each) => each.name))) {
      const id = `${folder}/${name}`;
      const agent = await understand(await readSource(files, id, LONGEST_BYTES, reportSkipped), id, reportSkipped);
      if (agent) found.push(agent);
    }
  }
  return found;
}

async function inHome(home: string, reportSkipped: ReportSkipped): Promise<AgentFile[]> {
  const folder = join(home, FOLDER);
  const found: AgentFile[] = [];
  for (const name of agentNames(await listOwnSources(folder, `~/${FOLDER}`, reportSkipped))) {
    const id = `~/${FOLDER}/${name}`;
    const text = await readOwnSource(join(folder, name), id, LONGEST_BYTES, reportSkipped);
    const agent = await understand(text, id, reportSkipped);
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

/** A file that does not begin like an agent, such as a README, is ignored. */
async function understand(text: string | null, id: string, reportSkipped: ReportSkipped): Promise<AgentFile | null> {
  if (text === null) return null;
  const agent = await readAgentFile(text, id);
  if (agent) return agent;
  if (text.length > LONGEST_AGENT_FILE) {
    reportSkipped(id, words('It is longer than {0} characters.', LONGEST_AGENT_FILE));
  } else if (await readFrontMatter(text)) reportSkipped(id, words('It has no instructions below its settings.'));
  else if (/^\uFEFF?---\s/.test(text)) reportSkipped(id, words('Its settings do not end with a line of “---”.'));
  return null;
}
