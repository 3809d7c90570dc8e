/**
 * A whole agent over memory, the product's own loop, tools and compactor, with any model client. For tests of what a
 * model really does to a session.
 */

import { SYSTEM_PROMPT } from '../../src/core/agent/header.ts';
import { runTurn } from '../../src/core/agent/runTurn.ts';
import type { TurnOutcome, TurnPorts } from '../../src/core/agent/turn.ts';
import { Compactor } from '../../src/core/compaction/compactor.ts';
import { StrategyRegistry } from '../../src/core/compaction/run/registry.ts';
import type { Journal } from '../../src/core/journal/journal.ts';
import type { ApprovalAnswer, ApprovalRequest, ModelClient, ToolClass } from '../../src/core/ports.ts';
import { countTokens, estimateMessage } from '../../src/core/tokens/estimate.ts';
import { forgetfulMemory, LearnedWindows } from '../../src/core/tokens/learnedWindows.ts';
import { NO_GRANTS, type WorkspaceTrust } from '../../src/core/tools/approvals.ts';
import { selectTools, TOOLS } from '../../src/core/tools/toolSet.ts';
import { inEnglish } from '../../src/core/words.ts';
import { systemTimers } from '../../src/providers/timers.ts';
import { settingsOf } from './compactionHarness.ts';
import { createMemoryFiles, type MemoryFiles } from './memoryFiles.ts';
import { createMemoryShell, type ScriptedCommand } from './memoryShell.ts';
import { memoryBlobs, memoryJournal } from './memoryStore.ts';
import { testCrypto } from './nodeCrypto.ts';
import { testClock } from './testClock.ts';

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

export interface DemoHarnessOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly window?: number;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly answer?: ApprovalAnswer;
  readonly trust?: WorkspaceTrust;
  readonly commands?: Readonly<Record<string, ScriptedCommand>>;
  /** Classes that the person has allowed for the session already. */
  readonly allowed?: readonly ToolClass[];
}

export async function demoHarness(client: ModelClient, options: DemoHarnessOptions = {}): Promise<DemoHarness> {
  const { window = 8_000, answer = { kind: 'allow', remember: 'no' }, trust = 'trusted' } = options;
  const clock = testClock();
  const { journal } = await memoryJournal({ clock });
  const files = createMemoryFiles(options.files ?? {});
  const blobs = memoryBlobs();
  const settings = settingsOf(options.settings ?? {});
  const approvals: ApprovalRequest[] = [];
  const choice = { client, model: 'demo', window };
  const compactor = new Compactor({
    journal,
    model: () => choice,
    summaryModel: () => null,
    settings: () => settings,
    registry: new StrategyRegistry(),
    clock,
    timers: systemTimers,
    crypto: testCrypto(),
    log: () => undefined,
    consent: async () => 'compact',
    blobs,
    windows: new LearnedWindows(forgetfulMemory(), clock),
    onProgress: () => undefined,
    onEvent: () => undefined,
  });
  const ports: TurnPorts = {
    journal,
    model: () => choice,
    compaction: compactor,
    tools: () => selectTools(TOOLS, trust),
    toolPorts: { files, shell: createMemoryShell(options.commands), blobs, clock },
    trust: () => trust,
    grants: { current: { ...NO_GRANTS, allowed: new Set(options.allowed) } },
    approver: {
      ask: async (request) => {
        approvals.push(request);
        return answer;
      },
    },
    crypto: testCrypto(),
    estimate: (message) => estimateMessage(message),
    estimateText: countTokens,
    header: async () => [{ kind: 'systemPrompt', origin: 'built-in', text: SYSTEM_PROMPT }],
    settings: () => ({ stepLimit: 40, autoContinue: true, tellCheckpoints: false, checkpointSteps: false }),
    say: inEnglish,
    onEvent: () => undefined,
  };
  return {
    journal,
    files,
    compactor,
    approvals,
    steps: () =>
      journal.entries.flatMap((entry) => {
        if (entry.type !== 'message' || entry.message.role !== 'assistant') return [];
        const names = (entry.message.toolCalls ?? []).map(({ name }) => ` +${name}`);
        return [`${entry.message.text.split(':')[0]}${names.join('')}`];
      }),
    compactions: () => journal.entries.filter(({ type }) => type === 'compaction').length,
    send: (text) => runTurn({ role: 'user', kind: 'user', text }, ports, new AbortController().signal),
  };
}
