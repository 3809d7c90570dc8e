/** Looks for what a sound journal never has, beyond what checksums see. Pure; finds everything, changes nothing. */

import { Projection } from '../context/projection.ts';
import { isTreeEntry } from './entry.ts';
import type { Journal } from './journal.ts';

export interface EntryFinding {
  readonly seq: number;
  /** Fit to be shown. */
  readonly text: string;
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
        text: `Entry ${seq} follows entry ${entry.parent}, which is lost; what stood before that is used.`,
      });
    }
    if (entry.type === 'revert' && entry.target !== null && !known.has(entry.target)) {
      findings.push({ seq, text: `Entry ${seq} goes back to entry ${entry.target}, which is lost.` });
    }
    if (entry.type === 'checkpoint') {
      if (checkpoints.has(entry.id)) findings.push({ seq, text: `The id of checkpoint ${entry.id} is used twice.` });
      checkpoints.add(entry.id);
    }
  }
  const projection = new Projection();
  for (const entry of journal.path()) {
    const whole = entry.parent === projection.head;
    const refusal = whole ? projection.refusalOf(entry) : null;
    if (refusal)
      findings.push({ seq: entry.seq, text: `Entry ${entry.seq} (${entry.type}) does not fit: ${refusal}.` });
    projection.apply(entry);
  }
  return findings;
}
