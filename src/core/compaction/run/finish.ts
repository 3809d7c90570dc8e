/**
 * The end of every proposal, of a strategy and of the compactor alike: a person's own words, offloaded bodies and the ledger are added, as
 * far as there is room.
 */

import { historyRoom, requestTokens } from '../draft/budget.ts';
import type { Draft } from '../draft/draft.ts';
import { nameImages } from '../draft/images.ts';
import { keepUsers } from '../draft/keepUsers.ts';
import { addLedger, dropLedgers, LEAST_LEDGER } from '../draft/ledger.ts';
import { offloadHidden } from '../draft/offload.ts';
import { findBrokenRule, fixedMessages } from '../draft/rules.ts';
import { nameUnread } from '../proposal/fates.ts';
import type { Proposal } from '../proposal/proposal.ts';
import type { Start } from '../proposal/start.ts';

/** A proposal that the compactor made without a strategy; null if it saves nothing. */
export async function proposeOwn(start: Start, draft: Draft): Promise<Proposal | null> {
  return draft.freed > 0 ? finish(start, draft, 1, 'ladder') : null;
}

const SHRINKS = 0.7;

/** Share of a compaction's gain that its ledger may take back. */
const LEDGER_OF_GAIN = 0.5;

/** The additions to every compaction come last; if they use up the freed room, they are omitted step by step. */
export async function finish(
  { history, budget: { reading, limits }, finishing, stamp, llm }: Start,
  draft: Draft,
  attempt: number,
  by: Proposal['by'],
): Promise<Proposal> {
  const asked = llm?.exchanges ?? [];
  const kept = nameUnread(nameImages(keepUsers(draft, finishing.keepUserTokens), stamp), asked, stamp);
  const offloaded = await offloadHidden(kept, finishing.offload, finishing.blobs, stamp);
  const renews = finishing.ledgerTokens > 0 && offloaded.dropped().length > 0;
  const clear = renews ? dropLedgers(offloaded, finishing) : offloaded;
  const room = historyRoom(limits.soft - 1, reading, history.tokens) - clear.tokens;
  const tokens = (made: Draft) => requestTokens(reading, made.freed);
  // A draft that cannot leave the reserve free need not.
  const most = tokens(draft) < limits.hard ? limits.hard : limits.most;
  const fits = (made: Draft) => made.freed > 0 && tokens(made) < most && !findBrokenRule(made, fixedMessages(history));
  // With little room the ledger is short, and only lines that do not fit at all are omitted.
  const withLedger = (): Draft | null => {
    const least = Math.min(finishing.ledgerTokens, LEAST_LEDGER);
    const gain = Math.floor(clear.freed * LEDGER_OF_GAIN);
    const longest = Math.min(ledgerWithin(room, finishing.ledgerTokens), Math.max(least, gain));
    for (let length = longest; length >= least; length = Math.floor(length * SHRINKS)) {
      const made = addLedger(clear, length, finishing);
      if (fits(made)) return made;
      if (length === 0) break;
    }
    return null;
  };
  const verified = withLedger();
  const made = verified ?? (fits(offloaded) ? offloaded : draft);
  const bare = made === verified ? offloaded : made;
  // A count of the provider's that is below the estimate must not leave less than the messages that stay.
  const counted = Math.min(reading.tokens, reading.factor * history.tokens);
  const least = Math.floor((counted * made.tokens) / Math.max(1, history.tokens));
  const figures = { tokensBefore: reading.tokens, tokensAfter: Math.max(tokens(made), least), attempt, by };
  return { draft: made, bare, changes: null, asked, proposed: [], ...figures };
}

/** A short ledger holds the most important lines, so it may exceed the trigger's threshold by this much. */
const SHORT_LEDGER = 150;

/**
 * Tokens of the ledger when the history is `room` below the trigger's threshold; the full amount if it is above anyway.
 */
function ledgerWithin(room: number, ledgerTokens: number): number {
  return room > 0 ? Math.min(ledgerTokens, Math.max(SHORT_LEDGER, Math.floor(room))) : ledgerTokens;
}
