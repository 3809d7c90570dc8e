/** What a proposal would come to, in the few figures that a question has room for. Pure. */

import type { ExpectedResult } from '../../ports.ts';
import type { Proposal } from '../propose.ts';

export function expectOf({ draft, tokensAfter }: Proposal): ExpectedResult {
  const changes = draft.changes();
  const count = (wanted: 'hide' | 'replace') => changes.filter(([, { kind }]) => kind === wanted).length;
  return {
    tokens: tokensAfter,
    hidden: count('hide'),
    dropped: draft.dropped().length,
    shortened: count('replace'),
  };
}
