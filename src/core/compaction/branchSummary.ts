/**
 * What a person leaves by going back, told where they went to. The summary is made before the move, so that a failure
 * changes nothing; after it, it is put in as a compaction that takes nothing away, and undone like any other.
 */

import type { Usage } from '../context/message.ts';
import type { Costs } from '../cost/formatMoney.ts';
import { isAbort, ModelError, wordsOf } from '../errors.ts';
import { BRANCH, type CompactionEntry, type Plan } from '../journal/entry.ts';
import { countTokens } from '../tokens/estimate.ts';
import { inEnglish, words } from '../words.ts';
import { costKept } from './commit/commit.ts';
import type { CompactorPorts } from './compactorPorts.ts';
import { insertTokens } from './draft/draft.ts';
import { HistoryView } from './draft/history.ts';
import type { Cost } from './events.ts';
import { none } from './outcome.ts';
import { openSummariser, type SummaryRooms } from './run/openSummariser.ts';
import type { Summariser } from './run/summarise.ts';
import { summariseHistory } from './strategies/summary/summariseHistory.ts';
import { BRANCH_STYLE, SUMMARY_STYLES } from './strategies/summary/summaryPrompts.ts';
import type { Gauge } from './when/gauge.ts';

export interface BranchSummary {
  readonly kind: 'summary';
  readonly text: string;
  readonly model: string;
  readonly usage: Usage | null;
  readonly cost: Cost;
  readonly costs: Costs;
  readonly durationMs: number;
}

/** Its name in the journal. */
const STEP = 'branch-summary';

/** Asks a model about what the head would leave by going back to `target`. The context stays as it is. */
export async function summariseBranch(
  ports: CompactorPorts,
  gauge: Gauge,
  rooms: SummaryRooms,
  target: number,
  signal: AbortSignal,
): Promise<BranchSummary | ReturnType<typeof none>> {
  const { journal, clock } = ports;
  const begun = clock.now();
  const settings = ports.settings();
  const left = journal.context.conversation.filter(({ seq }) => seq > target);
  const history = new HistoryView().of(left, (id) => {
    throw new Error(`${id} is summarised as it is shown`);
  });
  const llm = openSummariser(ports, rooms, settings, gauge, null, true, signal);
  const { style, prompt, structured, outputTokenMax } = settings.summary;
  try {
    const made = await summariseHistory(llm, history.messages, {
      style: style === 'strategy' ? BRANCH_STYLE : SUMMARY_STYLES[style],
      customPrompt: prompt,
      structured,
      outputTokenMax,
      // Where the person goes there are no earlier notes for it to stand beside.
      maxGenerations: Number.POSITIVE_INFINITY,
      signal,
      count: countTokens,
      report: (text, fraction) => ports.onProgress({ text, fraction: fraction ?? null }),
    });
    if (!made) return none(words('There is nothing to summarise after this checkpoint.'));
    const { text } = made.summary;
    return {
      kind: 'summary',
      text,
      model: llm.model ?? '',
      usage: llm.usage(),
      cost: llm.cost(),
      costs: llm.costs(),
      durationMs: clock.now() - begun,
    };
  } catch (thrown) {
    if (signal.aborted || isAbort(thrown))
      return none(words('The summary was stopped. The conversation stays where it is.'));
    if (!(thrown instanceof ModelError)) throw thrown;
    await recordFailure(ports, llm, thrown);
    return none([
      ...words('The summary failed. The conversation stays where it is; you can go back without one.'),
      ...wordsOf(thrown),
    ]);
  } finally {
    ports.onProgress(null);
  }
}

/** Puts the summary at the end of the context. `files`: what became of those that were changed on the branch. */
export async function carryOver(
  { journal, log, onEvent }: CompactorPorts,
  gauge: Gauge,
  { text, model, usage, cost, costs, durationMs }: BranchSummary,
  files: 'restored' | 'left',
): Promise<CompactionEntry> {
  const { conversation, head } = journal.context;
  if (head === null) throw new Error('There is nowhere to put the summary of a branch.');
  const { tokens: tokensBefore, factor } = gauge.reading;
  const message = { role: 'user', kind: 'summary', text: `${INTRODUCTION} ${FILES[files]}\n\n${text}` } as const;
  const tokens = insertTokens(message.text);
  const last = conversation.at(-1);
  const plan: Plan = [...(last ? [{ op: 'keep', ids: [last.id] } as const] : []), { op: 'insert', message, tokens }];
  const tokensAfter = tokensBefore + Math.round(tokens * factor);
  const figures = { strategy: STEP, trigger: BRANCH, tokensBefore, tokensAfter, durationMs };
  const summarised = usage ? { usage, ...costKept(costs), summaryModel: model } : {};
  const entry = await journal.append({ type: 'compaction', base: head, plan, ...figures, attempt: 1, ...summarised });
  log('info', `a summary of ${tokens} tokens was carried over from a branch`);
  onEvent({ type: 'compactionPerformed', ...figures, cost });
  onEvent({ type: 'conversationReplaced', items: journal.context.conversation.length });
  return entry;
}

const INTRODUCTION =
  'Summary of a branch of this conversation that the user left by going back to this point. What it tells of is no longer in the conversation; take it as notes about what was tried and found out, not as a task.';
const FILES = {
  restored: 'Files that were changed there were restored where that was possible: read them before you rely on them.',
  left: 'Files that were changed there stay as they were changed.',
};

async function recordFailure({ journal }: CompactorPorts, llm: Summariser, thrown: ModelError): Promise<void> {
  const [reasonWords, usage] = [wordsOf(thrown), llm.usage()];
  const facts = {
    strategy: STEP,
    trigger: BRANCH,
    reason: inEnglish(reasonWords),
    reasonWords,
    attempt: 1,
    instead: '',
  };
  await journal.append({ type: 'compactionFailed', ...facts, ...(usage ? { usage } : {}) });
}
