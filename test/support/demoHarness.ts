/**
 * A whole agent over memory, with the product's own loop, tools and compactor, and any model client. For tests of what
 * a model really does to a session.
 */

import { runTurn } from '../../src/core/agent/runTurn.ts';
import type { TurnOutcome } from '../../src/core/agent/turnOutcome.ts';
import type { Compactor } from '../../src/core/compaction/compactor.ts';
import type { Journal } from '../../src/core/journal/journal.ts';
import type { ModelClient } from '../../src/core/model/modelClient.ts';
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  NO_GRANTS,
  type ToolClass,
  type WorkspaceTrust,
} from '../../src/core/tools/approvals.ts';
import type { MemoryFiles } from './ports/memoryFiles.ts';
import type { ScriptedCommand } from './ports/memoryShell.ts';
import { type TestAgentOptions, testAgent } from './testAgent.ts';
import { windowFor } from './windowFor.ts';

export interface DemoHarness {
  readonly journal: Journal;
  readonly files: MemoryFiles;
  readonly compactor: Compactor;
  readonly approvals: ApprovalRequest[];
  /** First words of each answer and names of its calls, in order. */
  steps(): string[];
  compactions(): number;
  send(text: string): Promise<TurnOutcome>;
}

export interface DemoHarnessOptions extends Pick<TestAgentOptions, 'world' | 'mcp' | 'subagents' | 'hooks'> {
  readonly files?: Readonly<Record<string, string>>;
  readonly window?: number;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The same for every question, or for each. */
  readonly answer?: ApprovalAnswer | ((request: ApprovalRequest) => ApprovalAnswer);
  readonly trust?: WorkspaceTrust;
  readonly commands?: Readonly<Record<string, ScriptedCommand>>;
  /** Classes that the person has already allowed for the session. */
  readonly allowed?: readonly ToolClass[];
}

/** Tokens of conversation before it is compacted, by default. */
const SOME_READINGS = 4_250;

export async function demoHarness(client: ModelClient, options: DemoHarnessOptions = {}): Promise<DemoHarness> {
  const { answer = { kind: 'allow', remember: 'no' }, settings = {}, ...rest } = options;
  const { allowed, ...world } = rest;
  const compaction = { 'recall.tokensPerTurn': 0, ...settings };
  const window = options.window ?? (await windowFor(SOME_READINGS, { compaction: { 'recall.tokensPerTurn': 0 } }));
  const choice = { client, model: 'demo', window };
  const { agent, files, approvals } = await testAgent(choice, {
    ...world,
    answer: typeof answer === 'function' ? answer : () => answer,
    compaction,
  });
  const { journal, compactor } = agent;
  const turn = agent.turnWith(choice);
  turn.grants.current = { ...NO_GRANTS, allowed: new Set(allowed) };
  return {
    journal,
    files,
    compactor,
    approvals,
    steps: () =>
      journal.entries.flatMap((entry) => {
        if (entry.type !== 'message' || entry.message.role !== 'assistant') return [];
        const names = (entry.message.toolCalls ?? []).map(({ name }) => ` +${name}`);
        return [`${entry.message.text.split(/ [·∙] /)[0]}${names.join('')}`];
      }),
    compactions: () => journal.entries.filter(({ type }) => type === 'compaction').length,
    send: (text) => runTurn({ role: 'user', kind: 'user', text }, turn, new AbortController().signal),
  };
}
