/**
 * The product's agent over memory: nothing is written, no tool can be used, everything is consented to, and time moves
 * with the session.
 */

import { Agent } from '../../core/agent/agent.ts';
import { type AgentWorkspace, DEFAULT_AGENT_SETTINGS } from '../../core/agent/agentPorts.ts';
import { givenSettings } from '../../core/agent/givenSettings.ts';
import type { StrategyRegistry } from '../../core/compaction/run/registry.ts';
import { Journal } from '../../core/journal/journal.ts';
import type { BlobStore, Crypto, JournalStore, ModelChoice, Timers } from '../../core/ports.ts';
import { forgetfulMemory, LearnedWindows } from '../../core/tokens/learnedWindows.ts';

export interface LabAgentOptions {
  readonly registry: StrategyRegistry;
  readonly crypto: Crypto;
  readonly timers: Timers;
  /** In tokens of the lab; the fixed part for system prompt and tools comes on top. */
  readonly window: number;
  /** Settings by key below `palimpsest.compaction.`, as if a person had set them. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Values of a contributed strategy's own section, by their names in it. */
  readonly section?: Readonly<Record<string, unknown>>;
}

const START = Date.UTC(2026, 0, 1);
/** As far apart as requests are, so that cool-downs end. */
const STEP_MS = 1000;

/** Time that stands still within a step of the session. */
export class LabClock {
  #now = START;

  now(): number {
    return this.#now;
  }

  tick(): void {
    this.#now += STEP_MS;
  }
}

const ignore = () => undefined;

/** Throws when a setting cannot be used. */
export function labAgent(model: ModelChoice, strategy: string, clock: LabClock, options: LabAgentOptions): Agent {
  const { registry, crypto, timers, window } = options;
  const settings = givenSettings({ requireConfirmation: false, ...options.settings }, strategy, options.section);
  return new Agent({
    session: { journal: new Journal([], { store: forgetfulStore(), clock, crypto }), blobs: memoryBlobs(crypto) },
    // The window is that of the session's model, even when another model writes the summaries.
    models: {
      initial: () => model.model,
      resolve: (_, purpose) => (purpose === 'turn' ? { ...model, window } : model),
    },
    workspace: NO_WORKSPACE,
    person: { approver: { ask: async () => ({ kind: 'deny' }) }, consent: async () => 'compact' },
    settings: () => DEFAULT_AGENT_SETTINGS,
    compaction: { settings: () => settings, registry, windows: new LearnedWindows(forgetfulMemory(), clock) },
    system: { clock, timers, crypto, log: ignore },
    events: { onTurn: ignore, onProgress: ignore, onCompaction: ignore },
    tools: [],
  });
}

const refuse = () => Promise.reject(new Error('The lab has no workspace.'));
const NO_WORKSPACE: AgentWorkspace = {
  files: {
    root: null,
    resolve: refuse,
    read: refuse,
    write: refuse,
    remove: refuse,
    move: refuse,
    list: refuse,
    search: refuse,
    find: refuse,
  },
  shell: { run: refuse },
  trust: () => 'noFolder',
};

function forgetfulStore(): JournalStore {
  return {
    name: 'lab',
    readOnly: null,
    unwritten: 0,
    append: () => Promise.resolve(),
    sync: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

function memoryBlobs(crypto: Crypto): BlobStore {
  const blobs = new Map<string, Uint8Array>();
  return {
    put: async (bytes) => {
      const name = await crypto.sha256(bytes);
      blobs.set(name, bytes);
      return name;
    },
    get: (name) => Promise.resolve(blobs.get(name) ?? null),
  };
}
