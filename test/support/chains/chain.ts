/**
 * Chains of compactions over a real journal without storage, so that many thousands run in minutes: compactions, and what
 * a person does between them, which is undo, redo, pin, going back and coming forward again, and redaction.
 */

import type { SummaryModel } from '../../../src/api/index.ts';
import { Draft } from '../../../src/core/compaction/draft/draft.ts';
import { expireResults } from '../../../src/core/compaction/draft/hideResults.ts';
import { type History, HistoryView } from '../../../src/core/compaction/draft/history.ts';
import { pathFacts } from '../../../src/core/compaction/draft/sessionFacts.ts';
import { toPlan } from '../../../src/core/compaction/draft/toPlan.ts';
import { StrategyHost } from '../../../src/core/compaction/hosting/strategyHost.ts';
import type { Proposal, ProposalOutcome } from '../../../src/core/compaction/proposal/proposal.ts';
import type { Start } from '../../../src/core/compaction/proposal/start.ts';
import { compactorSteps } from '../../../src/core/compaction/run/compactorSteps.ts';
import { proposeOwn } from '../../../src/core/compaction/run/finish.ts';
import { propose } from '../../../src/core/compaction/run/propose.ts';
import {
  type CompactionSettings,
  readCompactionSettings,
} from '../../../src/core/compaction/settings/compactionSettings.ts';
import type { StrategyEntry } from '../../../src/core/compaction/strategies/strategyEntry.ts';
import { findExpired } from '../../../src/core/compaction/trigger/expiredResults.ts';
import { computeLimits } from '../../../src/core/compaction/trigger/limits.ts';
import type { Message } from '../../../src/core/context/message.ts';
import type { Projection } from '../../../src/core/context/projection.ts';
import { UserFacingError } from '../../../src/core/errors.ts';
import type { CompactionEntry, Entry, EntryDraft } from '../../../src/core/journal/entry.ts';
import { Journal } from '../../../src/core/journal/journal.ts';
import type { JournalStore } from '../../../src/core/journal/journalStore.ts';
import { redactEntry } from '../../../src/core/journal/redactEntry.ts';
import { recordEntries } from '../../../src/core/sessions/importRecorded.ts';
import { newImportReport, type Recorded } from '../../../src/core/sessions/recorded.ts';
import { estimateMessage } from '../../../src/core/tokens/estimate.ts';
import type { MeterReading } from '../../../src/core/tokens/meter.ts';
import { NO_MEMORY } from '../noMemory.ts';
import { memoryBlobs } from '../ports/memoryStore.ts';
import { testCrypto } from '../ports/nodeCrypto.ts';
import { testClock } from '../ports/testClock.ts';

const NONCE = 'f00d';
const START = Date.UTC(2026, 0, 1, 12);
const never = new AbortController().signal;
const crypto = testCrypto();
export const blobs = memoryBlobs(crypto);
/** Keeps nothing: what counts is what the journal folds. */
const nowhere: JournalStore = {
  name: 'nowhere',
  readOnly: null,
  unwritten: 0,
  append: async () => undefined,
  sync: async () => undefined,
  close: async () => undefined,
};

const SETTINGS = new Map<string, CompactionSettings>();

/** The settings with `strategy` when a person has set nothing else. */
export function defaultsOf(strategy: string): CompactionSettings {
  const known = SETTINGS.get(strategy);
  if (known) return known;
  const made = readCompactionSettings(
    () => ({ value: undefined, explicit: false }),
    () => ({}),
    strategy,
  ).settings;
  SETTINGS.set(strategy, made);
  return made;
}

/** Answers every question with `text`. */
export function answering(text: string, maxInputTokens = 4_000): SummaryModel {
  return { maxInputTokens, complete: async () => ({ text, truncated: false }) };
}

export class Chain {
  readonly journal = new Journal([], { store: nowhere, clock: testClock(START), crypto });
  readonly #history = new HistoryView();
  readonly #host = new StrategyHost(() => undefined);
  /** Where nothing was unanswered: a person can go back to these. */
  readonly #stops: number[] = [];

  constructor(messages: readonly Message[]) {
    this.#append({ type: 'session', format: 1, id: 'chain', workspace: null, engine: 'test', nonce: NONCE });
    this.#append({ type: 'header', items: [], tools: [], tokens: 50 });
    this.add(messages);
  }

  /** A chain that begins with what another program recorded. */
  static async imported(recorded: readonly Recorded[]): Promise<Chain> {
    const chain = new Chain([]);
    const all = async function* () {
      yield* recorded;
    };
    await recordEntries(all(), newImportReport(), async () => chain.journal);
    chain.#append({ type: 'opened', writer: 'import', imported: true });
    chain.#stop();
    return chain;
  }

  get context(): Projection {
    return this.journal.context;
  }

  add(messages: readonly Message[]): void {
    for (const message of messages) this.#append({ type: 'message', message, tokens: estimateMessage(message) });
    this.#stop();
  }

  pin(id: string): void {
    this.#append({ type: 'pinned', ids: this.context.blockOf(id) });
  }

  undo(target: number): void {
    this.#append({ type: 'compactionUndone', target });
  }

  /** Undoes the newest compaction, or does again what was undone last. False when there is none. */
  step(back: boolean): boolean {
    const { activeCompactions, undoneCompactions } = this.context;
    const target = (back ? activeCompactions : undoneCompactions).at(-1)?.seq;
    if (target === undefined) return false;
    this.#append({ type: back ? 'compactionUndone' : 'compactionRedone', target });
    return true;
  }

  /** To any place where the conversation stood still, on any branch. */
  travel(to: number): void {
    const target = this.#stops[to % this.#stops.length];
    if (target !== undefined && target !== this.journal.head) this.#append({ type: 'revert', target, cause: 'user' });
  }

  /** Hides results that tools no longer want, as the compactor does before a request. */
  async expire(): Promise<CompactionEntry | null> {
    const { history } = this;
    const expired = findExpired(this.context.conversation, null);
    if (expired.length === 0) return null;
    const start = this.#startOf(history, defaultsOf('llm-summary'), { automatic: true });
    const proposal = await proposeOwn(start, expireResults(Draft.of(history), expired, start.stamp));
    return proposal && this.commit(proposal);
  }

  /** The journal read again; with `secret`, a copy from which it was taken. */
  reread(secret: string | null): Journal {
    const clean = (entry: Entry) => (secret === null ? entry : redactEntry(entry, [secret], new Map()).entry);
    return new Journal(this.journal.entries.map(clean), { store: nowhere, clock: testClock(START), crypto });
  }

  get history(): History {
    return this.#history.of(this.context.conversation, (id) => this.context.slot(id)?.message as Message);
  }

  async propose(entry: StrategyEntry, options: RunOptions = {}): Promise<ProposalOutcome> {
    const hosted = this.#host.use(entry);
    if (hosted.kind === 'broken') throw new UserFacingError(hosted.reason);
    const settings = defaultsOf(entry.id);
    const { llm = answering('notes of what was'), window = 0, automatic = false } = options;
    const start = this.#startOf(this.history, settings, options);
    const call = {
      protectedTools: settings.keep.protectedTools,
      trigger: automatic ? 'threshold' : 'manual',
      window,
      reserve: 0,
      memory: NO_MEMORY,
      sectionOf: () => ({}),
      section: settings.section,
      llm,
      stamp: start.stamp,
      deadlineMs: 1_000,
      // Deadlines never come; who only lets others run goes on.
      timers: {
        after: (ms: number, fire: () => void) => {
          if (ms === 0) queueMicrotask(fire);
          return () => undefined;
        },
      },
    } as const;
    // Some runs of each chain fall into a cool-down.
    const whole = { history: this.history.messages, maxContextSize: window };
    const reads = (['all', 'newest', 'current'] as const)[this.journal.nextSeq % 3] ?? 'all';
    const own = compactorSteps(
      entry,
      { ...settings, keep: { ...settings.keep, reads } },
      whole,
      this.journal.nextSeq % 4 === 0,
    );
    return this.#host.run(entry, call, (run) => propose(start, run, own, never));
  }

  /** The inputs of a compaction with that strategy. */
  start(strategy: string, options: RunOptions = {}): Start {
    return this.#startOf(this.history, defaultsOf(strategy), options);
  }

  #startOf(history: History, settings: CompactionSettings, options: RunOptions): Start {
    const { factor = 1, overhead = 0, window = 0, automatic = false, keepUserTokens = 0 } = options;
    const tokens = Math.round(factor * (history.tokens + 50)) + overhead;
    const reading: MeterReading = { tokens, reported: null, appended: tokens, factor };
    const limits = computeLimits({
      mayFit: false,
      reading,
      history: history.tokens,
      window,
      answer: 0,
      least: 0,
      trigger: settings.trigger,
      targetRatio: settings.targetRatio,
      automatic,
      compared: tokens,
      fired: null,
      scale: 1,
      overflows: 0,
      gain: 1,
      mustFit: false,
    });
    const { offload, verify } = settings;
    return {
      history,
      budget: { reading, limits },
      stamp: { nonce: NONCE, now: START, commandLines: this.journal.nextSeq % 3 },
      finishing: {
        blobs,
        offload,
        keepUserTokens,
        ledgerTokens: verify.ledgerTokens,
        facts: () => pathFacts.at(this.journal.backward(this.context.head ?? 0), 0),
        ledgerOf: (seq) => this.context.activeCompaction(seq)?.verification?.added ?? [],
      },
    };
  }

  commit(proposal: Proposal): CompactionEntry {
    const { tokensBefore, tokensAfter, attempt } = proposal;
    const base = this.context.head ?? 0;
    const plan = toPlan(proposal.draft);
    const facts = { strategy: 'x', trigger: 'manual', tokensBefore, tokensAfter, attempt, durationMs: 0 } as const;
    const ledger = proposal.draft.ledger ? { verification: proposal.draft.ledger } : {};
    const entry = this.#append({ type: 'compaction', base, plan, ...facts, ...ledger }) as CompactionEntry;
    this.#stop();
    return entry;
  }

  #stop(): void {
    const { head } = this.journal;
    if (head !== null) this.#stops.push(head);
  }

  /** An entry is folded before its append is awaited; one that does not fit is not. */
  #append(draft: EntryDraft): Entry {
    const seq = this.journal.nextSeq;
    const appended = this.journal.append(draft);
    if (this.journal.nextSeq === seq) {
      appended.catch(() => undefined);
      throw new Error(`An entry does not fit: ${JSON.stringify(draft).slice(0, 300)}`);
    }
    return [...this.journal.newest(1)][0] as Entry;
  }
}

interface RunOptions {
  readonly window?: number;
  readonly automatic?: boolean;
  readonly llm?: SummaryModel;
  readonly keepUserTokens?: number;
  /** Reported tokens for each estimated token, and what the provider adds unseen. */
  readonly factor?: number;
  readonly overhead?: number;
}
