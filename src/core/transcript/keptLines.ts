/** The lines that a compaction kept, each with why, for the details of its row. What a file holds of it is not trusted. */

import { MOST_REASONS } from '../../protocol/rows.ts';
import type { CompactionEntry } from '../journal/entry.ts';
import { isObject } from '../json.ts';
import { verbatim, type Words, words } from '../words.ts';
import { cut, EXCERPT } from './cut.ts';

export function keptLines({ plan }: CompactionEntry): Words[] {
  const kept: Words[] = [];
  let left = 0;
  for (const op of plan) {
    if (op.op !== 'insert' || !Array.isArray(op.reasons)) continue;
    const lines = op.message.text.split('\n');
    for (const [i, reason] of op.reasons.entries()) {
      const line = lines[i]?.trim();
      if (!line || !isObject(reason) || typeof reason.why !== 'string') continue;
      if (kept.length === MOST_REASONS - 1) left++;
      else kept.push(words('{0}: {1}', describe(reason.why, reason.name), cut(line, EXCERPT)));
    }
  }
  return left > 0 ? [...kept, words('and {0} more', left)] : kept;
}

function describe(why: string, given: unknown): Words {
  const name = cut(typeof given === 'string' ? given : '', EXCERPT);
  switch (why) {
    case 'called':
      return words('a call used {0}', name);
    case 'asked':
      return words('you named {0}', name);
    case 'said':
      return words('the agent named {0}', name);
    case 'often':
      return words('{0} came up more than once', name);
    case 'written':
      return words('the agent wrote it');
    case 'changed':
      return words('{0} was changed', name);
    case 'touched':
      return words('{0} was used', name);
    case 'recent':
      return words('it was recent');
    default:
      return verbatim(cut(why, EXCERPT));
  }
}
