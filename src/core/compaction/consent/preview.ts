/**
 * A preview: the effect of a compaction, item by item, without committing it. It can be applied unchanged as long as
 * the conversation keeps its shape. An estimate has the same figures where a model would be asked, and none was.
 */

import type { Usage } from '../../context/message.ts';
import type { Fate, FateCount } from '../../fates.ts';
import { fatesIn } from '../../journal/removal.ts';
import type { Costs } from '../../money.ts';
import { type Words, words } from '../../words.ts';
import { isLedger } from '../draft/ledgerLines.ts';
import { fatesOf, removalOf } from '../proposal/fates.ts';
import type { LargeSummary, Proposal, ProposalOutcome } from '../proposal/proposal.ts';
import type { Start } from '../proposal/start.ts';
import type { Origin } from '../run/commit.ts';

interface PreviewItem {
  readonly id: string;
  readonly fate: Fate;
  /** A summary was written from all of it. */
  readonly whole: boolean;
  /** Uncalibrated, before it. */
  readonly tokens: number;
}

interface PreviewFigures {
  readonly strategy: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly items: readonly PreviewItem[];
  /** Index of the first message that changes or stands behind a new one; their number if none does. */
  readonly firstChanged: number;
  /** Numbers of messages, without those that stay: as the row will show them. */
  readonly fates: readonly FateCount[];
  /** Requests to the model that were answered. */
  readonly requests: number;
  /** The known cost of these. */
  readonly costs: Costs;
}

export interface Preview extends PreviewFigures {
  readonly kind: 'preview';
  /** Texts that would be inserted, except the ledger. */
  readonly inserted: readonly string[];
  readonly repairs: readonly Words[];
  readonly ledger: readonly string[];
  /** Usage of the preview itself; null when no model was asked. */
  readonly usage: Usage | null;
  /** For `apply`, and for changing it first; not for display. */
  readonly proposal: Proposal;
  readonly origin: Origin;
  readonly start: Start;
}

export type PreviewOutcome =
  | Preview
  | { readonly kind: 'none'; readonly reason: Words }
  | { readonly kind: 'failed'; readonly reason: Words };

/** The figures of a strategy that asks a model: it was run with texts of a summary's usual length in place of its answers. */
interface Estimate extends PreviewFigures {
  readonly kind: 'estimate';
  /** As the requests would have it. */
  readonly usage: Usage;
}

export type EstimateOutcome =
  /** No model would be asked, so that this is what will be. */
  | PreviewOutcome
  | Estimate
  /** Its use of a model's answer cannot be told without one. */
  | { readonly kind: 'unknown' };

export function describePreview(outcome: ProposalOutcome, origin: Origin, start: Start): PreviewOutcome {
  switch (outcome.kind) {
    case 'aborted':
      return { kind: 'none', reason: words('The preview was stopped.') };
    case 'unchanged':
      return { kind: 'none', reason: words('The strategy found nothing to compact.') };
    case 'large':
      return { kind: 'none', reason: describeLarge(outcome.summary) };
    case 'failed':
      return { kind: 'failed', reason: outcome.reason };
    case 'stuck':
      return {
        kind: 'failed',
        reason: words('still {0} tokens; the limit is {1}', outcome.tokens, Math.round(start.budget.limits.most)),
      };
    case 'proposal': {
      const { proposal, failure } = outcome;
      if (failure && proposal.by === 'ladder') return { kind: 'failed', reason: failure.reason };
      const repairs = [...proposal.draft.repairs, ...(failure ? [failure.reason] : [])];
      return {
        kind: 'preview',
        strategy: origin.strategy,
        ...outcomeOf(proposal),
        repairs,
        usage: origin.run.llm.usage,
        costs: origin.run.llm.costs,
        origin,
        start,
      };
    }
  }
}

/** The same preview with another proposal, such as one changed by a person. */
export function withProposal(preview: Preview, proposal: Proposal): Preview {
  return { ...preview, ...outcomeOf(proposal) };
}

const STAYS = { fate: 'kept', whole: false } as const;

function outcomeOf(proposal: Proposal) {
  const { draft, tokensBefore, tokensAfter } = proposal;
  const named = new Map([...fatesIn(removalOf(proposal))].map((each) => [each.id, each]));
  const items = draft.history.messages.map(({ id, tokens }) => {
    const { fate, whole } = named.get(id) ?? STAYS;
    return { id, fate, whole, tokens };
  });
  const changed = items.findIndex(({ fate }) => fate !== 'kept');
  return {
    tokensBefore,
    tokensAfter,
    items,
    firstChanged: Math.min(changed < 0 ? items.length : changed, draft.inserts[0]?.before ?? items.length),
    fates: fatesOf(proposal),
    requests: proposal.asked.length,
    inserted: draft.inserts.flatMap(({ text }) => (isLedger(text) ? [] : [text])),
    ledger: draft.ledger?.added ?? [],
    proposal,
  };
}

const describeLarge = ({ requests, tokens }: LargeSummary): Words =>
  words(
    'The summary takes about {0} requests, which read {1} tokens, so it is not made for a preview. Compacting asks you first.',
    requests,
    tokens,
  );
