/**
 * Makes a proposal real: one `compaction` entry, and what is told about it (C13, P5). The journal refuses an entry whose
 * base was reshaped meanwhile; it is asked first, because nothing may be half done.
 */

import type { CompactionEntry, Trigger } from '../../journal/entry.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Proposal } from '../draft/propose.ts';
import type { CompactionSignal } from '../events.ts';
import type { Summariser } from '../run/summarise.ts';

export interface CommitFacts {
  readonly strategy: string;
  readonly trigger: Trigger;
  readonly instructions?: string;
  /** `seq` of the newest entry the strategy saw. */
  readonly base: number;
  readonly durationMs: number;
  readonly llm: Summariser;
}

/** Null when the conversation changed its shape after `base`, or left it. */
export async function commitProposal(
  journal: Journal,
  proposal: Proposal,
  facts: CommitFacts,
): Promise<CompactionEntry | null> {
  if (!isStillBase(journal, facts.base)) return null;
  const { plan, tokensBefore, tokensAfter, attempt, repairs, verification } = proposal;
  const usage = facts.llm.usage();
  return journal.append({
    type: 'compaction',
    base: facts.base,
    plan: plan.plan,
    strategy: facts.strategy,
    trigger: facts.trigger,
    tokensBefore,
    tokensAfter,
    durationMs: facts.durationMs,
    attempt,
    ...(usage ? { usage, summaryModel: facts.llm.model ?? '' } : {}),
    ...(facts.instructions ? { instructions: facts.instructions } : {}),
    ...(repairs.length ? { repairs } : {}),
    ...(verification ? { verification } : {}),
  });
}

function isStillBase(journal: Journal, base: number): boolean {
  return !journal.context.reshapedAfter(base) && journal.isOnPath(base);
}

/** In the order in which they are told. `items` are those visible afterwards. */
export function describeCommit(
  entry: CompactionEntry,
  { plan, candidate }: Proposal,
  items: number,
): CompactionSignal[] {
  const { strategy, trigger, tokensBefore, tokensAfter, durationMs } = entry;
  return [
    { type: 'compactionPerformed', strategy, trigger, tokensBefore, tokensAfter, durationMs },
    { type: 'conversationReplaced', items },
    {
      type: 'contextCompacted',
      entry,
      summary: insertedText(candidate),
      tokensBefore,
      tokensAfter,
      roundsCompacted: plan.wholeRounds,
      savedRatio: tokensBefore > 0 ? (tokensBefore - tokensAfter) / tokensBefore : 0,
    },
  ];
}

export function insertedText(candidate: Proposal['candidate']): string {
  return candidate.flatMap((slot) => (slot.kind === 'insert' ? [slot.text] : [])).join('\n\n');
}
