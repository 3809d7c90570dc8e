/**
 * A compactor over a journal in memory, with a scripted summary model and timers that tests fire by hand. Histories are
 * short lists: `user('…')`, `calls(['read', 'result'], …)`, `says('…')`.
 */

import { vi } from 'vitest';
import type { CompactorPorts } from '../../src/core/compaction/compactor.ts';
import { StrategyRegistry } from '../../src/core/compaction/hosting/registry.ts';
import {
  type CompactionSettings,
  readCompactionSettings,
} from '../../src/core/compaction/settings/compactionSettings.ts';
import type { CompactionSignal } from '../../src/core/compaction/signals/compactionSignal.ts';
import type { ConsentAnswer, ConsentFigures, ConsentQuestion } from '../../src/core/compaction/signals/consent.ts';
import type { Message, Usage, UserKind } from '../../src/core/context/message.ts';
import type { BlobStore } from '../../src/core/journal/blobStore.ts';
import type { Journal } from '../../src/core/journal/journal.ts';
import type { ModelChoice } from '../../src/core/model/modelChoice.ts';
import type { Price } from '../../src/core/money.ts';
import { estimateMessage } from '../../src/core/tokens/estimate.ts';
import { forgetfulMemory, LearnedWindows, type WindowMemory } from '../../src/core/tokens/learnedWindows.ts';
import { memoryBlobs, memoryJournal } from './ports/memoryStore.ts';
import { testCrypto } from './ports/nodeCrypto.ts';
import { ScriptedModel, type Step } from './ports/scriptedModel.ts';
import { type TestClock, testClock } from './ports/testClock.ts';
import { createSpokenCompactor, type SpokenCompactor } from './spokenCompactor.ts';

export type Line = readonly Message[];

export const user = (text: string, kind: UserKind = 'user'): Line => [{ role: 'user', kind, text }];
export const says = (text: string): Line => [{ role: 'assistant', text }];

let nextCall = 0;
/** One assistant message with a call for each pair, and the results. */
export function calls(...pairs: readonly (readonly [tool: string, result: string, input?: unknown])[]): Line {
  const made = pairs.map(([name, text, input]) => ({ id: `t${nextCall++}`, name, text, input: input ?? {} }));
  return [
    {
      role: 'assistant',
      text: '',
      toolCalls: made.map(({ id, name, input }) => ({ id, name, arguments: JSON.stringify(input) })),
    },
    ...made.map(({ id, name, text }): Message => ({ role: 'tool', toolCallId: id, toolName: name, text })),
  ];
}

/** `count` calls whose results have about `tokens` tokens. */
export function reads(count: number, tokens = 200): Line[] {
  return Array.from({ length: count }, () => calls(['read_file', words(tokens)]));
}

/** A call of which only the newest result matters. */
export function looks(result: string): Line {
  return calls(['look', result]).map((m) => (m.role === 'tool' ? { ...m, ephemeral: { keepNewest: 1 } } : m));
}

/** Plain words of about `tokens` tokens. */
export const words = (tokens: number, word = 'word') => `${word} `.repeat(tokens).trim();

/** Two turns; in the first, seven files of about 200 tokens are read one by one. */
export const SEVEN_READS: readonly Line[] = [
  user('go'),
  ...Array.from({ length: 7 }, (_, i) => calls(['read_file', words(200, `r${i}`)])),
  says('ok'),
  user('and now?'),
  says('done'),
];

export interface HarnessOptions {
  readonly history?: readonly Line[];
  /** Settings below `palimpsest.compaction.`, as a person would set them. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly window?: number;
  readonly summaries?: readonly Step[];
  readonly consent?: readonly (ConsentAnswer | Promise<ConsentAnswer>)[];
  readonly registry?: StrategyRegistry;
  readonly clock?: TestClock;
  /** Lines that another harness left on its disk; `history` is added to it. */
  readonly resumed?: readonly string[];
  /** The memory of windows. */
  readonly windows?: WindowMemory;
  readonly maxOutputTokens?: number;
  /** Uncalibrated tokens of the header; 100 by default. */
  readonly header?: number;
  /** The model for summaries; the session's own by default. */
  readonly summaryModel?: ModelChoice;
  readonly namedModel?: CompactorPorts['namedModel'];
  /** Of the session's model. */
  readonly price?: Price;
}

export interface Harness {
  readonly journal: Journal;
  /** The lines on disk. */
  readonly lines: readonly string[];
  readonly compactor: SpokenCompactor;
  readonly model: ScriptedModel;
  readonly blobs: BlobStore;
  readonly clock: TestClock;
  readonly events: CompactionSignal[];
  readonly logs: string[];
  readonly progress: string[];
  /** Beside each text of `progress`. */
  readonly fractions: (number | null)[];
  readonly asked: number[];
  /** Beside each number of `asked`. */
  readonly figures: ConsentFigures[];
  /** The outlooks shown to the person with the questions. */
  readonly outlooks: ConsentQuestion['outlook'][];
  /** Waits until timers are set for at most `ms`, and runs them; by default all of them, deadlines included. */
  fireTimers(ms?: number): Promise<void>;
  add(...lines: readonly Line[]): Promise<void>;
  /** A model turn's usage, as the agent loop appends it. */
  used(usage: Partial<Usage>): Promise<void>;
  set(settings: Readonly<Record<string, unknown>>): void;
  setWindow(window: number): void;
  /** The model's view: one string for each item. */
  view(): string[];
}

export const settingsOf = (values: Readonly<Record<string, unknown>>, instead?: string): CompactionSettings => {
  const read = (key: string) => {
    const value = values[key.replace(/^compaction\./, '')];
    return { value, explicit: value !== undefined };
  };
  return readCompactionSettings(read, () => ({}), instead).settings;
};

export async function compactionHarness(options: HarnessOptions = {}): Promise<Harness> {
  const { maxOutputTokens } = options;
  const blobs = memoryBlobs();
  const clock = options.clock ?? testClock();
  const { journal, store } = await memoryJournal({ clock, lines: options.resumed ?? [] });
  const model = new ScriptedModel(options.summaries ?? []);
  const events: CompactionSignal[] = [];
  const logs: string[] = [];
  const progress: string[] = [];
  const fractions: (number | null)[] = [];
  const asked: number[] = [];
  const figures: ConsentFigures[] = [];
  const outlooks: ConsentQuestion['outlook'][] = [];
  const answers = [...(options.consent ?? [])];
  const timers = new Set<{ readonly ms: number; readonly fire: () => void }>();
  let window = options.window ?? 10_000;
  let values = options.settings ?? {};
  let settings = settingsOf(values);
  const priced = options.price ? { price: options.price } : {};
  const ports: CompactorPorts = {
    journal,
    model: () => ({ client: model, model: 'test', window, ...(maxOutputTokens ? { maxOutputTokens } : {}), ...priced }),
    summaryModel: () => options.summaryModel ?? null,
    ...(options.namedModel ? { namedModel: options.namedModel } : {}),
    settings: (instead) => (instead ? settingsOf(values, instead) : settings),
    registry: options.registry ?? new StrategyRegistry(),
    clock,
    timers: {
      after: (ms, fire) => {
        // Letting others work is no waiting.
        if (ms === 0) setImmediate(fire);
        if (ms === 0) return () => undefined;
        const timer = { ms, fire };
        timers.add(timer);
        return () => timers.delete(timer);
      },
    },
    crypto: testCrypto(),
    log: (level, text) => logs.push(`${level} ${text}`),
    consent: async ({ strategy: _, outlook, ...compared }) => {
      outlooks.push(outlook);
      asked.push(compared.tokens);
      figures.push(compared);
      const answer = answers.shift();
      if (!answer) throw new Error('Nobody answers this question');
      return answer;
    },
    blobs,
    windows: new LearnedWindows(options.windows ?? forgetfulMemory(), clock),
    mayCost: () => true,
    onProgress: (step) => {
      if (!step) return;
      progress.push(step.text);
      fractions.push(step.fraction);
    },
    onEvent: (event) => events.push(event),
  };
  const add = async (...lines: readonly Line[]) => {
    for (const message of lines.flat()) {
      await journal.append({ type: 'message', message, tokens: estimateMessage(message) });
    }
  };
  if (!options.resumed) await journal.append({ type: 'header', items: [], tools: [], tokens: options.header ?? 100 });
  await add(...(options.history ?? []));
  return {
    journal,
    lines: store.lines,
    compactor: createSpokenCompactor(ports),
    model,
    blobs,
    clock,
    events,
    logs,
    progress,
    fractions,
    asked,
    figures,
    outlooks,
    fireTimers: async (most = Number.POSITIVE_INFINITY) => {
      const due = () => [...timers].filter(({ ms }) => ms <= most);
      await vi.waitUntil(() => due().length > 0, { timeout: 60_000, interval: 1 });
      for (const timer of due()) timer.fire();
    },
    add,
    used: async (usage) => {
      const whole = { input: 0, cached: 0, output: 0, reasoning: 0, ...usage };
      await journal.append({ type: 'usage', model: 'test', usage: whole });
    },
    set: (changed) => {
      values = changed;
      settings = settingsOf(values);
    },
    setWindow: (tokens) => {
      window = tokens;
    },
    view: () => journal.context.conversation.map(({ message }) => `${message.role}: ${message.text}`),
  };
}

/** Never aborted. */
export const going = new AbortController().signal;
