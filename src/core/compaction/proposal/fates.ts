/** A proposal as the journal will tell it: its plan, and what becomes of each dropped message. */

import type { ContextMessage } from '../../../api/index.ts';
import { countFates, type FateCount } from '../../fates.ts';
import type { DroppedRun } from '../../journal/entry.ts';
import { fatesIn, type Removal } from '../../journal/removal.ts';
import type { Draft, Insert } from '../draft/draft.ts';
import { isDropNote, makeDropNote } from '../draft/dropNote.ts';
import type { Stamp } from '../draft/stub.ts';
import { toPlan } from '../draft/toPlan.ts';
import { Passages } from './passages.ts';
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
  const runs: [number, DroppedRun[1], number?][] = [];
  for (const { fate, share } of fatesOfDropped(draft, asked, proposed)) {
    const percent = fate === 'read' && share < 1 ? Math.round(share * 100) : undefined;
    const last = runs.at(-1);
    if (last && last[1] === fate && last[2] === percent) last[0]++;
    else runs.push(percent === undefined ? [1, fate] : [1, fate, percent]);
  }
  return runs.length === 0 ? { plan } : { plan, dropped: runs };
}

interface DroppedFate {
  readonly index: number;
  readonly fate: DroppedRun[1];
  readonly share: number;
}

/** In the order of the history. `proposed`: texts that a person rewrote, as they were. */
function fatesOfDropped(draft: Draft, asked: readonly Exchange[], proposed: readonly string[]): DroppedFate[] {
  const { messages } = draft.history;
  const gone = draft.dropped();
  const texts = draft.inserts.map(({ text }) => text);
  const shares = sharesRead(asked, messages, gone, [...texts, ...proposed]);
  const inLines = keptInLines(draft.inserts, asked);
  return gone.map((index, nth) => {
    const share = shares[nth] ?? 0;
    const fate = inLines(messages[index] as ContextMessage) ? 'inLines' : share > 0 ? 'read' : 'unread';
    return { index, fate, share };
  });
}

/**
 * Tells the model beside a summary how many messages left that the summary was not written from: otherwise it would take
 * the summary for all of them. The draft itself where there are none, or a note says so already.
 */
export function nameUnread(draft: Draft, asked: readonly Exchange[], stamp: Stamp): Draft {
  const last = draft.inserts.at(-1);
  if (!last || asked.length === 0 || draft.inserts.some(({ text }) => isDropNote(text))) return draft;
  const fates = fatesOfDropped(draft, asked, []);
  const unread = fates.filter(({ fate }) => fate === 'unread');
  if (unread.length === 0 || !fates.some(({ fate }) => fate === 'read')) return draft;
  const tokens = unread.reduce((sum, { index }) => sum + (draft.history.messages[index]?.tokens ?? 0), 0);
  return draft.insert(last.before, makeDropNote(stamp, unread.length, tokens));
}

/** Plain characters of a line that is not in many texts. */
const LEAST_LINE = 12;

/** A heading over the kept lines of a message, and a kept line with the message that it is of. */
const OF_MESSAGE = /^(?:# .*\[id (\w+)\]$|- \[id (\w+)\] )/;

/**
 * Whether a note holds a line of a message word for word: it names the message, or has the line. Lines of a model's answer
 * do not count.
 */
function keptInLines(inserts: readonly Insert[], asked: readonly Exchange[]): (message: ContextMessage) => boolean {
  const answers = asked.map(({ answer }) => Passages.plain(answer));
  const kept = new Set<string>();
  const named = new Set<string>();
  for (const { text, reasons } of inserts) {
    for (const given of text.split('\n')) {
      const [, over, of] = OF_MESSAGE.exec(given) ?? [];
      if (reasons && over !== undefined) named.add(over);
      if (of !== undefined) named.add(of);
      const line = Passages.plain(given.replace(/^- (?:\[id \w+\]|asked:) /, ''));
      if (line.length >= LEAST_LINE && !answers.some((answer) => answer.includes(line))) kept.add(line);
    }
  }
  const isMerged = inserts.some(({ text }) => isDropNote(text));
  if (kept.size + named.size === 0) return () => false;
  return (message) => {
    if (named.has(message.id)) return true;
    // A newer note has taken over the count of an earlier one.
    if (isMerged && isDropNote(message.text)) return true;
    for (const text of partsOf(message))
      for (const line of text.split(/\n|\\n/))
        if (line.length >= LEAST_LINE && kept.has(Passages.plain(line))) return true;
    return false;
  };
}
