/**
 * Summarises the messages that a person leaves by returning to an earlier point, or by handing off to another session.
 * The summary is made before the move, so that a failure changes nothing; after the move it is inserted as a compaction
 * that removes nothing and can be undone.
 */

import type { Clock } from '../clock.ts';
import type { Usage } from '../context/message.ts';
import { costInOne } from '../cost/spending.ts';
import { isAbort, ModelError, wordsOf } from '../errors.ts';
import { BRANCH, type CompactionEntry, HANDOFF, type Plan } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import type { Log } from '../log.ts';
import type { Costs } from '../money.ts';
import { countTokens } from '../tokens/estimate.ts';
import { neutralise, neutraliseNotes } from '../tools/text/neutralise.ts';
import { inEnglish, words } from '../words.ts';
import { insertTokens } from './draft/draft.ts';
import { HistoryView } from './draft/history.ts';
import { describeCut } from './hosting/readAnswer.ts';
import type { CompactionSettings } from './settings/compactionSettings.ts';
import type { CompactionProgress, CompactionSignal, Cost } from './signals/compactionSignal.ts';
import { none } from './signals/outcome.ts';
import { summariseHistory } from './strategies/summariseHistory.ts';
import { BRANCH_STYLE, SUMMARY_STYLES } from './strategies/summaryPrompts.ts';
import type { Summariser } from './summariser/summariser.ts';
import type { Summarisers } from './summariser/summarisers.ts';
import type { Gauge } from './trigger/gauge.ts';

export interface BranchSummary {
  readonly kind: 'summary';
  readonly text: string;
  /** As `NewSummary.cut`. */
  readonly cut?: number | true;
  readonly model: string;
  readonly usage: Usage | null;
  readonly cost: Cost;
  readonly costs: Costs;
  readonly durationMs: number;
}

/** The messages to summarise, and the destination. */
type Left =
  /** The messages that the head leaves when it returns to the entry `target`. */
  | { readonly to: typeof BRANCH; readonly target: number }
  /** The whole conversation. `instructions`: the purpose of the other session. */
  | { readonly to: typeof HANDOFF; readonly instructions: string };

type Summarised = BranchSummary | ReturnType<typeof none>;

interface Ports {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: Log;
  /** The settings in force. */
  readonly settings: () => Pick<CompactionSettings, 'summary'>;
  readonly onProgress: (progress: CompactionProgress) => void;
  readonly onEvent: (event: CompactionSignal) => void;
}

export class Handover {
  readonly #ports: Ports;
  readonly #gauge: Gauge;
  readonly #summarisers: Summarisers;

  constructor(ports: Ports, gauge: Gauge, summarisers: Summarisers) {
    this.#ports = ports;
    this.#gauge = gauge;
    this.#summarisers = summarisers;
  }

  /** Summarises what a person would leave by returning to `target`. The context stays unchanged. */
  summariseBranch(target: number, signal: AbortSignal): Promise<Summarised> {
    return this.#summarise({ to: BRANCH, target }, signal);
  }

  /** Summarises the whole conversation for another session, which continues from it. */
  summariseSession(instructions: string, signal: AbortSignal): Promise<Summarised> {
    return this.#summarise({ to: HANDOFF, instructions }, signal);
  }

  /** Appends the summary of a branch to the context, after the move. `files`: what became of those changed there. */
  carryOver(summary: BranchSummary, files: 'restored' | 'left'): Promise<CompactionEntry> {
    return this.#append(BRANCH, summary, introduceBranch(files));
  }

  /** Begins this session with the summary of its predecessor. */
  beginWith(summary: BranchSummary, from: { readonly id: string; readonly title: string }): Promise<CompactionEntry> {
    return this.#append(HANDOFF, summary, introduceSession(from.title, from.id));
  }

  /** Requests the summary from a model. */
  async #summarise(left: Left, signal: AbortSignal): Promise<Summarised> {
    const ports = this.#ports;
    const { journal, clock } = ports;
    const begun = clock.now();
    const settings = ports.settings();
    const target = left.to === BRANCH ? left.target : -1;
    const items = journal.context.conversation.filter(({ seq }) => seq > target);
    const history = new HistoryView().of(items, (id) => {
      throw new Error(`${id} is summarised as it is shown`);
    });
    const llm = this.#summarisers.open({ settings }, signal);
    const { style, prompt, structured, outputTokenMax } = settings.summary;
    try {
      const made = await summariseHistory(llm, history.messages, {
        style: style === 'strategy' ? STYLES[left.to] : SUMMARY_STYLES[style],
        customPrompt: prompt,
        ...(left.to === HANDOFF && left.instructions !== '' ? { instructions: left.instructions } : {}),
        structured,
        outputTokenMax,
        // The destination has no earlier notes to merge with.
        maxGenerations: Number.POSITIVE_INFINITY,
        signal,
        count: countTokens,
        report: (text, fraction) => ports.onProgress({ text, fraction: fraction ?? null }),
      });
      if (!made) return none(NOTICES[left.to].nothing);
      const { usage, cost, costs } = llm;
      const durationMs = clock.now() - begun;
      const { text, cut } = made.summary;
      const figures = { model: llm.model ?? '', usage, cost, costs, durationMs };
      return { kind: 'summary', text, ...(cut ? { cut } : {}), ...figures };
    } catch (thrown) {
      if (signal.aborted || isAbort(thrown)) return none(NOTICES[left.to].stopped);
      if (!(thrown instanceof ModelError)) throw thrown;
      await recordFailure(ports, left.to, llm, thrown);
      return none([...NOTICES[left.to].failed, ...wordsOf(thrown)]);
    } finally {
      ports.onProgress(null);
    }
  }

  /** Appends the summary to the context. `introduction` tells the model what it summarises. */
  async #append(
    to: Left['to'],
    { text, cut, model, usage, cost, costs, durationMs }: BranchSummary,
    introduction: string,
  ): Promise<CompactionEntry> {
    const { journal, log, onEvent } = this.#ports;
    const { conversation, head } = journal.context;
    if (head === null) throw new Error('There is nowhere to put the summary.');
    const { tokens: tokensBefore, factor } = this.#gauge.reading;
    const message = { role: 'user', kind: 'summary', text: `${introduction}\n\n${neutraliseNotes(text)}` } as const;
    const tokens = insertTokens(message.text);
    const last = conversation.at(-1);
    const plan: Plan = [...(last ? [{ op: 'keep', ids: [last.id] } as const] : []), { op: 'insert', message, tokens }];
    const tokensAfter = tokensBefore + Math.round(tokens * factor);
    const figures = { strategy: STEPS[to], trigger: to, tokensBefore, tokensAfter, durationMs };
    // The other session has already paid for it.
    const repair = describeCut(cut, text);
    const repairs = repair ? { repairs: [inEnglish(repair)], repairWords: [repair] } : {};
    const summarised = usage && to === BRANCH ? { usage, ...costInOne(costs), summaryModel: model } : {};
    const entry = await journal.append({
      type: 'compaction',
      base: head,
      plan,
      ...figures,
      attempt: 1,
      ...repairs,
      ...summarised,
    });
    log('info', `a summary of ${tokens} tokens was carried over`);
    onEvent({ type: 'compactionPerformed', ...figures, roundsCompacted: 0, cost });
    onEvent({ type: 'conversationReplaced', items: journal.context.conversation.length });
    return entry;
  }
}

const STYLES = { [BRANCH]: BRANCH_STYLE, [HANDOFF]: SUMMARY_STYLES.kimi };
/** Their names in the journal. */
const STEPS = { [BRANCH]: 'branch-summary', [HANDOFF]: 'session-summary' };
const NOTICES = {
  [BRANCH]: {
    nothing: words('There is nothing to summarise after this checkpoint.'),
    stopped: words('The summary was stopped. The conversation stays where it is.'),
    failed: words('The summary failed. The conversation stays where it is; you can go back without one.'),
  },
  [HANDOFF]: {
    nothing: words('There is nothing to hand off yet.'),
    stopped: words('The summary was stopped. No new session was created.'),
    failed: words('The summary failed. No new session was created.'),
  },
};

/** `files`: what became of the files changed on the branch. */
function introduceBranch(files: 'restored' | 'left'): string {
  return `Summary of a branch of this conversation that the user left by going back to this point. What it tells of is no longer in the conversation; take it as notes about what was tried and found out, not as a task. ${FILES[files]}`;
}

/** `title` and `id` of the session that was left. */
function introduceSession(title: string, id: string): string {
  return `Summary of an earlier conversation, ${JSON.stringify(neutralise(title))} (session ${id}), that this one goes on from. Take it as notes about what was done and found out there; what to do now the user says here. Files are as that conversation left them: read them before you rely on them.`;
}

const FILES = {
  restored: 'Files that were changed there were restored where that was possible: read them before you rely on them.',
  left: 'Files that were changed there stay as they were changed.',
};

async function recordFailure(
  { journal }: Pick<Ports, 'journal'>,
  to: Left['to'],
  llm: Summariser,
  thrown: ModelError,
): Promise<void> {
  const [reasonWords, usage] = [wordsOf(thrown), llm.usage];
  const facts = {
    strategy: STEPS[to],
    trigger: to,
    reason: inEnglish(reasonWords),
    reasonWords,
    attempt: 1,
    instead: '',
  };
  await journal.append({ type: 'compactionFailed', ...facts, ...(usage ? { usage } : {}) });
}
