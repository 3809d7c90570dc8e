/** The way out that a failed request offers. */

import type { ModelError } from '../../core/errors.ts';
import type { NoteEntry } from '../../core/journal/entry.ts';

export function actionFor({ kind, facts }: ModelError): NoteEntry['action'] {
  switch (kind) {
    case 'auth':
      return facts.byExtension ? 'retry' : 'setKey';
    case 'billing':
    case 'notFound':
    case 'badRequest':
      return facts.byExtension ? 'chooseModel' : 'openSettings';
    case 'overflow':
      return 'newSession';
    case 'rateLimit':
    case 'network':
    case 'interrupted':
    case 'aborted':
      return 'retry';
  }
}
