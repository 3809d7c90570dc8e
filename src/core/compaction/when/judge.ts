/**
 * Whether a compaction is worth it, judged before it and again before each request to a model and after its result: what
 * can go at all, and the least that must be freed in exchange for a cache that is broken and details that are lost. Pure.
 */

import { ModelError } from '../../errors.ts';
import type { MeterReading } from '../../tokens/meter.ts';
import type { History } from '../draft/history.ts';
import { fixedMessages } from '../draft/rules.ts';
import type { ProposalOutcome } from '../proposal/proposal.ts';
import { words } from '../../words.ts';

/** Tokens that remain of notes and stubs when they are merged into others. */
const LEAST_NOTE = 150;

/** Calibrated tokens that a compaction of this history could free at most. */
export function mostFreed(history: History, reading: MeterReading): number {
  const fixed = new Set(fixedMessages(history));
  let [fresh, compacted] = [0, 0];
  for (const [index, { kind, tokens, hidden }] of history.items.entries()) {
    if (fixed.has(index)) continue;
    if (kind === 'summary' || hidden) compacted += tokens;
    else fresh += tokens;
  }
  return Math.round(reading.factor * (fresh + Math.max(0, compacted - LEAST_NOTE)));
}

/** False for a result that asked no model, and frees less than `least`: what was paid for is kept. */
export function isWorthIt(
  outcome: ProposalOutcome,
  { llm }: { readonly llm: { readonly usage: unknown } },
  least: number,
): boolean {
  if (outcome.kind !== 'proposal' || llm.usage) return true;
  return outcome.proposal.tokensBefore - outcome.proposal.tokensAfter >= least;
}

export const notWorth = () => new ModelError('aborted', NOT_WORTH);

export const NOT_WORTH = words('What it would summarise is too little to be worth a request.');

/** A model that was not asked did not fail. */
export function withoutFailure(outcome: ProposalOutcome): ProposalOutcome {
  switch (outcome.kind) {
    case 'failed':
      return { kind: 'unchanged' };
    case 'proposal':
    case 'stuck':
      return { ...outcome, failure: null };
    case 'unchanged':
    case 'aborted':
      return outcome;
  }
}
