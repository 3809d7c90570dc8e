/**
 * Embeds the agent in another program, without VS Code. Pass a compaction strategy as an object or a factory, or choose
 * one by name; either way it runs in the same compactor as in the product.
 */

import type { CompactionStrategy, StrategyPorts } from '../../api/index.ts';
import { StrategyRegistry } from '../compaction/hosting/registry.ts';
import { givenSettings, refuseUnknownKeys } from '../compaction/settings/givenSettings.ts';
import { BUILT_IN_STRATEGIES } from '../compaction/strategies/builtIn.ts';
import type { AnyFactory, StrategyEntry } from '../compaction/strategies/strategyEntry.ts';
import type { BlobStore } from '../journal/blobStore.ts';
import type { Entry } from '../journal/entry.ts';
import { Journal } from '../journal/journal.ts';
import type { JournalStore } from '../journal/journalStore.ts';
import type { ModelChoice } from '../model/modelChoice.ts';
import { thinkingApartIn } from '../model/thinkingStream.ts';
import { forgetfulMemory, LearnedWindows } from '../tokens/learnedWindows.ts';
import type { Approver } from '../tools/approvals.ts';
import type { Tool } from '../tools/tool.ts';
import { Agent } from './agent.ts';
import type { AgentEvents } from './agentEvents.ts';
import { checkAgentOptions, completeAgentSettings, type GivenAgentSettings } from './agentOptions.ts';
import type { AgentPerson } from './parts/agentPerson.ts';
import type { AgentSystem } from './parts/agentSystem.ts';
import { type AgentWorkspace, NO_WORKSPACE } from './parts/agentWorkspace.ts';
import { howToWork, systemPromptOf } from './parts/header.ts';
import { DEFAULT_AGENT_SETTINGS } from './settings.ts';

/** A factory receives the ports that it names in `needs`; a strategy object finds its model in `context.llm`. */
export type OwnStrategy = AnyFactory | (CompactionStrategy & { readonly needs?: readonly (keyof StrategyPorts)[] });

/** Choice of how the context of an agent is compacted. */
export interface CompactionChoice {
  /** Default: the built-in strategy that the settings choose. */
  readonly strategy?: OwnStrategy;
  /** Settings below `palimpsest.compaction.`, such as `{ 'trigger.ratio': 0.7 }`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Values of the settings that `strategy` declares itself, by their names. */
  readonly section?: Readonly<Record<string, unknown>>;
}

export interface AgentOptions {
  readonly model: ModelChoice;
  readonly tools: readonly Tool[];
  /** For tools that need files or a shell. Default: neither is there. */
  readonly workspace?: Pick<AgentWorkspace, 'files' | 'shell'>;
  /** The journal of an open session; otherwise `store` is needed. */
  readonly journal?: Journal;
  readonly store?: JournalStore;
  /** The validated entries already in the store, in file order. */
  readonly entries?: readonly Entry[];
  readonly blobs: BlobStore;
  readonly system: AgentSystem;
  /** Kind of agent, such as `explore`: agents of several kinds can share the same `compaction`. */
  readonly kind?: string;
  readonly compaction?: CompactionChoice & {
    /** Overrides by kind of agent. A setting that is omitted here is the same for all kinds. */
    readonly agents?: Readonly<Record<string, CompactionChoice>>;
    readonly consent?: AgentPerson['consent'];
  };
  /** Asked before a tool writes or runs. Default: every such call is denied. */
  readonly approver?: Approver;
  /** Default: how a coding agent works, with no word about an editor. */
  readonly systemPrompt?: string;
  /** Settings by section, such as `{ agent: { stepLimit: 20 } }`; the others have their defaults. */
  readonly settings?: GivenAgentSettings;
  readonly events?: Partial<AgentEvents>;
}

/** Ids include a publisher; this is the id of the caller's own strategy. */
export const OWN = 'embedded.agent/strategy';
/** An embedding program writes its own prompt. */
const NO_FILES_READ = {
  memory: { ...DEFAULT_AGENT_SETTINGS.memory, enabled: false },
  skills: { ...DEFAULT_AGENT_SETTINGS.skills, enabled: false },
};
const ignore = () => undefined;
const NOBODY: Approver = { ask: async () => ({ kind: 'unasked', reason: 'Nobody is there to ask.' }) };

/**
 * Rejects with `TypeError` for an option that is unknown or cannot be used, and with `Error` for a compaction setting that is
 * invalid, including one for another kind of agent. Nothing is written then.
 */
export async function createAgent(options: AgentOptions): Promise<Agent> {
  checkAgentOptions(options);
  const agentSettings = completeAgentSettings(options.settings ?? {}, NO_FILES_READ);
  const { model, tools, workspace = NO_WORKSPACE, blobs, system, compaction = {}, kind = '', systemPrompt } = options;
  const byKind = new Map(Object.entries(compaction.agents ?? {}).map(([of, its]) => [of, chooseFor(compaction, its)]));
  const { strategy, settings, settingsWith } = byKind.get(kind) ?? chooseFor(compaction, {});
  const registry = new StrategyRegistry([...BUILT_IN_STRATEGIES, ...ownEntry(strategy)]);
  const journal = options.journal ?? openJournal(options);
  const client = thinkingApartIn(model.client);
  if (journal.entries.length === 0) await beginSession(journal, system);
  return new Agent({
    session: { journal, blobs },
    models: { initial: () => model.model, resolve: (name) => ({ ...model, client, model: name }) },
    workspace: { ...workspace, trust: () => 'trusted' },
    person: {
      approver: options.approver ?? NOBODY,
      consent: compaction.consent ?? (async () => 'compact'),
    },
    settings: () => agentSettings,
    compaction: {
      settings: (chosen) => (chosen === undefined ? settings : settingsWith(chosen)),
      registry,
      windows: new LearnedWindows(forgetfulMemory(), system.clock),
    },
    system,
    events: { onTurn: ignore, onProgress: ignore, onCompaction: ignore, ...options.events },
    tools,
    header: async () => [systemPromptOf(systemPrompt ?? howToWork(options.approver !== undefined))],
  });
}

function openJournal({ store, entries = [], system }: AgentOptions): Journal {
  return new Journal(entries, { store: store as JournalStore, ...system });
}

/** A kind's own choices take precedence; a strategy named in its settings overrides the object for all. */
function chooseFor(all: CompactionChoice, its: CompactionChoice) {
  const named = its.settings?.strategy !== undefined;
  const strategy = its.strategy ?? (named ? undefined : all.strategy);
  const given = { ...all.settings, ...its.settings };
  refuseUnknownKeys(given);
  // The section of all belongs to the strategy of all.
  const section = its.section ?? (strategy === all.strategy ? all.section : undefined);
  const settings = givenSettings(given, strategy && OWN, section);
  const builtIn = BUILT_IN_STRATEGIES.map(({ id }) => id);
  if (!strategy && !builtIn.includes(settings.strategy))
    throw new Error(
      `There is no strategy ${settings.strategy} here. Choose one of ${builtIn.join(', ')}, or give one of your own as compaction.strategy.`,
    );
  // A program that names a strategy leaves the session no choice.
  const insists = strategy !== undefined || given.strategy !== undefined;
  const settingsWith = (chosen: string) =>
    insists ? settings : givenSettings(given, chosen, its.section ?? all.section);
  return { strategy, settings, settingsWith };
}

async function beginSession(journal: Journal, { crypto }: AgentSystem): Promise<void> {
  const [id, nonce] = [crypto.randomHex(16), crypto.randomHex(4)];
  await journal.append({ type: 'session', format: 1, id, workspace: null, engine: 'palimpsest/embedded', nonce });
}

function ownEntry(strategy: OwnStrategy | undefined): StrategyEntry[] {
  if (!strategy) return [];
  return [{ id: OWN, label: 'Embedded', description: '', publisher: null, factory: factoryOf(strategy) }];
}

export const factoryOf = (strategy: OwnStrategy): AnyFactory =>
  'create' in strategy ? strategy : { needs: strategy.needs ?? [], create: () => strategy };
