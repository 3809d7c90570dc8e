/**
 * What becomes of an outcome: a compaction, a failure that is told and journaled, both, or nothing. After a failure the
 * context is as before, and the cool-down reads the failure from the journal.
 */

import { inEnglish, type Words, words } from '../../words.ts';
import type { CompactorPorts } from '../compactorPorts.ts';
import { describeFixed } from '../draft/fixed.ts';
import { type CompactionOutcome, none, STOPPED } from '../outcome.ts';
import type { PreparedRun } from '../prepareRun.ts';
import type { ProposalOutcome } from '../propose.ts';
import type { Failure } from '../run/runStrategy.ts';
import type { StrategyChooser } from '../run/strategyChooser.ts';
import type { StrategyEntry } from '../run/strategyEntry.ts';
import { commit, originOf } from './commit.ts';

const IN_PART = words('What was done before that stands.');

export async function conclude(
  ports: CompactorPorts,
  chooser: StrategyChooser,
  { id, label }: StrategyEntry,
  run: PreparedRun,
  outcome: ProposalOutcome,
): Promise<CompactionOutcome> {
  /** `instead` says what was done instead; null when nothing was. */
  const fail = async ({ by, reason }: Omit<Failure, 'kind'>, instead: Words | null) => {
    if (run.cooling && by === 'model') return;
    if (by === 'strategy') chooser.countFailure(id);
    await recordFailure(ports, run, reason, instead);
  };
  switch (outcome.kind) {
    case 'aborted':
      return none(STOPPED);
    case 'unchanged':
      return none(words('The strategy found nothing to compact.'));
    case 'failed': {
      await fail(outcome, null);
      return {
        kind: 'failed',
        reason: words('Compaction with {0} failed, and the context is unchanged: {1}', label, outcome.reason),
      };
    }
    case 'stuck':
      if (outcome.failure) await fail(outcome.failure, null);
      return { kind: 'stuck', reason: describeStuck(ports, run, outcome.tokens) };
    case 'proposal': {
      const { proposal, failure } = outcome;
      const modelFailure = run.llm.failure();
      const inPart = failure !== null && proposal.by === 'strategy';
      if (failure) await fail(failure, [...(inPart ? IN_PART : []), ...proposal.draft.repairs.flat()]);
      // The strategy went on without its summary; the failure still counts.
      else if (modelFailure)
        await fail({ by: 'model', reason: modelFailure }, words('The deterministic part of the strategy was used.'));
      const own = proposal.by === 'strategy' && !failure && !modelFailure;
      const instead = inPart && !run.cooling ? 'partial' : 'fallback';
      return commit(ports, proposal, originOf(run, ports.clock, own ? id : instead));
    }
  }
}

async function recordFailure(
  { journal, log, clock, onEvent }: CompactorPorts,
  { order: { strategy, trigger, begun }, budget, llm }: PreparedRun,
  said: Words,
  instead: Words | null,
): Promise<void> {
  const { tokens } = budget.reading;
  const reason = inEnglish(said);
  const changed = instead === null ? 'nothing was changed by it' : 'another step was taken';
  log('warn', `compaction with ${strategy} failed, ${changed}: ${reason}`);
  onEvent({ type: 'compactionFailed', strategy, trigger, reason, tokens, durationMs: clock.now() - begun });
  // Where a compaction is made instead, that entry carries what the summariser cost.
  const usage = instead === null ? llm.usage() : null;
  await journal.append({
    type: 'compactionFailed',
    strategy,
    trigger,
    reason,
    reasonWords: said,
    attempt: 1,
    instead: inEnglish(instead ?? []),
    ...(instead ? { insteadWords: instead } : {}),
    ...(usage ? { usage } : {}),
  });
}

function describeStuck({ journal }: CompactorPorts, { history, budget }: PreparedRun, tokens: number): Words {
  return [
    ...words(
      'The context does not fit: about {0} tokens are left after everything that may go is gone, and the limit is {1}.',
      tokens,
      Math.round(budget.limits.hard),
    ),
    ...describeFixed(history, journal.context.header?.tokens ?? 0, budget.reading),
    ...words('Unpin messages, start a new session, or choose a model with a larger window.'),
  ];
}
