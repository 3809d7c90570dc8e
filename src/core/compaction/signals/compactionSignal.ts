/**
 * The compactor's reports during and after its work. Transient: durable facts are in the journal. Only
 * `contextCompacted` contains text of the session, and it stays inside the product.
 */

import type { CompactionEvent, CompactionPhase, CompactionReason, CompactionStart } from '../../../api/index.ts';
import type { ModelError } from '../../errors.ts';
import type { CompactionEntry, Trigger } from '../../journal/entry.ts';
import type { ExpectedPrompt } from '../../model/modelClient.ts';
import type { MeterReading } from '../../tokens/meter.ts';
import { type Words, words } from '../../words.ts';
import type { PreparedRun } from '../prepareRun.ts';
import { requestTokens } from '../when/triggers.ts';

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
  /** A run announced by `preCompact` had no result. */
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

/** The current activity, for a line in the panel; null when idle. */
export type CompactionProgress = { readonly text: string; readonly fraction: number | null } | null;

/**
 * The interface between the agent loop and the compactor: when it asks, and what it gets. The loop never looks at a
 * strategy, and the compactor never calls the model for a turn.
 */
export type CompactionOutcome =
  /** Nothing was due or possible, or compaction is on hold. */
  | { readonly kind: 'none'; readonly reason: Words }
  | { readonly kind: 'compacted'; readonly entry: CompactionEntry }
  /** The person declined: the turn continues, or a new session was requested. `declined`: the strategy, by its id. */
  | { readonly kind: 'refused'; readonly choice: 'newSession' | 'notNow'; readonly declined?: string }
  /** The context is unchanged; `reason` can be shown. */
  | { readonly kind: 'failed'; readonly reason: Words }
  /** Everything was tried and it still does not fit; the turn must stop with the numbers in `reason`. */
  | { readonly kind: 'stuck'; readonly reason: Words };

export const none = (reason: Words): Extract<CompactionOutcome, { kind: 'none' }> => ({ kind: 'none', reason });

export const STOPPED = words('The compaction was stopped.');

export interface CompactionRequest {
  readonly trigger: Trigger;
  /** The person's instructions (`/compact [instructions]`). */
  readonly instructions?: string | undefined;
  readonly early?: CompactionEntry['early'];
}

/** All calls are made at quiescent points: every tool call has its result. */
export interface TurnCompaction {
  /** The expected token count of the next request. */
  readonly expected: ExpectedPrompt;
  /** Call when a turn begins: resets the count of recoveries. */
  beginTurn(): void;
  /** Call before a message of `tokens` (uncalibrated estimate) is appended. */
  beforeMessage(tokens: number, signal: AbortSignal): Promise<CompactionOutcome>;
  /** Call before a request: checks the last usage, later messages, and a safety margin. */
  beforeCall(signal: AbortSignal): Promise<CompactionOutcome>;
  /** Call after a response whose usage was just appended. */
  afterResponse(signal: AbortSignal): Promise<CompactionOutcome>;
  /** Interprets a refusal, given the size of the refused request. */
  settle(error: ModelError): ModelError;
  /** Call after the provider refused a request as too long; `learnedWindow` in tokens if it named one. */
  afterOverflow(learnedWindow: number | undefined, signal: AbortSignal): Promise<CompactionOutcome>;
  compact(request: CompactionRequest, signal: AbortSignal): Promise<CompactionOutcome>;
}

/**
 * Reports the phases of a run as events (`emitMetaEvents`): the selective part from the start, the summary from the
 * first request to a model. The figures are those of the draft if the run ended there.
 */
type PhaseSignal = Extract<CompactionSignal, { type: 'phase' }>;

export class PhaseEvents {
  readonly #emit: ((event: CompactionSignal) => void) | null;
  readonly #run: Pick<PhaseSignal, 'strategy' | 'trigger'>;
  readonly #reading: MeterReading;
  readonly #history: number;
  /** Uncalibrated tokens of the history at this point of the run. */
  #left: number;
  /** Tokens of the whole request when the current phase began. */
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

  /** Call when the run has reduced the history to this many uncalibrated tokens. */
  readonly onReached = (historyTokens: number): void => {
    this.#left = Math.min(this.#left, historyTokens);
  };

  /** Call when a model is asked. */
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

/** Null for other signals than phases. */
export function toPublicPhase(signal: CompactionSignal): CompactionPhase | null {
  if (signal.type !== 'phase') return null;
  const { strategy, trigger, phase, tokensBefore, tokensAfter } = signal;
  return { strategy, trigger, phase, tokensBefore, tokensAfter };
}

/** Null for other signals than starts. */
export function toPublicStart(signal: CompactionSignal): CompactionStart | null {
  if (signal.type !== 'preCompact') return null;
  const { strategy, trigger, tokens, window } = signal;
  return { strategy, trigger, tokensBefore: tokens, maxContextSize: window };
}

/** Null for signals that are not published after a compaction. */
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
