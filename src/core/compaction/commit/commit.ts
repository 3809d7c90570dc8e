/**
 * Makes a proposal real: one `compaction` entry, and what is told about it. The journal refuses an entry whose base was
 * reshaped meanwhile; it is asked first, because nothing may be half done.
 */

import type { Costs } from '../../cost/formatMoney.ts';
import type { CompactionEntry } from '../../journal/entry.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Clock } from '../../ports.ts';
import { inEnglish, words } from '../../words.ts';
import type { CompactorPorts } from '../compactorPorts.ts';
import type { Draft } from '../draft/draft.ts';
import { isLedger } from '../draft/facts.ts';
import { toPlan } from '../draft/toPlan.ts';
import type { CompactionSignal, Cost } from '../events.ts';
import { type CompactionOutcome, type CompactionRequest, none } from '../outcome.ts';
import type { PreparedRun } from '../prepareRun.ts';
import type { Proposal } from '../propose.ts';
import type { Summariser } from '../run/summarise.ts';

/** Where a proposal comes from. */
export interface Origin extends CompactionRequest {
  readonly strategy: string;
  /** Id of the strategy that was asked, whatever name the compaction gets. */
  readonly asked: string;
  /** `seq` of the newest entry the strategy saw. */
  readonly base: number;
  readonly durationMs: number;
  readonly llm: Summariser;
  readonly prepared: CompactionEntry['prepared'];
}

/** `strategy` is the name that the compaction gets in the journal. */
export function originOf({ order, base, llm, prepared }: PreparedRun, clock: Clock, strategy = order.strategy): Origin {
  const { trigger, instructions, early, begun } = order;
  return {
    strategy,
    asked: order.strategy,
    trigger,
    instructions,
    ...(early ? { early } : {}),
    base,
    durationMs: clock.now() - begun,
    llm,
    prepared,
  };
}

/** Nothing is committed when the conversation changed its shape after the base, or left it. */
export async function commit(ports: CompactorPorts, proposal: Proposal, origin: Origin): Promise<CompactionOutcome> {
  const { journal, log, onEvent } = ports;
  if (!isStillBase(journal, origin.base))
    return none(words('The conversation changed in the meantime, so nothing was compacted.'));
  const entry = await append(journal, proposal, origin);
  log('info', `compaction done: ${entry.strategy}, ${entry.tokensBefore} → ${entry.tokensAfter} tokens`);
  for (const event of describeCommit(entry, proposal.draft, origin.llm.cost(), journal.context.conversation.length))
    onEvent(event);
  return { kind: 'compacted', entry };
}

export function isStillBase(journal: Journal, base: number): boolean {
  return !journal.context.reshapedAfter(base) && journal.isOnPath(base);
}

function append(
  journal: Journal,
  { draft, changes, tokensBefore, tokensAfter, attempt }: Proposal,
  { strategy, asked, trigger, instructions, early, base, durationMs, llm, prepared }: Origin,
): Promise<CompactionEntry> {
  const usage = llm.usage();
  const rounds = countWholeRounds(draft);
  return journal.append({
    type: 'compaction',
    base,
    plan: toPlan(draft),
    strategy,
    trigger,
    tokensBefore,
    tokensAfter,
    ...(rounds > 0 ? { rounds } : {}),
    durationMs,
    attempt,
    ...(usage ? { usage, ...costKept(llm.costs()), summaryModel: llm.model ?? '' } : {}),
    ...(early ? { early } : {}),
    ...(prepared ? { prepared } : {}),
    ...(instructions ? { instructions } : {}),
    ...(draft.repairs.length ? { repairs: draft.repairs.map(inEnglish), repairWords: draft.repairs } : {}),
    ...(changes ? { changed: changes } : {}),
    ...(draft.ledger ? { verification: draft.ledger } : {}),
    ...(draft.details !== undefined ? { details: { by: asked, value: draft.details } } : {}),
  });
}

/** All of one model, so there is one sum; where the cost of any request is not known there is none. */
export function costKept({ known: [cost], unknown }: Costs): Pick<CompactionEntry, 'cost'> {
  return cost && unknown === 0 ? { cost } : {};
}

/** In the order in which they are told. `items` are those visible afterwards. */
function describeCommit(entry: CompactionEntry, draft: Draft, cost: Cost, items: number): CompactionSignal[] {
  const { strategy, trigger, tokensBefore, tokensAfter, durationMs, rounds: roundsCompacted = 0 } = entry;
  return [
    { type: 'compactionPerformed', strategy, trigger, tokensBefore, tokensAfter, roundsCompacted, durationMs, cost },
    { type: 'conversationReplaced', items },
    {
      type: 'contextCompacted',
      entry,
      summary: draft.inserts.flatMap(({ text }) => (isLedger(text) ? [] : [text])).join('\n\n'),
      tokensBefore,
      tokensAfter,
      roundsCompacted,
      savedRatio: tokensBefore > 0 ? (tokensBefore - tokensAfter) / tokensBefore : 0,
    },
  ];
}

/** Rounds of which nothing is left. Round 0 comes before the first, and an earlier summary was counted when it was made. */
function countWholeRounds(draft: Draft): number {
  const { messages } = draft.history;
  const gone = new Set<number>();
  for (const index of draft.dropped()) {
    const message = messages[index];
    if (message && !(message.role === 'user' && message.kind === 'summary')) gone.add(message.round);
  }
  gone.delete(0);
  draft.visit(({ round }) => gone.delete(round));
  return gone.size;
}
