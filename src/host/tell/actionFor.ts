/** The way out that a failed request offers. */

import type { ModelError } from '../../core/errors.ts';
import type { NoteEntry } from '../../core/journal/entry.ts';

export function actionFor(error: ModelError): NoteEntry['action'] {
  switch (error.kind) {
    case 'auth':
      return 'setKey';
    case 'billing':
    case 'notFound':
    case 'badRequest':
      return 'openSettings';
    case 'overflow':
      return 'newSession';
    case 'rateLimit':
    case 'network':
    case 'interrupted':
    case 'aborted':
      return 'retry';
  }
}
