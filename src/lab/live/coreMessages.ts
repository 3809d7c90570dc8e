/** Converts recorded messages to the journal's form, and items of a context to the lab's requests. */

import { Agent } from '../../core/agent/agent.ts';
import { NO_WORKSPACE } from '../../core/agent/parts/agentWorkspace.ts';
import { DEFAULT_AGENT_SETTINGS } from '../../core/agent/settings.ts';
import type { Timers } from '../../core/clock.ts';
import type { StrategyRegistry } from '../../core/compaction/hosting/registry.ts';
import { givenSettings } from '../../core/compaction/settings/givenSettings.ts';
import type { CompactionSignal } from '../../core/compaction/signals/compactionSignal.ts';
import { attribute } from '../../core/context/attribute.ts';
import type { ContextItem } from '../../core/context/item.ts';
import { lowerContext } from '../../core/context/lower.ts';
import type { Message } from '../../core/context/message.ts';
import type { Crypto } from '../../core/crypto.ts';
import { forgetfulStore, Journal, memoryBlobs } from '../../core/journal/journal.ts';
import type { ModelChoice } from '../../core/model/modelChoice.ts';
import { estimateMessage } from '../../core/tokens/estimate.ts';
import { forgetfulMemory, LearnedWindows } from '../../core/tokens/learnedWindows.ts';
import type { PreparedSession } from '../prepareSession.ts';
import type { RecordedMessage } from '../session.ts';

export interface CoreMessage {
  readonly message: Message;
  /** As estimated by the product. */
  readonly tokens: number;
}

const made = new WeakMap<PreparedSession, CoreMessages>();

/** Created once for a session. */
export function coreMessages(prepared: PreparedSession): CoreMessages {
  let messages = made.get(prepared);
  if (!messages) {
    messages = new CoreMessages(prepared.session.messages);
    made.set(prepared, messages);
  }
  return messages;
}

/** By index, each created on first use. A system message after the leading ones becomes a reminder. */
class CoreMessages {
  readonly #recorded: readonly RecordedMessage[];
  readonly #made: CoreMessage[] = [];
  /** Names of tools, by call id. */
  readonly #names = new Map<string, string>();

  constructor(recorded: readonly RecordedMessage[]) {
    this.#recorded = recorded;
  }

  get length(): number {
    return this.#recorded.length;
  }

  at(index: number): CoreMessage {
    while (this.#made.length <= index) {
      const recorded = this.#recorded[this.#made.length];
      if (!recorded) throw new Error(`No message ${index}`);
      for (const call of recorded.tool_calls ?? []) this.#names.set(call.id, call.function.name);
      const message = toCore(recorded, this.#names);
      this.#made.push({ message, tokens: estimateMessage(message) });
    }
    return this.#made[index] as CoreMessage;
  }
}

/** `names` are those of the tools, by call id. */
export function toCore(recorded: RecordedMessage, names: ReadonlyMap<string, string>): Message {
  const text = recorded.content;
  switch (recorded.role) {
    case 'system':
      return { role: 'user', kind: 'reminder', text };
    case 'user':
      return { role: 'user', ...attribute(text), text };
    case 'assistant': {
      const toolCalls = recorded.tool_calls?.map(({ id, function: made }) => ({
        id,
        name: made.name,
        arguments: made.arguments,
      }));
      return { role: 'assistant', text, ...(toolCalls ? { toolCalls } : {}) };
    }
    case 'tool': {
      const toolCallId = recorded.tool_call_id ?? '';
      const toolName = names.get(toolCallId) ?? 'unknown';
      const { is_error: isError, outcome } = recorded;
      return {
        role: 'tool',
        toolCallId,
        toolName,
        text,
        ...(isError ? { isError } : {}),
        ...(outcome ? { outcome } : {}),
      };
    }
  }
}

/** A rewritten or inserted item in the form sent to a provider. */
export function toRecorded(item: ContextItem): RecordedMessage {
  const { message } = item;
  switch (message.role) {
    case 'user': {
      // Only lowering knows how to mark text that no person wrote.
      const [lowered] = lowerContext({ header: null, conversation: [item], lastUsage: null, epoch: -1 });
      return { role: 'user', content: lowered?.text ?? message.text };
    }
    case 'assistant': {
      const calls = message.toolCalls?.map(({ id, name, arguments: json }) => ({
        id,
        type: 'function' as const,
        function: { name, arguments: json },
      }));
      return { role: 'assistant', content: message.text, ...(calls ? { tool_calls: calls } : {}) };
    }
    case 'tool':
      return { role: 'tool', content: message.text, tool_call_id: message.toolCallId };
  }
}

/**
 * The product's agent in memory: nothing is written, no tool can be used, every consent is given, and time moves with
 * the session.
 */
export interface LabAgentOptions {
  readonly registry: StrategyRegistry;
  readonly crypto: Crypto;
  readonly timers: Timers;
  /** In tokens of the lab; the fixed part for system prompt and tools is added. */
  readonly window: number;
  /** Settings by key below `palimpsest.compaction.`, as if set by a person. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Values of a contributed strategy's own section, by their names in it. */
  readonly section?: Readonly<Record<string, unknown>>;
  readonly onCompaction?: (signal: CompactionSignal) => void;
}

/** Time that stands still between the messages of a session. */
export class LabClock {
  #now: number;

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  /** It never goes back. */
  moveTo(time: number): void {
    this.#now = Math.max(this.#now, time);
  }
}

const ignore = () => undefined;

/** With its session begun. Rejects when a setting is invalid. */
export async function openLabAgent(
  model: ModelChoice,
  strategy: string,
  clock: LabClock,
  options: LabAgentOptions,
): Promise<Agent> {
  const { registry, crypto, timers, window } = options;
  // A replay has nobody who would wait for a summary.
  const given = { requireConfirmation: false, 'summary.prepareAhead': 'never', ...options.settings };
  const settings = givenSettings(given, strategy, options.section);
  const journal = new Journal([], { store: forgetfulStore('lab'), clock, crypto });
  const agent = new Agent({
    session: { journal, blobs: memoryBlobs(crypto) },
    // The window belongs to the session's model, even when another model writes the summaries.
    models: {
      initial: () => model.model,
      resolve: (_, purpose) => (purpose === 'turn' ? { ...model, window } : model),
    },
    workspace: { ...NO_WORKSPACE, trust: () => 'noFolder' },
    person: { approver: { ask: async () => ({ kind: 'deny' }) }, consent: async () => 'compact' },
    settings: () => DEFAULT_AGENT_SETTINGS,
    compaction: { settings: () => settings, registry, windows: new LearnedWindows(forgetfulMemory(), clock) },
    system: { clock, timers, crypto, log: ignore },
    events: { onTurn: ignore, onProgress: ignore, onCompaction: options.onCompaction ?? ignore },
    tools: [],
  });
  const nonce = 'lab0';
  await journal.append({ type: 'session', format: 1, id: 'lab', workspace: null, engine: 'palimpsest-lab', nonce });
  // Without it nothing that the model reports of its cache would count.
  await agent.configure(model.model);
  return agent;
}
