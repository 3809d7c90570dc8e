/**
 * From a history to a proposal: runs the strategy, repeats it with half the target if too much remains, then applies
 * the ladder and the additions to every compaction. It asks for no consent and writes nothing: a preview is a proposal
 * that is not committed.
 */

import { COOLING } from '../journal/entry.ts';
import { words } from '../words.ts';
import type { CompactorSteps } from './compactorSteps.ts';
import { historyRoom, requestTokens } from './draft/budget.ts';
import { Draft } from './draft/draft.ts';
import { hideResults } from './draft/hideResults.ts';
import { nameImages } from './draft/images.ts';
import { keepUsers } from './draft/keepUsers.ts';
import { climbDown } from './draft/ladder.ts';
import { addLedger, dropLedgers, LEAST_LEDGER } from './draft/ledger.ts';
import { offloadHidden } from './draft/offload.ts';
import { findBrokenRule, fixedMessages, leastTokens, mend } from './draft/rules.ts';
import { findSupersededReads } from './draft/supersededReads.ts';
import { addNeeded } from './neededLines.ts';
import type { Failure, Proposal, ProposalOutcome } from './proposal/proposal.ts';
import type { Start } from './proposal/start.ts';
import type { StrategyCall } from './run/strategyCall.ts';
import type { AttemptOutcome, StrategyRun } from './run/strategyRun.ts';

const ASKED_FOR: ReadonlySet<string> = new Set(['manual', COOLING]);

export async function propose(
  start: Start,
  strategy: StrategyRun,
  own: CompactorSteps,
  signal: AbortSignal,
): Promise<ProposalOutcome> {
  const { history, budget, stamp } = start;
  const { limits, reading } = budget;
  const least = leastTokens(history, reading);
  // Nothing that a strategy does could make it fit, so no model is asked.
  if (least >= limits.hard) return { kind: 'stuck', tokens: least, failure: null };
  const tokens = (draft: Draft) => requestTokens(reading, draft.freed);
  const from = nameImages(hideReads(start, strategy.call, own), stamp);
  const run = (attempt: number, wanted: number) => {
    const threshold = thresholdFor(start, wanted, own.finalResult === 'every');
    const aim = { attempt, target: Math.min(wanted, threshold), threshold, tokenCount: tokens(from) };
    return strategy.attempt(from, aim, signal);
  };

  // If that satisfies the trigger, nothing else is removed.
  const isEnough = Number.isFinite(limits.soft) && tokens(from) < limits.soft && from.tokens <= limits.target;
  if (from.freed > 0 && isEnough) {
    const proposal = await finish(start, from, 1, 'strategy');
    if (isWorthMaking(start, proposal)) return { kind: 'proposal', proposal, failure: null };
  }
  const first = await run(1, limits.target);
  if (first.kind === 'aborted') return first;
  let failure = failureOf(first, from, reading.factor);
  const made = first.kind === 'draft' && first.draft.tokens < from.tokens ? first.draft : null;
  let draft = made ?? from;
  let by: Proposal['by'] = made || (!failure && draft.freed > 0) ? 'strategy' : 'ladder';
  let attempt = 1;
  const most = Math.min(limits.soft, limits.hard);
  const isResult =
    first.kind === 'draft' ? by === 'strategy' : first.kind === 'unchanged' && own.finalResult === 'every';
  let isFinal = isResult && own.finalResult !== 'none' && tokens(draft) < limits.hard;
  // A strategy that changes nothing, or gains nothing, although the context is too large, is asked once more to keep
  // less.
  const wasReady = !failure || failure.code === 'notSmaller';
  const isTooLarge = by === 'strategy' ? tokens(draft) >= limits.soft : wasReady && reading.tokens >= most;
  if (isTooLarge && !isFinal && (wasReady || failure?.by === 'model')) {
    // A model that has just failed is not asked again.
    if (failure?.by === 'model') start.llm?.giveUp(failure.reason);
    const second = await run(2, limits.target / 2);
    if (second.kind === 'aborted') return second;
    if (second.kind === 'draft' && tokens(second.draft) < tokens(draft)) {
      [draft, by, attempt, failure] = [second.draft, 'strategy', 2, second.failure];
      isFinal = own.finalResult === 'every' && tokens(draft) < limits.hard;
    } else if (by === 'ladder') failure ??= failureOf(second, from, reading.factor);
  }
  // After a failure of a manual compaction nothing is added to the strategy's work, however full the window is: the
  // person sees the reason and decides. While no model may be asked there is nothing to decide: only hiding and
  // dropping are possible. A compaction before the cache goes cold adds nothing either, because nothing requires it.
  const nothingDone = by === 'ladder' || tokens(draft) >= limits.hard;
  if (failure && nothingDone && ASKED_FOR.has(strategy.call.trigger) && !own.drops) return failure;
  // A final result is reduced only to fit the window.
  const { soft } = isFinal ? { soft: limits.hard } : limits;
  draft = makeRoom(draft, { ...start, budget: { reading, limits: { ...limits, soft } } }, strategy.call, own);
  if (tokens(draft) >= limits.hard) return { kind: 'stuck', tokens: tokens(draft), failure };
  if (draft.freed <= 0) return failure ?? { kind: 'unchanged' };
  const proposal = await finish(start, draft, attempt, by);
  return isWorthMaking(start, proposal) ? { kind: 'proposal', proposal, failure } : (failure ?? { kind: 'unchanged' });
}

/**
 * False for a result that asked no model and frees too little: what was paid for is kept. The ledger does not count, so
 * that a strategy which stops right where it frees enough has freed enough.
 */
function isWorthMaking({ llm, worth, budget: { reading } }: Start, { bare }: Proposal): boolean {
  return !!llm?.usage || reading.tokens - requestTokens(reading, bare.freed) >= (worth?.least ?? 0);
}

/**
 * The steps below the strategy. If the window requires it, the ledgers of earlier compactions go first, because a
 * shorter one replaces them; the reduction must leave room for that one.
 */
function makeRoom(from: Draft, start: Start, { protectedTools }: StrategyCall, own: CompactorSteps): Draft {
  const { budget, finishing } = start;
  const { reading, limits } = budget;
  const down = (draft: Draft, most = limits) =>
    climbDown(draft, { stamp: start.stamp, protectedTools, own, budget: { reading, limits: most } });
  const isOver = (draft: Draft, hard: number) => requestTokens(reading, draft.freed) >= hard;
  if (finishing.ledgerTokens === 0) return down(from);
  let [base, draft] = [from, down(from)];
  if (isOver(draft, limits.hard)) {
    base = dropLedgers(from, finishing);
    draft = down(base);
  }
  const hard = limits.hard - Math.min(finishing.ledgerTokens, 2 * LEAST_LEDGER) * reading.factor;
  if (!isOver(draft, hard) || draft.dropped().length === 0) return draft;
  const soft = Math.min(limits.soft, hard);
  // Whole rounds that the window holds do not leave for a ledger, which is then shorter.
  const keepsRounds = own.wholeRounds > 0 && !isOver(from, limits.hard);
  return down(base, { ...limits, hard: keepsRounds ? limits.hard : hard, soft });
}

/**
 * One attempt before the trigger fires, with the target of the real one: a strategy that can reach it without a model
 * asks none, as it would then.
 */
export function attemptAhead(
  start: Start,
  strategy: StrategyRun,
  own: CompactorSteps,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const { history, budget, stamp } = start;
  const { limits, reading } = budget;
  const from = nameImages(hideReads(start, strategy.call, own), stamp);
  const coming = Number.isFinite(limits.soft) ? Math.max(0, limits.soft - reading.tokens) / reading.factor : 0;
  const threshold = Math.max(1, history.tokens - coming);
  const tokenCount = requestTokens(reading, from.freed);
  const aim = { attempt: 1, target: Math.min(limits.target, threshold), threshold, tokenCount };
  return strategy.attempt(from, aim, signal);
}

/**
 * A result prepared for an earlier part of the history, plus the messages since. Null if it does not make enough room.
 */
export async function proposePrepared(start: Start, prepared: Draft): Promise<Proposal | null> {
  const { history, budget, finishing } = start;
  const { limits } = budget;
  const since = prepared.history.messages.length;
  const draft = mend(addNeeded(prepared.onto(history), since, finishing.ledgerTokens));
  if (findBrokenRule(draft, history.protectedAt)) return null;
  const proposal = await finish(start, draft, 1, 'strategy');
  // Without a trigger a person requested it, and expects as little as a new summary would leave.
  const fits = Number.isFinite(limits.soft)
    ? proposal.tokensAfter < Math.min(limits.soft, limits.hard)
    : proposal.draft.tokens <= limits.target;
  return proposal.draft.freed > 0 && fits ? proposal : null;
}

/** Hides reads that later reads replace, before anything else is removed. */
function hideReads(
  { history, stamp }: Start,
  { protectedTools }: StrategyCall,
  { reads, wholeRounds }: CompactorSteps,
): Draft {
  const upTo = (history.messages.at(-1)?.round ?? 0) - wholeRounds;
  const only = findSupersededReads(history, reads);
  return only.size > 0
    ? hideResults(Draft.of(history), 0, stamp, { only, but: protectedTools, upTo })
    : Draft.of(history);
}

/**
 * Maximum history tokens at which the trigger is quiet, or, if a result `isFinal` as long as the window holds it, at
 * which it fits the window. Below that, the target.
 */
function thresholdFor({ history, budget: { reading, limits } }: Start, target: number, isFinal: boolean): number {
  const limit = isFinal ? limits.hard : limits.soft;
  return reading.tokens < limit ? target : historyRoom(limit - 1, reading, history.tokens);
}

/** Strictly fewer tokens, or it is not a compaction. */
function failureOf(outcome: AttemptOutcome, from: Draft, factor: number): Failure | null {
  if (outcome.kind === 'failed') return outcome;
  if (outcome.kind !== 'draft') return null;
  if (outcome.failure || outcome.draft.tokens < from.tokens) return outcome.failure;
  const [before, after] = [from, outcome.draft].map(({ tokens }) => Math.round(tokens * factor));
  return {
    kind: 'failed',
    code: 'notSmaller',
    by: 'strategy',
    reason: words('its result is not smaller ({0} tokens before, {1} after)', before ?? 0, after ?? 0),
  };
}

/** A proposal that the compactor made without a strategy; null if it saves nothing. */
export async function proposeOwn(start: Start, draft: Draft): Promise<Proposal | null> {
  return draft.freed > 0 ? finish(start, draft, 1, 'ladder') : null;
}

const SHRINKS = 0.7;

/** Share of a compaction's gain that its ledger may take back. */
const LEDGER_OF_GAIN = 0.5;

/** The additions to every compaction come last; if they use up the freed room, they are omitted step by step. */
async function finish(
  { history, budget: { reading, limits }, finishing, stamp, llm }: Start,
  draft: Draft,
  attempt: number,
  by: Proposal['by'],
): Promise<Proposal> {
  const kept = nameImages(keepUsers(draft, finishing.keepUserTokens), stamp);
  const offloaded = await offloadHidden(kept, finishing.offload, finishing.blobs, stamp);
  const renews = finishing.ledgerTokens > 0 && offloaded.dropped().length > 0;
  const clear = renews ? dropLedgers(offloaded, finishing) : offloaded;
  const room = historyRoom(limits.soft - 1, reading, history.tokens) - clear.tokens;
  const tokens = (made: Draft) => requestTokens(reading, made.freed);
  const fits = (made: Draft) =>
    made.freed > 0 && tokens(made) < limits.hard && !findBrokenRule(made, fixedMessages(history));
  // With little room the ledger is short, and only lines that do not fit at all are omitted.
  const withLedger = (): Draft | null => {
    const least = Math.min(finishing.ledgerTokens, LEAST_LEDGER);
    const gain = Math.floor(clear.freed * LEDGER_OF_GAIN);
    const longest = Math.min(ledgerWithin(room, finishing.ledgerTokens), Math.max(least, gain));
    for (let length = longest; length >= least; length = Math.floor(length * SHRINKS)) {
      const made = addLedger(clear, length, finishing);
      if (fits(made)) return made;
      if (length === 0) break;
    }
    return null;
  };
  const verified = withLedger();
  const made = verified ?? (fits(offloaded) ? offloaded : draft);
  const bare = made === verified ? offloaded : made;
  const figures = { tokensBefore: reading.tokens, tokensAfter: tokens(made), attempt, by };
  return { draft: made, bare, changes: null, asked: llm?.exchanges ?? [], proposed: [], ...figures };
}

/** A short ledger holds the most important lines, so it may exceed the trigger's threshold by this much. */
const SHORT_LEDGER = 150;

/**
 * Tokens of the ledger when the history is `room` below the trigger's threshold; the full amount if it is above anyway.
 */
function ledgerWithin(room: number, ledgerTokens: number): number {
  return room > 0 ? Math.min(ledgerTokens, Math.max(SHORT_LEDGER, Math.floor(room))) : ledgerTokens;
}
