/** A proposal that may be committed, and the outcomes without one. */

import type { CompactionReason } from '../../../api/index.ts';
import type { PersonsChanges } from '../../journal/entry.ts';
import type { Words } from '../../words.ts';
import type { Draft } from '../draft/draft.ts';
import type { Exchange } from './reading.ts';

export interface Proposal {
  readonly draft: Draft;
  /** The same without a ledger: the base for a person's changes. */
  readonly bare: Draft;
  /** A person's changes before it was applied; null without changes. */
  readonly changes: PersonsChanges | null;
  /** Calibrated, of the whole request. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly attempt: number;
  /** Requests that a model answered before it was made, whether or not an answer is in it. */
  readonly asked: readonly Exchange[];
  /** Texts as they were before a person rewrote them. */
  readonly proposed: readonly string[];
  /** Its author: the strategy, or the ladder when the strategy had no result. */
  readonly by: 'strategy' | 'ladder';
}

export type ProposalOutcome =
  /** `failure`: the strategy failed, and its work so far was used (`by`), or the ladder replaced it. */
  | { readonly kind: 'proposal'; readonly proposal: Proposal; readonly failure: Failure | null }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'aborted' }
  /** Its summary takes so many requests that a person has to agree first. */
  | { readonly kind: 'large'; readonly summary: LargeSummary }
  | Failure
  /** Nothing fits: the smallest draft still exceeds the hard limit. `proposal`: what a model was paid for is kept. */
  | {
      readonly kind: 'stuck';
      readonly tokens: number;
      readonly failure: Failure | null;
      readonly proposal?: Proposal;
    };

export interface LargeSummary {
  readonly requests: number;
  /** Calibrated tokens of what it is made of. */
  readonly tokens: number;
}

export interface Failure {
  readonly kind: 'failed';
  readonly reason: Words;
  readonly code: CompactionReason;
  /** `model`: not the strategy's fault, because its model was unreachable or answered badly. */
  readonly by: 'strategy' | 'model';
}
