/**
 * What the compactor reports while it works and afterwards. Transient: what must last is in the journal. Only
 * `contextCompacted` holds text of the session, and it stays inside the product.
 */

import type { CompactionEvent, CompactionPhase, CompactionReason, CompactionStart } from '../../api/index.ts';
import type { ModelError } from '../errors.ts';
import type { CompactionEntry, Trigger } from '../journal/entry.ts';
import type { ExpectedPrompt } from '../ports.ts';
import type { MeterReading } from '../tokens/meter.ts';
import { type Words, words } from '../words.ts';
import type { PreparedRun } from './prepareRun.ts';
import { requestTokens } from './when/triggers.ts';

export type Cost = Pick<CompactionEvent, 'modelCalls' | 'promptTokens' | 'completionTokens'>;

export const NO_COST: Cost = { modelCalls: 0, promptTokens: 0, completionTokens: 0 };

export type CompactionSignal =
  | {
      readonly type: 'preCompact';
      readonly strategy: string;
      readonly trigger: Trigger;
      readonly tokens: number;
      /** Tokens of the window; 0 when unknown. */
      readonly window: number;
    }
  /** With `emitMetaEvents`: a phase of the run, with the tokens before and after it. */
  | {
      readonly type: 'phase';
      readonly strategy: string;
      readonly trigger: Trigger;
      readonly phase: 'selective_start' | 'selective_done' | 'summary_start' | 'summary_done';
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    }
  | {
      readonly type: 'compactionPerformed';
      readonly strategy: string;
      readonly trigger: Trigger;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly roundsCompacted: number;
      readonly durationMs: number;
      readonly cost: Cost;
    }
  | { readonly type: 'conversationReplaced'; readonly items: number }
  | {
      readonly type: 'contextCompacted';
      readonly entry: CompactionEntry;
      readonly summary: string;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly roundsCompacted: number;
      /** 0–1. */
      readonly savedRatio: number;
    }
  | {
      readonly type: 'compactionFailed';
      readonly strategy: string;
      readonly trigger: Trigger;
      readonly reason: string;
      readonly code: CompactionReason;
      readonly tokens: number;
      readonly durationMs: number;
      readonly cost: Cost;
    }
  /** A run that `preCompact` told of came to nothing. */
  | {
      readonly type: 'compactionUnchanged';
      readonly strategy: string;
      readonly trigger: Trigger;
      readonly code: CompactionReason;
      readonly tokens: number;
      readonly durationMs: number;
      readonly cost: Cost;
    }
  | {
      readonly type: 'compactionUndone';
      readonly strategy: string;
      readonly trigger: Trigger;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    };

/** What is being done now, for a line in the panel; null when nothing is. */
export type CompactionProgress = { readonly text: string; readonly fraction: number | null } | null;

/**
 * How the agent loop talks to the compactor: when it asks, and what comes back. The loop never looks at a strategy, the
 * compactor never calls the model for a turn.
 */
export type CompactionOutcome =
  /** Nothing was due or possible, or something holds it back. */
  | { readonly kind: 'none'; readonly reason: Words }
  | { readonly kind: 'compacted'; readonly entry: CompactionEntry }
  /** The person said no: the turn goes on, or a new session was asked for. */
  | { readonly kind: 'refused'; readonly choice: 'newSession' | 'notNow' }
  /** The context is as before; `reason` says why, in words that can be shown. */
  | { readonly kind: 'failed'; readonly reason: Words }
  /** Everything was tried and it still does not fit; the turn must stop with the numbers in `reason`. */
  | { readonly kind: 'stuck'; readonly reason: Words };

export const none = (reason: Words): Extract<CompactionOutcome, { kind: 'none' }> => ({ kind: 'none', reason });

export const STOPPED = words('The compaction was stopped.');

export interface CompactionRequest {
  readonly trigger: Trigger;
  /** What the person wants kept in mind (`/compact [instructions]`). */
  readonly instructions?: string | undefined;
  readonly early?: CompactionEntry['early'];
}

/** All calls are made at quiescent points: no tool call is unanswered. */
export interface TurnCompaction {
  /** What the next request should be counted as. */
  readonly expected: ExpectedPrompt;
  /** A turn begins: recoveries are counted from zero. */
  beginTurn(): void;
  /** Before a message of `tokens` (uncalibrated estimate) is appended. */
  beforeMessage(tokens: number, signal: AbortSignal): Promise<CompactionOutcome>;
  /** Before a request: the last usage, what came after it, and a safety margin. */
  beforeCall(signal: AbortSignal): Promise<CompactionOutcome>;
  /** After a response whose usage was just appended. */
  afterResponse(signal: AbortSignal): Promise<CompactionOutcome>;
  /** What a refusal means, now that the size of the refused request is known. */
  settle(error: ModelError): ModelError;
  /** After the provider said that the request was too long; `learnedWindow` in tokens where it named one. */
  afterOverflow(learnedWindow: number | undefined, signal: AbortSignal): Promise<CompactionOutcome>;
  compact(request: CompactionRequest, signal: AbortSignal): Promise<CompactionOutcome>;
}

/**
 * The phases of a run as events (`emitMetaEvents`): the selective part from the start, the summary from the first
 * question to a model. The figures are those of what would stand if the run ended there.
 */
type PhaseSignal = Extract<CompactionSignal, { type: 'phase' }>;

export class PhaseEvents {
  readonly #emit: ((event: CompactionSignal) => void) | null;
  readonly #run: Pick<PhaseSignal, 'strategy' | 'trigger'>;
  readonly #reading: MeterReading;
  readonly #history: number;
  /** Uncalibrated tokens of the history as far as the run has got. */
  #left: number;
  /** Tokens of the whole request when the phase under way began. */
  #before: number;
  #summarising = false;

  /** With `emit` null nothing is reported. */
  constructor(emit: ((event: CompactionSignal) => void) | null, { order, history, budget: { reading } }: PreparedRun) {
    this.#emit = emit;
    this.#run = { strategy: order.strategy, trigger: order.trigger };
    this.#reading = reading;
    this.#history = history.tokens;
    this.#left = history.tokens;
    this.#before = reading.tokens;
    this.#tell('selective_start', reading.tokens);
  }

  /** The run has got the history down to this many uncalibrated tokens. */
  readonly onReached = (historyTokens: number): void => {
    this.#left = Math.min(this.#left, historyTokens);
  };

  /** A model is asked. */
  readonly onQuestion = (): void => {
    if (this.#summarising) return;
    this.#summarising = true;
    const left = requestTokens(this.#reading, this.#history - this.#left);
    this.#tell('selective_done', left);
    this.#before = left;
    this.#tell('summary_start', left);
  };

  end(tokensAfter: number): void {
    this.#tell(this.#summarising ? 'summary_done' : 'selective_done', tokensAfter);
  }

  #tell(phase: PhaseSignal['phase'], tokensAfter: number): void {
    this.#emit?.({ type: 'phase', ...this.#run, phase, tokensBefore: this.#before, tokensAfter });
  }
}

/** Null for what is no phase. */
export function toPublicPhase(signal: CompactionSignal): CompactionPhase | null {
  if (signal.type !== 'phase') return null;
  const { strategy, trigger, phase, tokensBefore, tokensAfter } = signal;
  return { strategy, trigger, phase, tokensBefore, tokensAfter };
}

/** Null for what is no start. */
export function toPublicStart(signal: CompactionSignal): CompactionStart | null {
  if (signal.type !== 'preCompact') return null;
  const { strategy, trigger, tokens, window } = signal;
  return { strategy, trigger, tokensBefore: tokens, maxContextSize: window };
}

/** Null for what is not told when a compaction is over. */
export function toPublicEvent(signal: CompactionSignal): CompactionEvent | null {
  switch (signal.type) {
    case 'compactionPerformed': {
      const { strategy, trigger, tokensBefore, tokensAfter, roundsCompacted, durationMs, cost } = signal;
      const rounds = roundsCompacted > 0 ? { roundsCompacted } : {};
      return { kind: 'compacted', strategy, trigger, tokensBefore, tokensAfter, ...rounds, durationMs, ...cost };
    }
    case 'compactionFailed':
    case 'compactionUnchanged': {
      const { strategy, trigger, code: reason, tokens, durationMs, cost } = signal;
      const kind = signal.type === 'compactionFailed' ? 'failed' : 'unchanged';
      return { kind, strategy, trigger, reason, tokensBefore: tokens, tokensAfter: tokens, durationMs, ...cost };
    }
    case 'compactionUndone': {
      const { strategy, trigger, tokensBefore, tokensAfter } = signal;
      return { kind: 'undone', strategy, trigger, tokensBefore, tokensAfter, durationMs: 0, ...NO_COST };
    }
    case 'preCompact':
    case 'phase':
    case 'conversationReplaced':
    case 'contextCompacted':
      return null;
  }
}
