/**
 * A preview (B2): what a compaction would do, item by item, without doing it. It can be applied as it stands while the
 * conversation keeps its shape.
 */

import type { Usage } from '../../context/message.ts';
import { verbatim, type Words, words } from '../../words.ts';
import { droppedIndices } from '../draft/candidate.ts';
import type { Proposal, ProposalOutcome } from '../draft/propose.ts';
import type { PreparedRun } from '../prepareRun.ts';
import type { CompactionSettings } from '../settings.ts';
import type { CommitFacts } from './commit.ts';

export interface PreviewRequest {
  /** Id; the one in the settings when left out. */
  readonly strategy?: string;
  /** Settings to try; those in force when left out. */
  readonly settings?: CompactionSettings;
  readonly instructions?: string;
}

export type PreviewFate = 'kept' | 'hidden' | 'shortened' | 'dropped';

export interface PreviewItem {
  readonly id: string;
  readonly fate: PreviewFate;
  readonly tokens: number;
}

export interface Preview {
  readonly kind: 'preview';
  readonly strategy: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly items: readonly PreviewItem[];
  /** Texts that would be put in. */
  readonly inserted: readonly string[];
  readonly repairs: readonly string[];
  readonly ledger: readonly string[];
  /** What the preview itself cost; null when no model was asked. */
  readonly usage: Usage | null;
  /** For `apply`; not for display. */
  readonly proposal: Proposal;
  readonly facts: CommitFacts;
}

export type PreviewOutcome =
  | Preview
  | { readonly kind: 'none'; readonly reason: Words }
  | { readonly kind: 'failed'; readonly reason: Words };

export function describePreview(
  strategy: string,
  run: PreparedRun,
  outcome: ProposalOutcome,
  durationMs: number,
  instructions: string | undefined,
): PreviewOutcome {
  switch (outcome.kind) {
    case 'aborted':
      return { kind: 'none', reason: words('The preview was stopped.') };
    case 'unchanged':
      return { kind: 'none', reason: words('The strategy found nothing to compact.') };
    case 'failed':
      return { kind: 'failed', reason: verbatim(outcome.reason) };
    case 'stuck':
      return {
        kind: 'failed',
        reason: words('it would still be {0} tokens, above {1}', outcome.tokens, Math.round(run.limits.hard)),
      };
    case 'proposal': {
      const { proposal, failure } = outcome;
      if (failure) return { kind: 'failed', reason: verbatim(failure.reason) };
      const { tokensBefore, tokensAfter, candidate, repairs, verification } = proposal;
      return {
        kind: 'preview',
        strategy,
        tokensBefore,
        tokensAfter,
        items: listItems(run, candidate),
        inserted: candidate.flatMap((slot) => (slot.kind === 'insert' ? [slot.text] : [])),
        repairs,
        ledger: verification?.added ?? [],
        usage: run.llm.usage(),
        proposal,
        facts: {
          strategy,
          trigger: 'manual',
          ...(instructions ? { instructions } : {}),
          base: run.base,
          durationMs,
          llm: run.llm,
        },
      };
    }
  }
}

function listItems({ history }: PreparedRun, candidate: Proposal['candidate']): PreviewItem[] {
  const fates = new Map<number, PreviewFate>();
  for (const index of droppedIndices(candidate, history.length)) fates.set(index, 'dropped');
  for (const slot of candidate)
    if (slot.kind === 'change') fates.set(slot.index, slot.by.stub ? 'hidden' : 'shortened');
  return history.map(({ id, tokens }, index) => ({ id, tokens, fate: fates.get(index) ?? 'kept' }));
}
