/**
 * The agent without VS Code (K9): a journal, the loop and the compactor over ports of the caller's choosing. A strategy
 * is given as an object, or chosen by name; either way it goes through the same compactor as in the product.
 */

import type { CompactionStrategy } from '../../api/index.ts';
import { Compactor } from '../compaction/compactor.ts';
import type { CompactionSignal } from '../compaction/events.ts';
import { BUILT_IN_STRATEGIES, type StrategyEntry, StrategyRegistry } from '../compaction/run/registry.ts';
import { readCompactionSettings } from '../compaction/settings.ts';
import type { Entry } from '../journal/entry.ts';
import { Journal } from '../journal/journal.ts';
import type { Approver, Clock, ConsentAnswer, Crypto, JournalStore, Log, ModelChoice, Timers } from '../ports.ts';
import { countTokens, estimateMessage } from '../tokens/estimate.ts';
import { forgetfulMemory, LearnedWindows } from '../tokens/learnedWindows.ts';
import { NO_GRANTS } from '../tools/approvals.ts';
import { createRecall } from '../tools/builtIn/recall.ts';
import type { Tool, ToolPorts } from '../tools/tool.ts';
import { inEnglish } from '../words.ts';
import { SYSTEM_PROMPT } from './header.ts';
import { runTurn } from './runTurn.ts';
import type { TurnEvent, TurnOutcome } from './turn.ts';

export interface AgentOptions {
  readonly model: ModelChoice;
  readonly tools: readonly Tool[];
  readonly toolPorts: ToolPorts;
  readonly store: JournalStore;
  /** What the store holds already, checked, in file order. */
  readonly entries?: readonly Entry[];
  readonly compaction?: {
    /** A strategy of the caller's own; left out, the settings choose a built-in one. */
    readonly strategy?: CompactionStrategy;
    /** Settings below `palimpsest.compaction.`, such as `{ 'trigger.ratio': 0.7 }`. */
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly consent?: () => Promise<ConsentAnswer>;
  };
  /** Asked before a tool writes or runs. Left out, nothing that asks is allowed. */
  readonly approver?: Approver;
  readonly systemPrompt?: string;
  readonly stepLimit?: number;
  readonly clock: Clock;
  readonly crypto: Crypto;
  readonly timers: Timers;
  readonly log?: Log;
  readonly onEvent?: (event: TurnEvent) => void;
  readonly onCompaction?: (signal: CompactionSignal) => void;
}

export interface Agent {
  readonly journal: Journal;
  readonly compactor: Compactor;
  /** Runs one turn to its end. */
  send(text: string, signal: AbortSignal): Promise<TurnOutcome>;
}

/** Ids have a publisher; the caller's own strategy is this one. */
const OWN = 'embedded.agent/strategy';
const STEP_LIMIT = 50;

/** Throws when a compaction setting cannot be used. */
export async function createAgent(options: AgentOptions): Promise<Agent> {
  const { clock, crypto, model, compaction = {}, log = () => undefined } = options;
  const journal = new Journal(options.entries ?? [], { store: options.store, clock, crypto });
  if (journal.entries.length === 0) await beginSession(journal, crypto);
  const settings = readSettings(compaction.strategy !== undefined, compaction.settings ?? {});
  const compactor = new Compactor({
    journal,
    model: () => model,
    summaryModel: () => null,
    settings: () => settings,
    registry: new StrategyRegistry([...BUILT_IN_STRATEGIES, ...ownEntry(compaction.strategy)]),
    clock,
    timers: options.timers,
    crypto,
    log,
    consent: compaction.consent ?? (async () => 'compact'),
    blobs: options.toolPorts.blobs,
    windows: new LearnedWindows(forgetfulMemory(), clock),
    onProgress: () => undefined,
    onEvent: options.onCompaction ?? (() => undefined),
  });
  const recall = createRecall({
    context: () => journal.context,
    blobs: options.toolPorts.blobs,
    tokensPerTurn: () => settings.recallTokensPerTurn,
  });
  const { systemPrompt = SYSTEM_PROMPT, stepLimit = STEP_LIMIT } = options;
  const ports = {
    journal,
    model: () => model,
    compaction: compactor,
    // What a stub or a reference names must be within reach, also where no editor is.
    tools: () => [...options.tools, ...(settings.recallTokensPerTurn > 0 ? [recall.tool as Tool] : [])],
    results: () => ({ limits: {}, offload: settings.offload }),
    recall,
    toolPorts: options.toolPorts,
    trust: () => 'trusted' as const,
    grants: { current: NO_GRANTS },
    approver: options.approver ?? { ask: async () => ({ kind: 'deny' as const, reason: 'Nobody is there to ask.' }) },
    crypto,
    estimate: estimateMessage,
    estimateText: countTokens,
    header: async () => [{ kind: 'systemPrompt' as const, origin: 'built-in', text: systemPrompt, cacheHint: true }],
    settings: () => ({
      stepLimit,
      autoContinue: settings.autoContinue,
      tellCheckpoints: false,
      checkpointSteps: false,
    }),
    say: inEnglish,
    onEvent: options.onEvent ?? (() => undefined),
  };
  return {
    journal,
    compactor,
    send: (text, signal) => runTurn({ role: 'user', kind: 'user', text }, ports, signal),
  };
}

async function beginSession(journal: Journal, crypto: Crypto): Promise<void> {
  const [id, nonce] = [crypto.randomHex(16), crypto.randomHex(4)];
  await journal.append({ type: 'session', format: 1, id, workspace: null, engine: 'palimpsest/embedded', nonce });
}

function ownEntry(strategy: CompactionStrategy | undefined): StrategyEntry[] {
  if (!strategy) return [];
  const factory = { needs: [], create: () => strategy };
  return [{ id: OWN, label: 'Embedded', description: '', publisher: null, factory }];
}

function readSettings(own: boolean, values: Readonly<Record<string, unknown>>) {
  const read = (key: string) => {
    const value = values[key.replace(/^compaction\./, '')];
    return { value, explicit: value !== undefined };
  };
  const { settings, problems } = readCompactionSettings(read, () => ({}), own ? OWN : undefined);
  const [problem] = problems;
  if (problem) throw new Error(inEnglish(problem.said));
  return settings;
}
