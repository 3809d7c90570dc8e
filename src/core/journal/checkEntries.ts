/** Looks for what a sound journal never has, beyond what checksums see. Pure; finds everything, changes nothing. */

import { Projection } from '../context/projection.ts';
import { type Words, words } from '../words.ts';
import { isTreeEntry } from './entry.ts';
import type { Journal } from './journal.ts';

export interface EntryFinding {
  readonly seq: number;
  readonly said: Words;
}

/** Findings in the order of the file: the tree first, then the current branch as the fold sees it. */
export function checkEntries(journal: Journal): EntryFinding[] {
  const findings: EntryFinding[] = [];
  const known = new Set(journal.entries.filter(isTreeEntry).map(({ seq }) => seq));
  const checkpoints = new Set<number>();
  for (const entry of journal.entries) {
    const { seq } = entry;
    if (isTreeEntry(entry) && entry.parent !== null && !known.has(entry.parent)) {
      findings.push({
        seq,
        said: words(
          'Entry {0} follows entry {1}, which is lost; the entry before that is used instead.',
          seq,
          entry.parent,
        ),
      });
    }
    if (entry.type === 'revert' && entry.target !== null && !known.has(entry.target)) {
      findings.push({ seq, said: words('Entry {0} goes back to entry {1}, which is lost.', seq, entry.target) });
    }
    if (entry.type === 'checkpoint') {
      if (checkpoints.has(entry.id))
        findings.push({ seq, said: words('The id of checkpoint {0} is used twice.', entry.id) });
      checkpoints.add(entry.id);
    }
  }
  const projection = new Projection();
  for (const entry of journal.path()) {
    const whole = entry.parent === projection.head;
    const refusal = whole ? projection.refusalOf(entry) : null;
    if (refusal)
      findings.push({
        seq: entry.seq,
        said: words('Entry {0} ({1}) does not fit: {2}.', entry.seq, entry.type, refusal),
      });
    projection.apply(entry);
  }
  return findings;
}
