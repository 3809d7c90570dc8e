/**
 * Commits a proposal: one `compaction` entry, and its events. The journal refuses an entry whose base was reshaped
 * meanwhile; this is checked first, because a commit is all or nothing.
 */

import type { Clock } from '../../clock.ts';
import { costInOne } from '../../cost/spending.ts';
import type { CompactionEntry } from '../../journal/entry.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Log } from '../../log.ts';
import { inEnglish, words } from '../../words.ts';
import type { Draft } from '../draft/draft.ts';
import { isLedger } from '../draft/ledgerLines.ts';
import { isSummary } from '../draft/messageKinds.ts';
import { removalOf } from '../proposal/fates.ts';
import type { Proposal } from '../proposal/proposal.ts';
import type { CompactionSignal, Cost } from '../signals/compactionSignal.ts';
import { type CompactionOutcome, none } from '../signals/outcome.ts';
import { proposeOwn } from './finish.ts';
import type { PreparedRun } from './preparedRun.ts';

interface Ports {
  readonly journal: Journal;
  readonly log: Log;
  readonly clock: Clock;
  readonly onEvent: (event: CompactionSignal) => void;
}

/** The run that a proposal comes from, and how long it has taken. */
export class Origin {
  readonly run: PreparedRun;
  /** The strategy's name in the journal. */
  readonly strategy: string;
  readonly durationMs: number;

  /** Ends the run's time now. */
  constructor(run: PreparedRun, clock: Clock, strategy = run.order.strategy) {
    this.run = run;
    this.strategy = strategy;
    this.durationMs = clock.now() - run.order.begun;
  }

  /** True while the conversation has the shape that the run began with. */
  isIn(journal: Journal): boolean {
    const { base } = this.run;
    return !journal.context.reshapedAfter(base) && journal.isOnPath(base);
  }
}

/** Nothing is committed when the conversation changed its shape after the base, or left it. */
export async function commit(ports: Ports, proposal: Proposal, origin: Origin): Promise<CompactionOutcome> {
  const { journal, log, onEvent } = ports;
  if (!origin.isIn(journal)) return none(words('The conversation changed in the meantime, so nothing was compacted.'));
  const entry = await append(journal, proposal, origin);
  log('info', `compaction done: ${entry.strategy}, ${entry.tokensBefore} → ${entry.tokensAfter} tokens`);
  for (const event of describeCommit(entry, proposal.draft, origin.run.llm.cost, journal.context.conversation.length))
    onEvent(event);
  return { kind: 'compacted', entry };
}

/** Commits what the compactor made without a strategy, under the name `strategy`. */
export async function commitOwn(
  ports: Ports,
  run: PreparedRun,
  draft: Draft,
  strategy: string,
): Promise<CompactionOutcome> {
  const proposal = await proposeOwn(run, draft);
  if (!proposal) return none(words('Nothing may be dropped.'));
  return commit(ports, proposal, new Origin(run, ports.clock, strategy));
}

function append(journal: Journal, proposal: Proposal, { run, strategy, durationMs }: Origin): Promise<CompactionEntry> {
  const { draft, changes, tokensBefore, tokensAfter, attempt } = proposal;
  const { base, llm, prepared } = run;
  const { strategy: asked, trigger, instructions, early } = run.order;
  const { usage } = llm;
  const rounds = countWholeRounds(draft);
  return journal.append({
    type: 'compaction',
    base,
    ...removalOf(proposal),
    strategy,
    ...(strategy === asked ? {} : { asked, ...(proposal.by === 'strategy' ? { inPart: true as const } : {}) }),
    trigger,
    tokensBefore,
    tokensAfter,
    ...(run.window === (journal.context.configured?.window ?? 0) ? {} : { window: run.window }),
    ...(rounds > 0 ? { rounds } : {}),
    durationMs,
    attempt,
    ...(usage ? { usage, ...costInOne(llm.costs), summaryModel: llm.model ?? '' } : {}),
    ...(early ? { early } : {}),
    ...(prepared ? { prepared } : {}),
    ...(instructions ? { instructions } : {}),
    ...(draft.repairs.length ? { repairs: draft.repairs.map(inEnglish), repairWords: draft.repairs } : {}),
    ...(changes ? { changed: changes } : {}),
    ...(draft.ledger ? { verification: draft.ledger } : {}),
    ...(draft.details !== undefined ? { details: { by: asked, value: draft.details } } : {}),
  });
}

/** In the order of emission. `items`: number of visible items afterwards. */
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

/**
 * Number of rounds removed completely. Round 0 precedes the first round, and an earlier summary was already counted.
 */
function countWholeRounds(draft: Draft): number {
  const { messages } = draft.history;
  const gone = new Set<number>();
  for (const index of draft.dropped()) {
    const message = messages[index];
    if (message && !isSummary(message)) gone.add(message.round);
  }
  gone.delete(0);
  draft.visit(({ round }) => gone.delete(round));
  return gone.size;
}
