/**
 * From a request to a proposal: the strategy, once more with half the target when it left too much, then the ladder. It
 * decides nothing about consent and writes nothing: a preview is a proposal that is not committed.
 */

import type { CompactionStrategy, ContextMessage } from '../../../api/index.ts';
import type { ContextItem } from '../../context/item.ts';
import type { Message } from '../../context/message.ts';
import type { LedgerReport, Trigger } from '../../journal/entry.ts';
import type { BlobStore, Timers } from '../../ports.ts';
import type { MeterReading } from '../../tokens/meter.ts';
import { type AttemptOutcome, runStrategy } from '../run/runStrategy.ts';
import { openRun } from '../run/strategyContext.ts';
import type { Summariser } from '../run/summarise.ts';
import { fixedMessages, leastTokens } from '../when/fixed.ts';
import { historyRoom, type Limits } from '../when/limits.ts';
import { type Candidate, keepAll } from './candidate.ts';
import { cutGiant } from './cutGiant.ts';
import type { OffloadSettings } from './keepingSettings.ts';
import { keepUsers } from './keepUsers.ts';
import { dropOldest, hideAt, hideResults, type LadderStep } from './ladder.ts';
import { offloadHidden } from './offload.ts';
import { makePlan, type PlanFacts } from './plan.ts';
import { validateCandidate } from './validate.ts';
import { verifyCandidate } from './verify.ts';

export interface ProposalFacts {
  readonly trigger: Trigger;
  readonly instructions?: string;
  readonly history: readonly ContextMessage[];
  /** Indices of its protected messages, in order. */
  readonly guarded: readonly number[];
  readonly items: readonly ContextItem[];
  /** Uncalibrated tokens of the whole history. */
  readonly total: number;
  readonly original: (id: string) => Message;
  readonly reading: MeterReading;
  /** Uncalibrated. */
  readonly header: number;
  readonly limits: Limits;
  readonly window: number;
  readonly reserve: number;
  readonly nonce: string;
  readonly now: number;
  readonly llm: Summariser;
  readonly deadlineMs: number;
  readonly timers: Timers;
  readonly report: (text: string, fraction?: number) => void;
  readonly blobs: BlobStore;
  readonly offload: OffloadSettings;
  /** B10: tokens of a person's own messages that stay word for word; 0 leaves them to the strategy. */
  readonly keepUserTokens: number;
  /** 0 switches verification off. */
  readonly ledgerTokens: number;
}

export interface ProposalRequest extends ProposalFacts {
  readonly strategy: CompactionStrategy;
  /** Aborted when the strategy's extension takes it away. */
  readonly gone?: AbortSignal;
}

export interface Proposal {
  readonly candidate: Candidate;
  readonly plan: PlanFacts;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly attempt: number;
  readonly repairs: readonly string[];
  readonly verification: LedgerReport | null;
  /** What made it: the strategy, or the ladder when the strategy had nothing to give. */
  readonly by: 'strategy' | 'ladder';
}

export interface Failure {
  readonly kind: 'failed';
  readonly reason: string;
  readonly by: 'strategy' | 'model';
}

export type ProposalOutcome =
  /** `failure`: the strategy failed and the ladder stepped in. */
  | { readonly kind: 'proposal'; readonly proposal: Proposal; readonly failure: Failure | null }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'aborted' }
  | Failure
  /** Nothing fits: the smallest found is still above the hard limit. */
  | { readonly kind: 'stuck'; readonly tokens: number; readonly failure: Failure | null };

interface Best {
  readonly candidate: Candidate;
  readonly plan: PlanFacts;
  readonly tokensAfter: number;
  readonly attempt: number;
  readonly repairs: readonly string[];
}

export async function propose(request: ProposalRequest, signal: AbortSignal): Promise<ProposalOutcome> {
  const { limits, reading } = request;
  const least = leastTokens(request);
  // Whatever a strategy did, it would not fit: no model is asked for what cannot help.
  if (least >= limits.hard) return { kind: 'stuck', tokens: least, failure: null };
  const first = await attempt(request, 1, limits.target, signal);
  if (first.kind === 'aborted') return first;
  let best = first.kind === 'valid' ? measure(request, first, 1) : null;
  const failure = first.kind === 'failed' ? first : tooLarge(best, request);
  if (failure) best = null;
  const tooMuch = best ? best.tokensAfter >= limits.soft : first.kind === 'unchanged' && reading.tokens >= limits.hard;
  if (tooMuch) {
    const second = await attempt(request, 2, limits.target / 2, signal);
    if (second.kind === 'aborted') return second;
    const better = second.kind === 'valid' ? measure(request, second, 2) : null;
    if (better && better.tokensAfter < (best?.tokensAfter ?? reading.tokens)) best = better;
  }
  const by = best ? 'strategy' : 'ladder';
  // By hand only the strategy itself is asked for: when it fails, the context stays as it was (C6).
  const wanted = best?.tokensAfter ?? reading.tokens;
  if (wanted >= limits.soft || wanted >= limits.hard) best = climbDown(request, best) ?? best;
  const left = best?.tokensAfter ?? reading.tokens;
  if (left >= limits.hard) return { kind: 'stuck', tokens: left, failure: failure ?? null };
  if (!best) return failure ?? { kind: 'unchanged' };
  return { kind: 'proposal', proposal: await finish(request, best, by), failure: failure ?? null };
}

/** The oldest rounds behind a note, down to `target` uncalibrated tokens; null when nothing may go. */
export async function proposeDrop(request: ProposalFacts, target: number): Promise<Proposal | null> {
  const step = dropOldest(keepAll(request.history), target, request);
  const best = step && take(request, step, null);
  return best ? finish(request, best, 'ladder') : null;
}

/** C12: the results at `expired` behind stubs, nothing else; null when that would save nothing. */
export async function proposeExpiry(request: ProposalFacts, expired: readonly number[]): Promise<Proposal | null> {
  const candidate = hideAt(keepAll(request.history), new Set(expired), request);
  const step = { candidate, done: `${expired.length} ephemeral tool results expired.` };
  const best = take(request, step, null);
  return best ? finish(request, best, 'ladder') : null;
}

/** Offload and verification come last, on what is about to be committed; a ledger that would not fit is left out. */
async function finish(request: ProposalFacts, best: Best, by: Proposal['by']): Promise<Proposal> {
  const { blobs, nonce, now, history, items, ledgerTokens, limits, reading } = request;
  const kept = keepUsers(history, best.candidate, request.keepUserTokens);
  const candidate = await offloadHidden(kept, items, request.offload, { blobs, nonce, now });
  const verified = ledgerTokens > 0 ? verifyCandidate(history, candidate, ledgerTokens) : null;
  for (const [chosen, verification] of [
    [verified?.candidate, verified?.report],
    [candidate, null],
    [best.candidate, null],
  ] as const) {
    if (!chosen) continue;
    const plan = makePlan(history, chosen, request);
    const after = tokensAfter(request, plan);
    const fits = after < limits.hard && plan.tokens.after < plan.tokens.before;
    if (!fits || validateCandidate(history, chosen, fixedMessages(request)).kind === 'invalid') continue;
    const { attempt, repairs } = best;
    return {
      candidate: chosen,
      plan,
      tokensBefore: reading.tokens,
      tokensAfter: after,
      attempt,
      repairs,
      verification: verification ?? null,
      by,
    };
  }
  return { ...best, tokensBefore: reading.tokens, verification: null, by };
}

const NEVER = new AbortController().signal;

async function attempt(
  request: ProposalRequest,
  number: number,
  target: number,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const controller = new AbortController();
  const run = openRun(
    {
      history: request.history,
      tokenCount: request.reading.tokens,
      window: request.window,
      reserved: request.reserve,
      target: Math.max(1, Math.floor(target)),
      attempt: number,
      trigger: request.trigger,
      ...(request.instructions !== undefined ? { instructions: request.instructions } : {}),
    },
    {
      llm: request.llm,
      nonce: request.nonce,
      now: request.now,
      signal: controller.signal,
      report: request.report,
    },
  );
  const { deadlineMs, timers, gone = NEVER } = request;
  return runStrategy(request.strategy, run, request.history, request.guarded, {
    deadlineMs,
    timers,
    controller,
    signal,
    gone,
  });
}

function measure(
  request: ProposalRequest,
  { candidate, repairs }: { readonly candidate: Candidate; readonly repairs: readonly string[] },
  attemptNumber: number,
): Best {
  const plan = makePlan(request.history, candidate, request);
  return { candidate, plan, repairs, attempt: attemptNumber, tokensAfter: tokensAfter(request, plan) };
}

function tokensAfter({ reading }: ProposalFacts, { tokens }: PlanFacts): number {
  return Math.max(0, reading.tokens - Math.round(reading.factor * (tokens.before - tokens.after)));
}

/** Strictly fewer tokens, or it is no compaction. */
function tooLarge(best: Best | null, { reading }: ProposalRequest): Failure | null {
  if (!best || best.plan.tokens.after < best.plan.tokens.before) return null;
  const { before, after } = best.plan.tokens;
  const factor = (tokens: number) => Math.round(tokens * reading.factor);
  return {
    kind: 'failed',
    by: 'strategy',
    reason: `its result is not smaller (${factor(before)} tokens before, ${factor(after)} after)`,
  };
}

/** Estimates differ a little from what the plan comes to: aim below the limit. */
const MARGIN = 0.95;
/** Giants that are cut one after the other: as many as one answer may bring at once. */
const MOST_CUTS = 32;

/** Hiding down to the soft limit; dropping and cutting only for the hard one, because they take more away. */
function climbDown(request: ProposalRequest, from: Best | null): Best | null {
  const { limits, reading, total } = request;
  let best = from;
  const step = (limit: number, go: (candidate: Candidate, target: number) => LadderStep | null) => {
    if ((best?.tokensAfter ?? reading.tokens) < limit) return;
    const room = historyRoom(limit, reading, total) * MARGIN;
    const made = go(best?.candidate ?? keepAll(request.history), room);
    if (made) best = take(request, made, best) ?? best;
  };
  step(limits.soft, (candidate, target) => hideResults(candidate, Math.min(target, limits.target), request));
  step(limits.hard, (candidate, target) => dropOldest(candidate, target, request));
  step(limits.hard, (candidate, target) => hideResults(candidate, target, request, true));
  for (let cuts = 0; cuts < MOST_CUTS; cuts++)
    step(limits.hard, (candidate, target) => cutGiant(candidate, target, request));
  return best;
}

function take(request: ProposalFacts, step: LadderStep, from: Best | null): Best | null {
  const plan = makePlan(request.history, step.candidate, request);
  if (plan.tokens.after >= (from?.plan.tokens.after ?? plan.tokens.before)) return null;
  return {
    candidate: step.candidate,
    plan,
    tokensAfter: tokensAfter(request, plan),
    attempt: from?.attempt ?? 1,
    repairs: [...(from?.repairs ?? []), step.done],
  };
}
