/**
 * Commits a proposal: one `compaction` entry, and its events. The journal refuses an entry whose base was reshaped
 * meanwhile; this is checked first, because a commit is all or nothing.
 */

import type { ContextMessage } from '../../../api/index.ts';
import type { ContextItem } from '../../context/item.ts';
import type { Message, UserMessage } from '../../context/message.ts';
import type { Costs } from '../../cost/formatMoney.ts';
import type { CompactionEntry, Plan, PlanOp, Replacement } from '../../journal/entry.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Clock } from '../../ports.ts';
import { inEnglish, words } from '../../words.ts';
import type { CompactorPorts } from '../compactor.ts';
import { type Change, type Draft, type Insert, insertTokens } from '../draft/draft.ts';
import { isLedger } from '../draft/extractFacts.ts';
import { type CompactionOutcome, type CompactionSignal, type Cost, none } from '../events.ts';
import type { PreparedRun } from '../prepareRun.ts';
import type { Proposal } from '../propose.ts';
import { isSummary } from '../strategies/recentPart.ts';

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
