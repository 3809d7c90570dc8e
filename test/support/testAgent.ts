/**
 * An agent over memory: every part of it is the product's own, but its model and the world around it are the test's.
 */

import { Agent, type AgentPorts } from '../../src/core/agent/agent.ts';
import { type AgentSettings, DEFAULT_AGENT_SETTINGS } from '../../src/core/agent/settings.ts';
import { StrategyRegistry } from '../../src/core/compaction/hosting/registry.ts';
import { givenSettings } from '../../src/core/compaction/settings/givenSettings.ts';
import type { ModelChoice } from '../../src/core/model/modelChoice.ts';
import { forgetfulMemory, LearnedWindows } from '../../src/core/tokens/learnedWindows.ts';
import type { ApprovalAnswer, ApprovalRequest, WorkspaceTrust } from '../../src/core/tools/approvals.ts';
import { TOOLS } from '../../src/core/tools/toolList.ts';
import { systemTimers } from '../../src/providers/timers.ts';
import { createMemoryFiles, type MemoryFiles } from './ports/memoryFiles.ts';
import { createMemoryShell, type MemoryShell, type ScriptedCommand } from './ports/memoryShell.ts';
import { type MemoryStore, memoryBlobs, memoryJournal } from './ports/memoryStore.ts';
import { testCrypto } from './ports/nodeCrypto.ts';
import { testClock } from './ports/testClock.ts';

export interface TestAgentOptions extends Partial<Omit<AgentPorts, 'settings' | 'compaction'>> {
  /** Lines that another agent left on its disk. */
  readonly lines?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly commands?: Readonly<Record<string, ScriptedCommand>>;
  /** Parts of the workspace other than files and a shell. */
  readonly world?: Partial<AgentPorts['workspace']>;
  readonly trust?: WorkspaceTrust;
  readonly answer?: (request: ApprovalRequest) => ApprovalAnswer;
  readonly settings?: Partial<AgentSettings['agent']>;
  readonly hooks?: AgentSettings['hooks'];
  /** Settings below `palimpsest.compaction.`, as a person would set them. */
  readonly compaction?: Values | (() => Values);
  readonly registry?: StrategyRegistry;
}

type Values = Readonly<Record<string, unknown>>;

export interface TestAgent {
  readonly agent: Agent;
  readonly store: MemoryStore;
  readonly files: MemoryFiles;
  readonly shell: MemoryShell;
  /** The questions to the person, in order. */
  readonly approvals: ApprovalRequest[];
}

const ignore = () => undefined;

export async function testAgent(model: ModelChoice, options: TestAgentOptions = {}): Promise<TestAgent> {
  const { lines, commands, world, trust = 'trusted', answer = () => ({ kind: 'allow', remember: 'no' }) } = options;
  const { settings: agentSettings, hooks = [], compaction: set = {}, files: given = {}, ...ports } = options;
  const { registry = new StrategyRegistry() } = options;
  const [clock, crypto] = [testClock(), testCrypto()];
  const { journal, store } = await memoryJournal({ clock, ...(lines ? { lines } : {}) });
  const [files, shell] = [createMemoryFiles(given), createMemoryShell(commands)];
  const settings = (instead?: string) => givenSettings(typeof set === 'function' ? set() : set, instead);
  const approvals: ApprovalRequest[] = [];
  const ask = async (request: ApprovalRequest) => {
    approvals.push(request);
    return answer(request);
  };
  const agent = new Agent({
    session: { journal, blobs: memoryBlobs() },
    models: { initial: () => model.model, resolve: () => model },
    workspace: { files, shell, trust: () => trust, ...world },
    person: { approver: { ask }, consent: async () => 'compact' },
    settings: () => ({
      ...DEFAULT_AGENT_SETTINGS,
      hooks,
      agent: { ...DEFAULT_AGENT_SETTINGS.agent, ...agentSettings },
    }),
    compaction: {
      settings,
      registry,
      windows: new LearnedWindows(forgetfulMemory(), clock),
    },
    system: { clock, timers: systemTimers, crypto, log: ignore },
    events: { onTurn: ignore, onProgress: ignore, onCompaction: ignore },
    tools: TOOLS,
    ...ports,
  });
  return { agent, store, files, shell, approvals };
}
