/**
 * Commits a proposal: one `compaction` entry, and its events. The journal refuses an entry whose base was reshaped
 * meanwhile; this is checked first, because a commit is all or nothing. A run without a proposal is concluded here too.
 */

import type { CompactionReason, ContextMessage } from '../../api/index.ts';
import type { Clock } from '../clock.ts';
import type { ContextItem } from '../context/item.ts';
import type { Message, UserMessage } from '../context/message.ts';
import type { CompactionEntry, Plan, PlanOp, Replacement } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { makeNote } from '../journal/makeNote.ts';
import type { Costs } from '../money.ts';
import { inEnglish, type Words, words } from '../words.ts';
import type { CompactorPorts } from './compactor.ts';
import { type Change, type Draft, type Insert, insertTokens } from './draft/draft.ts';
import { isLedger } from './draft/extractFacts.ts';
import { describeFixed } from './draft/rules.ts';
import { type CompactionOutcome, type CompactionSignal, type Cost, NO_COST, none, STOPPED } from './signals/compactionSignal.ts';
import type { PreparedRun } from './prepareRun.ts';
import type { Proposal, ProposalOutcome } from './propose.ts';
import type { StrategyChooser } from './run/registry.ts';
import type { StrategyEntry } from './strategies/strategyEntry.ts';
import type { Failure } from './run/strategyRun.ts';
import type { Summariser } from './run/summariser.ts';
import { isSummary } from './strategies/recentPart.ts';

export interface Origin {
  readonly run: PreparedRun;
  /** The strategy's name in the journal. */
  readonly strategy: string;
  readonly durationMs: number;
}

export function originOf(run: PreparedRun, clock: Clock, strategy = run.order.strategy): Origin {
  return { run, strategy, durationMs: clock.now() - run.order.begun };
}

/** Nothing is committed when the conversation changed its shape after the base, or left it. */
export async function commit(ports: CompactorPorts, proposal: Proposal, origin: Origin): Promise<CompactionOutcome> {
  const { journal, log, onEvent } = ports;
  if (!isStillBase(journal, origin.run.base))
    return none(words('The conversation changed in the meantime, so nothing was compacted.'));
  const entry = await append(journal, proposal, origin);
  log('info', `compaction done: ${entry.strategy}, ${entry.tokensBefore} → ${entry.tokensAfter} tokens`);
  for (const event of describeCommit(entry, proposal.draft, origin.run.llm.cost, journal.context.conversation.length))
    onEvent(event);
  return { kind: 'compacted', entry };
}

export function isStillBase(journal: Journal, base: number): boolean {
  return !journal.context.reshapedAfter(base) && journal.isOnPath(base);
}

function append(
  journal: Journal,
  { draft, changes, tokensBefore, tokensAfter, attempt }: Proposal,
  { run, strategy, durationMs }: Origin,
): Promise<CompactionEntry> {
  const { base, llm, prepared } = run;
  const { strategy: asked, trigger, instructions, early } = run.order;
  const { usage } = llm;
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
    ...(usage ? { usage, ...costKept(llm.costs), summaryModel: llm.model ?? '' } : {}),
    ...(early ? { early } : {}),
    ...(prepared ? { prepared } : {}),
    ...(instructions ? { instructions } : {}),
    ...(draft.repairs.length ? { repairs: draft.repairs.map(inEnglish), repairWords: draft.repairs } : {}),
    ...(changes ? { changed: changes } : {}),
    ...(draft.ledger ? { verification: draft.ledger } : {}),
    ...(draft.details !== undefined ? { details: { by: asked, value: draft.details } } : {}),
  });
}

/** One sum, because all requests used one model; none when the cost of any request is unknown. */
export function costKept({ known: [cost], unknown }: Costs): Pick<CompactionEntry, 'cost'> {
  return cost && unknown === 0 ? { cost } : {};
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

/**
 * Converts a draft to the plan that the journal stores. A plan names only changes: unnamed messages stay, and a `keep`
 * is written only where an insert needs the message before it.
 */
export function toPlan(draft: Draft): Plan {
  const { messages } = draft.history;
  const plan: PlanOp[] = [];
  let dropped: string[] = [];
  const flush = () => {
    if (dropped.length) plan.push({ op: 'drop', ids: dropped });
    dropped = [];
  };
  let inserted = 0;
  /** Index of the message that the newest insert follows. */
  let anchor = -1;
  const insertUpTo = (index: number) => {
    for (; (draft.inserts[inserted]?.before ?? Number.POSITIVE_INFINITY) <= index; inserted++) {
      const { before, text, reasons } = draft.inserts[inserted] as Insert;
      flush();
      const kept = messages[before - 1];
      const isNamed = before - 1 === anchor || draft.at(before - 1).kind !== 'undecided';
      if (kept && !isNamed) plan.push({ op: 'keep', ids: [kept.id] });
      anchor = before - 1;
      const message: UserMessage = { role: 'user', kind: 'summary', text };
      plan.push({ op: 'insert', message, tokens: insertTokens(text), ...(reasons ? { reasons } : {}) });
    }
  };
  const gone = draft.dropped();
  let next = 0;
  const dropUpTo = (index: number) => {
    for (let at = gone[next]; at !== undefined && at < index; at = gone[++next]) {
      insertUpTo(at);
      dropped.push((messages[at] as ContextMessage).id);
    }
    insertUpTo(index);
  };
  for (const [index, change] of draft.changes()) {
    dropUpTo(index);
    flush();
    const { id } = messages[index] as ContextMessage;
    plan.push({ op: 'replace', id, by: replacementOf(draft, index, change) });
  }
  dropUpTo(messages.length);
  flush();
  return plan;
}

/** A replacement applies to the message as appended, so it repeats the changes of earlier replacements. */
function replacementOf(draft: Draft, index: number, change: Change): Replacement {
  const item = draft.history.items[index] as ContextItem;
  const original = draft.history.original(item.id);
  const stub = change.kind === 'hide' ? change.stub : null;
  const images = change.kind === 'replace' ? change.images : undefined;
  const text = change.kind === 'hide' || change.text !== undefined || images ? draft.textAt(index) : undefined;
  const shown = text ?? item.message.text;
  const json = change.arguments ?? argumentsOf(item.message);
  const bodyStays = change.kind === 'replace' && change.text === undefined;
  const earlier = item.message.role === 'tool' && bodyStays ? item.message.offload : undefined;
  const offload = (change.kind === 'hide' ? change.offload : undefined) ?? earlier;
  return {
    ...(shown !== original.text ? { text: shown } : {}),
    ...(json.some((value, i) => value !== argumentsOf(original)[i]) ? { arguments: json } : {}),
    tokens: draft.tokensAt(index),
    ...(stub || (item.hidden && text === undefined) ? { hidden: true } : {}),
    ...(hasImages(original) && (stub || images || !hasImages(item.message)) ? { withoutAttachments: true } : {}),
    ...(stub?.prunedAt ? { prunedAt: stub.prunedAt } : {}),
    ...(offload ? { offload } : {}),
  };
}

function hasImages(message: Message): boolean {
  return message.role !== 'assistant' && (message.attachments?.length ?? 0) > 0;
}

function argumentsOf(message: Message): readonly string[] {
  return message.role === 'assistant' ? (message.toolCalls ?? []).map((call) => call.arguments) : [];
}

const IN_PART = words('What was done before that is kept.');

/**
 * Turns an outcome into a compaction, a displayed and journaled failure, both, or nothing. After a failure the context
 * is unchanged, and the cool-down reads the failure from the journal.
 */
export async function conclude(
  ports: CompactorPorts,
  chooser: StrategyChooser,
  { id, label }: StrategyEntry,
  run: PreparedRun,
  outcome: ProposalOutcome,
): Promise<CompactionOutcome> {
  /** `instead` names the fallback; null without one. */
  const fail = async (failure: Omit<Failure, 'kind'>, instead: Words | null) => {
    const isKnown = run.cooling !== null && failure.by === 'model';
    // An automatic compaction continues without the model; a person who requested one is told why.
    if (isKnown && run.order.trigger === 'manual') await ports.journal.append(makeNote('info', run.cooling.said));
    if (isKnown && instead === null) tellUnchanged(ports, run, failure.code);
    if (isKnown) return;
    if (failure.by === 'strategy') chooser.countFailure(id);
    await recordFailure(ports, run, failure, instead);
  };
  switch (outcome.kind) {
    case 'aborted':
      tellUnchanged(ports, run, 'stopped');
      return none(STOPPED);
    case 'unchanged':
      tellUnchanged(ports, run, 'nothing');
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
      else tellUnchanged(ports, run, 'tooLarge');
      return { kind: 'stuck', reason: describeStuck(ports, run, outcome.tokens) };
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
      const made = await commit(ports, proposal, originOf(run, ports.clock, own ? id : instead));
      if (made.kind === 'none') tellUnchanged(ports, run, 'reshaped');
      else if (run.llm.leftOut > 0) await ports.journal.append(makeNote('warning', notSummarised(run.llm.leftOut)));
      return made;
    }
  }
}

const notSummarised = (tokens: number) =>
  words(
    'About {0} tokens did not fit the summary model and were left out in the middle, so the summary does not cover them. Undo the compaction, or choose a summary model with a larger window.',
    tokens,
  );

/** Tells listeners of `preCompact` that the run had no result. */
export function tellUnchanged({ clock, onEvent }: CompactorPorts, run: PreparedRun, code: CompactionReason): void {
  const { strategy, trigger, begun } = run.order;
  const figures = { tokens: run.budget.reading.tokens, durationMs: clock.now() - begun, cost: run.llm.cost };
  onEvent({ type: 'compactionUnchanged', strategy, trigger, code, ...figures });
}

async function recordFailure(
  { journal, log, clock, onEvent }: CompactorPorts,
  { order: { strategy, trigger, begun }, budget, llm, writer }: PreparedRun,
  { code, reason: said }: Omit<Failure, 'kind'>,
  instead: Words | null,
): Promise<void> {
  const { tokens } = budget.reading;
  const reason = inEnglish(said);
  const changed = instead === null ? 'nothing was changed by it' : 'another step was taken';
  log('warn', `compaction with ${strategy} failed, ${changed}: ${reason}`);
  // If a fallback compaction is made, its entry and event carry the summariser's cost.
  const figures = { tokens, durationMs: clock.now() - begun, cost: instead === null ? llm.cost : NO_COST };
  onEvent({ type: 'compactionFailed', strategy, trigger, reason, code, ...figures });
  const usage = instead === null ? llm.usage : null;
  await journal.append({
    type: 'compactionFailed',
    strategy,
    trigger,
    reason,
    reasonWords: said,
    attempt: 1,
    instead: inEnglish(instead ?? []),
    ...(instead ? { insteadWords: instead } : {}),
    ...(writer ? { writer } : {}),
    ...(usage ? { usage } : {}),
  });
}

function describeStuck({ journal }: CompactorPorts, { history, budget, order }: PreparedRun, tokens: number): Words {
  // After refusals the limit is an estimate, and its value means nothing to a person.
  const still =
    order.refusals > 0
      ? words('Still about {0} tokens after compaction, which is more than the model accepts.', tokens)
      : words('Still about {0} tokens after compaction; the limit is {1}.', tokens, Math.round(budget.limits.hard));
  return [
    ...still,
    ...describeFixed(history, journal.context.header?.tokens ?? 0, budget.reading),
    ...words('Unpin messages, start a new session, or choose a model with a larger window.'),
  ];
}

/** Reports when another model than the configured one writes the summaries: once a session for each reason. */
export class SummaryWriterNotes {
  readonly #told = new Set<string>();

  /** Call after a run that asked a model. */
  async tell({ journal, log, summaryProblem }: CompactorPorts, { model, usage }: Summariser): Promise<void> {
    const reason = usage === null ? null : (summaryProblem?.() ?? null);
    if (reason === null) return;
    const said = [
      ...words(
        'The model that is set for summaries cannot be used, so {0} wrote this one. The setting is palimpsest.compaction.summary.model.',
        model ?? '',
      ),
      ...reason,
    ];
    const text = inEnglish(said);
    if (this.#told.has(text)) return;
    this.#told.add(text);
    log('warn', text);
    await journal.append(makeNote('warning', said, { action: 'openSettings' }));
  }
}
