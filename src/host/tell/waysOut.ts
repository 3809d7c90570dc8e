/** What a failed request offers, the best way out first: what its sentence advises, and to try again. */

import type { ModelError } from '../../core/errors.ts';
import type { NoteAction } from '../../core/journal/entry.ts';

export function waysOut({ kind, facts }: Pick<ModelError, 'kind' | 'facts'>): readonly [NoteAction, ...NoteAction[]] {
  switch (kind) {
    case 'auth':
      return facts.byExtension ? ['retry', 'chooseModel'] : ['setKey', 'retry', 'chooseModel'];
    case 'billing':
      return ['chooseModel', 'retry'];
    case 'notFound':
      return facts.byExtension ? ['chooseModel', 'retry'] : ['chooseModel', 'openSettings', 'retry'];
    case 'badRequest':
      return facts.byExtension ? ['chooseModel', 'retry'] : ['openSettings', 'chooseModel', 'retry'];
    case 'overflow':
      return ['newSession', 'compact', 'chooseModel', 'retry'];
    case 'rateLimit':
      // One request that is larger than the whole allowance never fits.
      return facts.retryable === false ? ['retry', 'compact', 'chooseModel'] : ['retry', 'chooseModel'];
    case 'network':
      return ['retry', 'chooseModel'];
    case 'interrupted':
    case 'aborted':
      return ['retry'];
  }
}
