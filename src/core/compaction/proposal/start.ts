/** The inputs of a compaction: the history, its budget, and what is added to every draft before it is committed. */

import type { Usage } from '../../context/message.ts';
import type { BlobStore } from '../../journal/blobStore.ts';
import type { Words } from '../../words.ts';
import type { Budget } from '../draft/budget.ts';
import type { History } from '../draft/history.ts';
import type { LedgerSources } from '../draft/ledger.ts';
import type { Stamp } from '../draft/stub.ts';
import type { Exchange } from './reading.ts';
import type { Worth } from './worth.ts';

export interface Start {
  readonly history: History;
  readonly budget: Budget;
  readonly stamp: Stamp;
  readonly finishing: Finishing;
  /** Default: anything is worth it. */
  readonly worth?: Pick<Worth, 'gain' | 'least'>;
  /** Omitted where no model is asked, or a model other than the product's own. */
  readonly llm?: {
    readonly giveUp: (reason: Words) => void;
    /** Usage that was paid for; null until a model has answered. */
    readonly usage: Usage | null;
    readonly exchanges: readonly Exchange[];
  };
}

/** Applied to every draft before it is committed. */
interface Finishing extends LedgerSources {
  readonly blobs: BlobStore;
  /** Results with more tokens are moved out of the context. */
  readonly offload: { readonly threshold: number };
  /** Tokens of a person's own messages that are kept verbatim; 0 leaves them to the strategy. */
  readonly keepUserTokens: number;
  /** 0 switches the ledger off. */
  readonly ledgerTokens: number;
}
