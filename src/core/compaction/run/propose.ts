/**
 * From a history to a proposal, in phases: a table says for each what comes next. It asks for no consent and writes
 * nothing: a preview is a proposal that is not committed.
 */

import { COOLING } from '../../journal/entry.ts';
import { words } from '../../words.ts';
import { historyRoom, requestTokens } from '../draft/budget.ts';
import { Draft } from '../draft/draft.ts';
import { hideResults } from '../draft/hideResults.ts';
import { nameImages } from '../draft/images.ts';
import { climbDown } from '../draft/ladder.ts';
import { dropLedgers, LEAST_LEDGER } from '../draft/ledger.ts';
import { leastTokens } from '../draft/rules.ts';
import { findSupersededReads } from '../draft/supersededReads.ts';
import type { StrategyCall } from '../hosting/strategyCall.ts';
import type { AttemptOutcome, StrategyRun } from '../hosting/strategyRun.ts';
import type { Failure, Proposal, ProposalOutcome } from '../proposal/proposal.ts';
import type { Start } from '../proposal/start.ts';
import type { CompactorSteps } from './compactorSteps.ts';
import { finish } from './finish.ts';

/** The same in all phases. */
interface Task {
  readonly start: Start;
  readonly strategy: StrategyRun;
  readonly own: CompactorSteps;
  readonly signal: AbortSignal;
}

/** The best result so far. */
interface Standing extends Pick<Proposal, 'draft' | 'by' | 'attempt'> {
  /** Of the strategy or its model, although there is a draft. */
  readonly failure: Failure | null;
  /** Reduced only to fit the window, even if the trigger would fire again. */
  readonly isFinal: boolean;
}

interface Phases {
  begin: unknown;
  /** `from`: reads that later ones replace are hidden. */
  prepared: { readonly from: Draft };
  first: { readonly from: Draft };
  judged: { readonly from: Draft; readonly standing: Standing };
  second: { readonly from: Draft; readonly standing: Standing };
  /** No strategy is asked any more. */
  settled: { readonly standing: Standing };
  ladder: { readonly standing: Standing };
  finish: { readonly standing: Standing };
}

type Phase<P extends keyof Phases = keyof Phases> = { [K in P]: { readonly at: K } & Phases[K] }[P];
type Next = Phase | { readonly at: 'over'; readonly outcome: ProposalOutcome };

/**
 *     begin ─▶ prepared ─▶ first ─▶ judged ─▶ second ─▶ settled ─▶ ladder ─▶ finish ─▶ over
 *                 └── enough ────────────┼─────────────────────────────────────▲
 *                                        └── fits, or final ─▶ settled
 *
 * Each may also be the last.
 */
const NEXT: { readonly [P in keyof Phases]: (task: Task, phase: Phase<P>) => Next | Promise<Next> } = {
  begin({ start, strategy, own }) {
    const least = leastTokens(start.history, start.budget.reading);
    // Nothing that a strategy does could make it fit, so no model is asked.
    if (least >= start.budget.limits.most) return over({ kind: 'stuck', tokens: least, failure: null });
    return { at: 'prepared', from: withoutOldReads(start, strategy.call, own) };
  },

  prepared({ start }, { from }) {
    const { soft, target } = start.budget.limits;
    // If that satisfies the trigger, nothing else is removed.
    const isEnough = Number.isFinite(soft) && tokensOf(start, from) < soft && from.tokens <= target;
    if (from.freed <= 0 || !isEnough) return { at: 'first', from };
    return { at: 'finish', standing: { draft: from, by: 'strategy', attempt: 1, failure: null, isFinal: false } };
  },

  async first(task, { from }) {
    const outcome = await attempt(task, from, 1);
    if (outcome.kind === 'aborted') return over(outcome);
    return { at: 'judged', from, standing: judge(task, from, outcome) };
  },

  // A strategy that changes nothing, or gains nothing, although the context is too large, is asked once more to keep less.
  judged({ start }, { from, standing }) {
    const { budget } = start;
    const { soft, hard } = budget.limits;
    const { draft, by, failure, isFinal } = standing;
    const wasReady = !failure || failure.code === 'notSmaller';
    const isTooLarge =
      by === 'strategy'
        ? requestTokens(budget.reading, draft.freed) >= soft
        : wasReady && budget.reading.tokens >= Math.min(soft, hard);
    const again = isTooLarge && !isFinal && (wasReady || failure.by === 'model') && mayGainMore(start, draft);
    return again ? { at: 'second', from, standing } : { at: 'settled', standing };
  },

  async second(task, { from, standing }) {
    const { start, own } = task;
    // A model that has just failed is not asked again.
    if (standing.failure?.by === 'model') start.llm?.giveUp(standing.failure.reason);
    const outcome = await attempt(task, from, 2);
    if (outcome.kind === 'aborted') return over(outcome);
    if (outcome.kind === 'draft' && tokensOf(start, outcome.draft) < tokensOf(start, standing.draft)) {
      const { draft, failure } = outcome;
      const isFinal = own.finalResult === 'every' && tokensOf(start, draft) < start.budget.limits.hard;
      return { at: 'settled', standing: { draft, by: 'strategy', attempt: 2, failure, isFinal } };
    }
    const isNothing = standing.by === 'ladder' || !(isPaid(start) || freesEnough(start, standing.draft));
    const failure = standing.failure ?? (isNothing ? failureOf(start, from, outcome) : null);
    return { at: 'settled', standing: { ...standing, failure } };
  },

  // After a failure of a manual compaction nothing is added to the strategy's work, however full the window is: the person
  // sees the reason and decides. While no model may be asked there is nothing to decide: only hiding and dropping are
  // possible. A compaction before the cache goes cold adds nothing either, because nothing requires it.
  settled({ start, strategy, own }, { standing }) {
    const { draft, by, failure } = standing;
    const nothingDone = by === 'ladder' || tokensOf(start, draft) >= start.budget.limits.hard;
    const isAskedFor = ASKED_FOR.has(strategy.call.trigger) && !own.drops;
    return failure && nothingDone && isAskedFor ? over(failure) : { at: 'ladder', standing };
  },

  ladder({ start, strategy, own }, { standing }) {
    const { failure, isFinal } = standing;
    const { limits, reading } = start.budget;
    const budget = { reading, limits: isFinal ? { ...limits, soft: limits.hard } : limits };
    const draft = makeRoom(standing.draft, { ...start, budget }, strategy.call, own);
    const tokens = tokensOf(start, draft);
    if (draft.freed > 0 && tokens >= limits.most && isPaid(start))
      return { at: 'finish', standing: { ...standing, draft } };
    if (tokens >= limits.most) return over({ kind: 'stuck', tokens, failure });
    if (draft.freed <= 0) return over(failure ?? { kind: 'unchanged' });
    return { at: 'finish', standing: { ...standing, draft } };
  },

  async finish({ start }, { standing: { draft, by, attempt, failure } }) {
    const proposal = await finish(start, draft, attempt, by);
    const tokens = tokensOf(start, proposal.draft);
    // A summary that was paid for is kept, even where it is not enough.
    if (tokens >= start.budget.limits.most) return over({ kind: 'stuck', tokens, failure, proposal });
    if (isWorthMaking(start, proposal)) return over({ kind: 'proposal', proposal, failure });
    return over(failure ?? { kind: 'unchanged' });
  },
};

const isPaid = ({ llm }: Start): boolean => !!llm?.usage;

/**
 * False for a result that asked no model and frees too little. The ledger does not count, so that a strategy which stops
 * right where it frees enough has freed enough.
 */
const isWorthMaking = (start: Start, { bare }: Proposal): boolean => isPaid(start) || freesEnough(start, bare);

const freesEnough = (start: Start, draft: Draft): boolean =>
  start.budget.reading.tokens - tokensOf(start, draft) >= (start.worth?.least ?? 0);

/** After a summary was paid for, another one is asked for only where it can still gain as much as any compaction must. */
function mayGainMore(start: Start, draft: Draft): boolean {
  const least = leastTokens(start.history, start.budget.reading);
  return !isPaid(start) || tokensOf(start, draft) - least >= (start.worth?.gain ?? 0);
}

const ASKED_FOR: ReadonlySet<string> = new Set(['manual', COOLING]);

/** With `made`, what the strategy made before, only the steps that need no model follow. */
export async function propose(
  start: Start,
  strategy: StrategyRun,
  own: CompactorSteps,
  signal: AbortSignal,
  made?: Draft,
): Promise<ProposalOutcome> {
  const task = { start, strategy, own, signal };
  const standing = made && ({ draft: made, by: 'strategy', attempt: 1, failure: null, isFinal: false } as const);
  let phase: Next = standing ? { at: 'settled', standing } : { at: 'begin' };
  while (phase.at !== 'over') phase = await follow(task, phase);
  return phase.outcome;
}

const follow = <P extends keyof Phases>(task: Task, phase: Phase<P>) => NEXT[phase.at](task, phase);

const over = (outcome: ProposalOutcome): Next => ({ at: 'over', outcome });

/** Of the whole request. */
const tokensOf = ({ budget }: Start, draft: Draft): number => requestTokens(budget.reading, draft.freed);

/** Hides reads that later reads replace, before anything else is removed. */
export function withoutOldReads(
  { history, stamp }: Start,
  { protectedTools }: StrategyCall,
  { reads, wholeRounds }: CompactorSteps,
): Draft {
  const upTo = (history.messages.at(-1)?.round ?? 0) - wholeRounds;
  const only = findSupersededReads(history, reads);
  const draft = Draft.of(history);
  return nameImages(only.size > 0 ? hideResults(draft, 0, stamp, { only, but: protectedTools, upTo }) : draft, stamp);
}

/** The second has half the target. */
function attempt({ start, strategy, own, signal }: Task, from: Draft, nth: 1 | 2): Promise<AttemptOutcome> {
  const { history, budget } = start;
  const { limits, reading } = budget;
  const wanted = limits.target / nth;
  // Where the trigger is quiet, or, if every result is final as long as the window holds it, where it fits the window.
  const limit = own.finalResult === 'every' ? limits.hard : limits.soft;
  const threshold = reading.tokens < limit ? wanted : historyRoom(limit - 1, reading, history.tokens);
  const aim = { attempt: nth, target: Math.min(wanted, threshold), threshold, tokenCount: tokensOf(start, from) };
  return strategy.attempt(from, aim, signal);
}

/** The standing after the first attempt. */
function judge({ start, own }: Task, from: Draft, outcome: Exclude<AttemptOutcome, { kind: 'aborted' }>): Standing {
  const failure = failureOf(start, from, outcome);
  const made = outcome.kind === 'draft' && outcome.draft.tokens < from.tokens ? outcome.draft : null;
  const draft = made ?? from;
  const by = made || (!failure && draft.freed > 0) ? 'strategy' : 'ladder';
  const isResult = made ? own.finalResult !== 'none' : outcome.kind === 'unchanged' && own.finalResult === 'every';
  const isFinal = isResult && tokensOf(start, draft) < start.budget.limits.hard;
  return { draft, by, attempt: 1, failure, isFinal };
}

/** Strictly fewer tokens, or it is not a compaction. */
function failureOf({ budget }: Start, from: Draft, outcome: AttemptOutcome): Failure | null {
  if (outcome.kind === 'failed') return outcome;
  if (outcome.kind !== 'draft') return null;
  if (outcome.failure || outcome.draft.tokens < from.tokens) return outcome.failure;
  const [before, after] = [from, outcome.draft].map(({ tokens }) => Math.round(tokens * budget.reading.factor));
  return {
    kind: 'failed',
    code: 'notSmaller',
    by: 'strategy',
    reason: words('its result is not smaller ({0} tokens before, {1} after)', before ?? 0, after ?? 0),
  };
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
  return down(base, { ...limits, hard: keepsRounds ? limits.hard : hard, drop: Math.min(limits.drop, hard), soft });
}
