/** A proposal as the journal will tell it: its plan, and what becomes of each dropped message. */

import type { ContextMessage } from '../../../api/index.ts';
import { countFates, type FateCount } from '../../fates.ts';
import type { DroppedRun } from '../../journal/entry.ts';
import { fatesIn, type Removal } from '../../journal/removal.ts';
import { isDropNote } from '../draft/dropNote.ts';
import { toPlan } from '../draft/toPlan.ts';
import { plain } from './passages.ts';
import type { Proposal } from './proposal.ts';
import { type Exchange, partsOf, sharesRead } from './reading.ts';

const known = new WeakMap<Proposal, Removal>();

/** Made once for each proposal: what a person is shown before is what the entry says afterwards. */
export function removalOf(proposal: Proposal): Removal {
  const made = known.get(proposal) ?? describe(proposal);
  known.set(proposal, made);
  return made;
}

/** Numbers of messages by fate, without those that stay. */
export const fatesOf = (proposal: Proposal): FateCount[] => countFates(fatesIn(removalOf(proposal)));

function describe({ draft, asked, proposed }: Proposal): Removal {
  const plan = toPlan(draft);
  const gone = draft.dropped();
  if (gone.length === 0) return { plan };
  const { messages } = draft.history;
  const texts = draft.inserts.map(({ text }) => text);
  const shares = sharesRead(asked, messages, gone, [...texts, ...proposed]);
  const inLines = keptInLines(texts, asked);
  const runs: [number, DroppedRun[1], number?][] = [];
  for (const [nth, index] of gone.entries()) {
    const share = shares[nth] ?? 0;
    const fate = inLines(messages[index] as ContextMessage) ? 'inLines' : share > 0 ? 'read' : 'unread';
    const percent = fate === 'read' && share < 1 ? Math.round(share * 100) : undefined;
    const last = runs.at(-1);
    if (last && last[1] === fate && last[2] === percent) last[0]++;
    else runs.push(percent === undefined ? [1, fate] : [1, fate, percent]);
  }
  return { plan, dropped: runs };
}

/** Plain characters of a line that is not in many texts. */
const LEAST_LINE = 12;

/** Whether a note holds a line of a message word for word. Lines of a model's answer do not count. */
function keptInLines(texts: readonly string[], asked: readonly Exchange[]): (message: ContextMessage) => boolean {
  const answers = asked.map(({ answer }) => plain(answer));
  const kept = new Set<string>();
  for (const text of texts) {
    for (const given of text.split('\n')) {
      const line = plain(given.replace(/^- (?:\[id \w+\]|asked:) /, ''));
      if (line.length >= LEAST_LINE && !answers.some((answer) => answer.includes(line))) kept.add(line);
    }
  }
  const isMerged = texts.some(isDropNote);
  if (kept.size === 0) return () => false;
  return (message) => {
    // A newer note has taken over the count of an earlier one.
    if (isMerged && isDropNote(message.text)) return true;
    for (const text of partsOf(message))
      for (const line of text.split(/\n|\\n/)) if (line.length >= LEAST_LINE && kept.has(plain(line))) return true;
    return false;
  };
}
