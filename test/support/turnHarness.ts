/**
 * A turn over memory: a real journal and the real loop, with a scripted model, two small tools, and a compaction that
 * does what a test says. Tests compare the journal, which is what would be on disk.
 */

import * as z from 'zod';
import type { TurnEvent } from '../../src/core/agent/agentEvents.ts';
import { runTurn } from '../../src/core/agent/runTurn.ts';
import type { AgentSettings } from '../../src/core/agent/settings.ts';
import type { Turn } from '../../src/core/agent/turn.ts';
import type { TurnOutcome } from '../../src/core/agent/turnOutcome.ts';
import type { CompactionOutcome } from '../../src/core/compaction/signals/outcome.ts';
import type { TurnCompaction } from '../../src/core/compaction/signals/turnCompaction.ts';
import type { Journal } from '../../src/core/journal/journal.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../../src/core/tools/approvals.ts';
import type { Tool } from '../../src/core/tools/tool.ts';
import { words } from '../../src/core/words.ts';
import type { MemoryStore } from './ports/memoryStore.ts';
import { ScriptedModel, type Step } from './ports/scriptedModel.ts';
import { testAgent } from './testAgent.ts';

type TurnPoint = Exclude<keyof TurnCompaction, 'expected' | 'doubt'>;

const NONE: CompactionOutcome = { kind: 'none', reason: words('not asked for') };

/** Every point at which the loop asks, in order. Each answers from `outcomes` by its name, or does nothing. */
function scriptedCompaction(outcomes: Partial<Record<TurnPoint, CompactionOutcome[]>> = {}) {
  const asked: string[] = [];
  const answer = (point: TurnPoint) => async () => {
    asked.push(point);
    return outcomes[point]?.shift() ?? NONE;
  };
  const compaction: TurnCompaction = {
    expected: { tokens: 0, least: 0, most: 0, grown: 0 },
    beginTurn: () => asked.push('beginTurn'),
    beforeMessage: answer('beforeMessage'),
    beforeCall: answer('beforeCall'),
    afterResponse: answer('afterResponse'),
    doubt: () => null,
    settle: (error) => error,
    afterOverflow: answer('afterOverflow'),
  };
  return { compaction, asked };
}

/** Reads without asking: answers with its own words. */
export const lookTool: Tool<{ at: string }> = {
  name: 'look',
  toolClass: 'read',
  description: 'Looks.',
  input: z.object({ at: z.string() }),
  prepare: async ({ at }) => ({ title: at, approval: null, changes: [], run: async () => ({ text: `saw ${at}` }) }),
};

/** Writes after asking; `written` is what reached the world. */
function writeTool(written: string[]): Tool<{ text: string }> {
  return {
    name: 'write',
    toolClass: 'write',
    description: 'Writes.',
    input: z.object({ text: z.string() }),
    prepare: async ({ text }) => ({
      title: 'file.txt',
      approval: {
        title: 'file.txt',
        detail: { kind: 'edit', path: 'file.txt', before: null, after: text },
        mayRemember: true,
      },
      changes: ['file.txt'],
      run: async () => {
        written.push(text);
        return { text: 'written' };
      },
    }),
  };
}

export interface TurnHarness {
  readonly journal: Journal;
  readonly store: MemoryStore;
  readonly model: ScriptedModel;
  readonly events: TurnEvent[];
  readonly asked: string[];
  readonly approvals: ApprovalRequest[];
  readonly written: string[];
  readonly abort: AbortController;
  /** The parts of its turns, which a test may replace. */
  readonly parts: Turn;
  send(text: string): Promise<TurnOutcome>;
  /** Type and main part of each entry since the header, in order. */
  story(): string[];
}

export async function turnHarness(
  steps: readonly Step[],
  options: {
    readonly answers?: ApprovalAnswer[];
    readonly outcomes?: Partial<Record<TurnPoint, CompactionOutcome[]>>;
    readonly settings?: Partial<AgentSettings['agent']>;
    readonly output?: Partial<AgentSettings['output']>;
    readonly compaction?: Partial<ReturnType<Turn['compactionSettings']>>;
    /** Instead of the two small ones. */
    readonly tools?: readonly Tool[];
  } = {},
): Promise<TurnHarness> {
  const model = new ScriptedModel(steps);
  const { compaction, asked } = scriptedCompaction(options.outcomes);
  const events: TurnEvent[] = [];
  const written: string[] = [];
  const answers = [...(options.answers ?? [])];
  const abort = new AbortController();
  const { agent, store, approvals } = await testAgent(model.choice(), {
    answer: () => answers.shift() ?? unexpected('Nobody was told how to answer'),
    events: { onTurn: (event) => events.push(event), onProgress: () => undefined, onCompaction: () => undefined },
    header: async () => [{ kind: 'systemPrompt', origin: 'built-in', text: 'Be useful.' }],
    compaction: { 'recall.tokensPerTurn': 0 },
    tools: options.tools ?? ([lookTool, writeTool(written)] as Tool[]),
  });
  const { journal } = agent;
  const parts = agent.turnWith(model.choice());
  const [settings, compactionSettings] = [parts.settings(), parts.compactionSettings()];
  Object.assign(parts, {
    compaction,
    settings: () => ({
      ...settings,
      agent: { ...settings.agent, stepLimit: 10, ...options.settings },
      output: { ...settings.output, ...options.output },
    }),
    compactionSettings: () => ({ ...compactionSettings, ...options.compaction }),
  });
  const send = (text: string) => runTurn({ role: 'user', kind: 'user', text }, parts, abort.signal);
  return {
    journal,
    store,
    model,
    events,
    asked,
    approvals,
    written,
    abort,
    parts,
    send,
    story: () => tellStory(journal),
  };
}

function unexpected(text: string): never {
  throw new Error(text);
}

function tellStory(journal: Journal): string[] {
  return journal.path().flatMap((entry) => {
    switch (entry.type) {
      case 'message': {
        const { message } = entry;
        const calls = message.role === 'assistant' ? (message.toolCalls ?? []).map((call) => ` +${call.name}`) : [];
        const cut = message.role === 'assistant' && message.interrupted ? ' (interrupted)' : '';
        return [`${message.role}: ${message.text}${calls.join('')}${cut}`];
      }
      case 'note':
        return [`note: ${entry.text}`];
      case 'header':
      case 'request':
        return [];
      default:
        return [entry.type];
    }
  });
}
