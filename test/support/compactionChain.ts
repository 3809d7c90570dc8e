/**
 * Chains of compactions without storage: the projection alone folds the entries, so that many thousands run in seconds.
 * Its own validator, written from the providers' rules, checks the lowered request.
 */

import { HistoryView } from '../../src/core/compaction/draft/history.ts';
import { toPlan } from '../../src/core/compaction/draft/toPlan.ts';
import { ownSteps } from '../../src/core/compaction/ownSteps.ts';
import { type Proposal, type ProposalOutcome, propose } from '../../src/core/compaction/propose.ts';
import type { StrategyEntry } from '../../src/core/compaction/run/strategyEntry.ts';
import { StrategyHost } from '../../src/core/compaction/run/strategyHost.ts';
import type { Summariser } from '../../src/core/compaction/run/summarise.ts';
import { type CompactionSettings, readCompactionSettings } from '../../src/core/compaction/settings.ts';
import { computeLimits } from '../../src/core/compaction/when/limits.ts';
import type { Message } from '../../src/core/context/message.ts';
import { Projection } from '../../src/core/context/projection.ts';
import { ToldError } from '../../src/core/errors.ts';
import type { CompactionEntry, EntryDraft, TreeEntry } from '../../src/core/journal/entry.ts';
import type { ChatMessage } from '../../src/core/ports.ts';
import { estimateMessage } from '../../src/core/tokens/estimate.ts';
import type { MeterReading } from '../../src/core/tokens/meter.ts';
import { memoryBlobs } from './ports/memoryStore.ts';

const NONCE = 'f00d';
const START = Date.UTC(2026, 0, 1, 12);
const never = new AbortController().signal;
const blobs = memoryBlobs();

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
export function answering(text: string, maxInputTokens = 4_000): Summariser {
  return {
    maxInputTokens,
    model: 'test',
    usage: () => ({ input: 1, cached: 0, output: 1, reasoning: 0 }),
    failure: () => null,
    complete: async () => ({ text, truncated: false }),
  };
}

export class Chain {
  readonly context = new Projection();
  readonly #history = new HistoryView();
  readonly #host = new StrategyHost(() => undefined);
  #seq = 0;

  constructor(messages: readonly Message[]) {
    this.#apply({ type: 'header', items: [], tools: [], tokens: 50 });
    this.add(messages);
  }

  add(messages: readonly Message[]): void {
    for (const message of messages) this.#apply({ type: 'message', message, tokens: estimateMessage(message) });
  }

  pin(id: string): void {
    this.#apply({ type: 'pinned', ids: this.context.blockOf(id) });
  }

  undo(target: number): void {
    this.#apply({ type: 'compactionUndone', target });
  }

  async propose(
    entry: StrategyEntry,
    options: {
      readonly window?: number;
      readonly automatic?: boolean;
      readonly llm?: Summariser;
      readonly keepUserTokens?: number;
      /** Reported tokens for each estimated token, and what the provider adds unseen. */
      readonly factor?: number;
      readonly overhead?: number;
    } = {},
  ): Promise<ProposalOutcome> {
    const hosted = this.#host.use(entry);
    if (hosted.kind === 'broken') throw new ToldError(hosted.reason);
    const settings = defaultsOf(entry.id);
    const original = (id: string) => this.context.slot(id)?.message as Message;
    const history = this.#history.of(this.context.conversation, original);
    const llm = options.llm ?? answering('notes of what was');
    const { factor = 1, overhead = 0, window = 0, automatic = false } = options;
    const tokens = Math.round(factor * (history.tokens + 50)) + overhead;
    const reading: MeterReading = { tokens, reported: null, appended: tokens, factor };
    const limits = computeLimits({
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
    });
    const finishing = {
      blobs,
      offload: settings.offload,
      keepUserTokens: options.keepUserTokens ?? 0,
      ledgerTokens: settings.verify.ledgerTokens,
    };
    const lease = {
      strategy: hosted.strategy,
      protectedTools: settings.keep.protectedTools,
      trigger: automatic ? 'threshold' : 'manual',
      window,
      reserve: 0,
      llm,
      report: () => undefined,
      deadlineMs: 1_000,
      timers: { after: () => () => undefined },
      gone: never,
    };
    const stamp = { nonce: NONCE, now: START, commandLines: this.#seq % 3 };
    // Some runs of each chain fall into a cool-down.
    const start = { history, budget: { reading, limits }, stamp, finishing };
    const own = ownSteps(
      entry,
      settings.section,
      { history: history.messages, maxContextSize: window },
      this.#seq % 4 === 0,
    );
    this.#host.open(llm, settings.section);
    try {
      return await propose(start, lease, own, never);
    } finally {
      this.#host.close();
    }
  }

  commit(proposal: Proposal): CompactionEntry {
    const { tokensBefore, tokensAfter, attempt } = proposal;
    const base = this.context.head ?? 0;
    const plan = toPlan(proposal.draft);
    const facts = { strategy: 'x', trigger: 'manual', tokensBefore, tokensAfter, attempt, durationMs: 0 } as const;
    return this.#apply({ type: 'compaction', base, plan, ...facts }) as CompactionEntry;
  }

  #apply(draft: EntryDraft): TreeEntry {
    const seq = this.#seq++;
    const time = new Date(START + seq).toISOString();
    const entry = { ...draft, seq, time, parent: this.context.head } as TreeEntry;
    const refusal = this.context.refusalOf(entry);
    if (refusal !== null) throw new ToldError(refusal);
    this.context.apply(entry);
    return entry;
  }
}

/** What providers refuse in a request; null when they would accept it. */
export function refuseRequest(messages: readonly ChatMessage[]): string | null {
  const seen = new Set<string>();
  let open: string[] = [];
  for (const [i, message] of messages.entries()) {
    const texts = [
      message.text,
      ...(message.role === 'assistant' ? (message.toolCalls ?? []).map((c) => c.arguments) : []),
    ];
    if (!texts.every((text) => text.isWellFormed())) return `message ${i} is not well-formed Unicode`;
    if (message.role === 'tool') {
      if (!open.includes(message.toolCallId)) return `message ${i} answers no open call`;
      open = open.filter((id) => id !== message.toolCallId);
      continue;
    }
    if (open.length) return `message ${i} comes before the answer to ${open.join()}`;
    if (message.role === 'system' && i > 0) return `message ${i} is a late system message`;
    if (message.role !== 'assistant') continue;
    if (message.text === '' && !message.toolCalls?.length) return `message ${i} is empty`;
    for (const { id, arguments: json } of message.toolCalls ?? []) {
      if (seen.has(id)) return `the call ${id} is there twice`;
      seen.add(id);
      open.push(id);
      JSON.parse(json);
    }
  }
  return open.length ? `the calls ${open.join()} are not answered` : null;
}
