/**
 * Turns an outcome into a compaction, a displayed and journaled failure, both, or nothing. After a failure the context
 * is unchanged, and the cool-down reads the failure from the journal.
 */

import type { CompactionReason } from '../../../api/index.ts';
import { makeNote } from '../../journal/makeNote.ts';
import { inEnglish, type Words, words } from '../../words.ts';
import { describeFixed } from '../draft/rules.ts';
import type { Strategies } from '../hosting/strategies.ts';
import type { Failure, Proposal, ProposalOutcome } from '../proposal/proposal.ts';
import { NO_COST } from '../signals/compactionSignal.ts';
import { type CompactionOutcome, none, STOPPED } from '../signals/outcome.ts';
import type { StrategyEntry } from '../strategies/strategyEntry.ts';
import { commit, Origin } from './commit.ts';
import type { PreparedRun } from './preparedRun.ts';

type Ports = Parameters<typeof commit>[0];

const IN_PART = words('What was done before that is kept.');

export async function conclude(
  ports: Ports,
  strategies: Pick<Strategies, 'countFailure'>,
  { id, label }: StrategyEntry,
  run: PreparedRun,
  outcome: ProposalOutcome,
): Promise<CompactionOutcome> {
  /** `instead` names the fallback; null without one. */
  const fail = async (failure: Omit<Failure, 'kind'>, instead: Words | null) => {
    const isKnown = run.cooling !== null && failure.by === 'model';
    // An automatic compaction continues without the model; a person who requested one is told why.
    if (isKnown && run.order.trigger === 'manual') await ports.journal.append(makeNote('info', run.cooling));
    if (isKnown && instead === null) reportUnchanged(ports, run, failure.code);
    if (isKnown) return;
    if (failure.by === 'strategy') strategies.countFailure(id);
    await recordFailure(ports, run, failure, instead);
  };
  switch (outcome.kind) {
    case 'aborted':
      reportUnchanged(ports, run, 'stopped');
      return none(STOPPED);
    case 'large':
    case 'unchanged':
      reportUnchanged(ports, run, 'nothing');
      return none(words('The strategy found nothing to compact.'), run.llm.usage ? undefined : 'nextTurn');
    case 'failed': {
      await fail(outcome, null);
      return {
        kind: 'failed',
        reason: words('Compaction with {0} failed, and the context is unchanged: {1}', label, outcome.reason),
      };
    }
    case 'stuck':
      if (outcome.failure) await fail(outcome.failure, null);
      else if (!outcome.proposal) reportUnchanged(ports, run, 'tooLarge');
      return {
        kind: 'stuck',
        reason: describeStuck(ports, run, outcome.tokens),
        ...(outcome.proposal ? await commitAnyway(ports, id, run, outcome.proposal) : {}),
      };
    case 'proposal': {
      const { proposal, failure } = outcome;
      const modelFailure = run.llm.failure;
      const inPart = failure !== null && proposal.by === 'strategy';
      if (failure) await fail(failure, [...(inPart ? IN_PART : []), ...proposal.draft.repairs.flat()]);
      // The strategy continued without its summary; the failure still counts.
      else if (modelFailure)
        await fail(
          { by: 'model', code: 'model', reason: modelFailure },
          words('The part of the strategy that needs no model was used instead.'),
        );
      const own = proposal.by === 'strategy' && !failure && !modelFailure;
      const instead = inPart && !run.cooling ? 'partial' : 'fallback';
      const made = await commit(ports, proposal, new Origin(run, ports.clock, own ? id : instead));
      if (made.kind === 'none') reportUnchanged(ports, run, 'reshaped');
      else if (run.llm.leftOut > 0) await ports.journal.append(makeNote('warning', notSummarised(run.llm.leftOut)));
      return made;
    }
  }
}

/** The compaction's entry, unless the conversation changed meanwhile. */
async function commitAnyway(ports: Ports, strategy: string, run: PreparedRun, proposal: Proposal) {
  const made = await commit(ports, proposal, new Origin(run, ports.clock, strategy));
  return made.kind === 'compacted' ? { entry: made.entry } : {};
}

const notSummarised = (tokens: number) =>
  words(
    'About {0} tokens did not fit the summary model and were left out in the middle, so the summary does not cover them. Undo the compaction, or choose a summary model with a larger window.',
    tokens,
  );

/** Tells listeners of `preCompact` that the run had no result. */
export function reportUnchanged({ clock, onEvent }: Ports, run: PreparedRun, code: CompactionReason): void {
  const { strategy, trigger, begun } = run.order;
  const figures = { tokens: run.budget.reading.tokens, durationMs: clock.now() - begun, cost: run.llm.cost };
  onEvent({ type: 'compactionUnchanged', strategy, trigger, code, ...figures });
}

async function recordFailure(
  { journal, log, clock, onEvent }: Ports,
  { order: { strategy, trigger, begun }, budget, llm, writer }: PreparedRun,
  { code, by, reason: reasonWords }: Omit<Failure, 'kind'>,
  instead: Words | null,
): Promise<void> {
  const { tokens } = budget.reading;
  const reason = inEnglish(reasonWords);
  const changed = instead === null ? 'nothing was changed by it' : 'another step was taken';
  log('warn', `compaction with ${strategy} failed, ${changed}: ${reason}`);
  // If a fallback compaction is made, its entry and event carry the summariser's cost.
  const figures = { tokens, durationMs: clock.now() - begun, cost: instead === null ? llm.cost : NO_COST };
  onEvent({ type: 'compactionFailed', strategy, trigger, reason, reasonWords, code, ...figures });
  const usage = instead === null ? llm.usage : null;
  await journal.append({
    type: 'compactionFailed',
    strategy,
    trigger,
    reason,
    reasonWords,
    attempt: 1,
    instead: inEnglish(instead ?? []),
    ...(instead ? { insteadWords: instead } : {}),
    by,
    ...(writer ? { writer } : {}),
    ...(usage ? { usage } : {}),
  });
}

function describeStuck({ journal }: Ports, { history, budget, order }: PreparedRun, tokens: number): Words {
  // After refusals the limit is an estimate, and its value means nothing to a person.
  const still =
    order.refusals > 0
      ? words('Still about {0} tokens after compaction, which is more than the model accepts.', tokens)
      : words('Still about {0} tokens after compaction; the limit is {1}.', tokens, Math.round(budget.limits.most));
  return [
    ...still,
    ...describeFixed(history, journal.context.header?.tokens ?? 0, budget.reading),
    ...words('Unpin messages, start a new session, or choose a model with a larger window.'),
  ];
}
