/**
 * A session of the strategy under test, on the product's own host, reader and rules, so that it receives the same as in
 * the product.
 */

import type { CompactionContext, ContextMessage, ContextReading } from '../../../api/index.ts';
import type { Message } from '../../context/message.ts';
import { messageOf } from '../../errors.ts';
import { BRANCH } from '../../journal/entry.ts';
import type { Random } from '../../seededRandom.ts';
import { estimateMessage } from '../../tokens/estimate.ts';
import { sumTokens } from '../../tokens/meter.ts';
import { inEnglish, type Words, words } from '../../words.ts';
import { type Decision, Draft } from '../draft/draft.ts';
import type { History } from '../draft/history.ts';
import { makeStub } from '../draft/stub.ts';
import { toPlan } from '../draft/toPlan.ts';
import type { AttemptOutcome } from '../hosting/strategyRun.ts';
import type { AnyFactory } from '../strategies/strategyEntry.ts';
import { type Continuable, describeRange } from '../summariser/continueRequest.ts';
import { boundariesIn, MODEL_BOUNDARIES, type Situation } from './boundaries.ts';
import type { Check } from './check.ts';
import { Conversation } from './conversation.ts';
import { BUILT_IN_TOOLS } from './generateHistory.ts';
import { breachesIn } from './guideRules.ts';
import { ID, Instance } from './instance.ts';
import type { Seen } from './report.ts';
import { rule } from './rule.ts';

export type Compaction =
  | {
      readonly kind: 'compacted';
      readonly before: number;
      readonly after: number;
      readonly overTarget: boolean;
      readonly repairs: readonly Words[];
      /** Tokens of what could have gone. */
      readonly loose: number;
    }
  /** Nothing to do, or its model did not answer. */
  | { readonly kind: 'unchanged' }
  /** The product would reject it, which is harmless: a summary of very little is longer than its source. */
  | { readonly kind: 'notSmaller'; readonly why: string; readonly loose: number }
  | BrokenCall;

export interface BrokenCall {
  readonly kind: 'broken';
  readonly rule: Words;
  readonly attempt: number;
  readonly seen: Seen;
  /** Holds the strategy's error, if any. */
  readonly threw: { readonly thrown: unknown } | null;
  /** It did not answer in time: it would not the next time either. */
  readonly late?: boolean;
}

/** Never aborted. */
export const NEVER = new AbortController().signal;
/** Tokens of system prompt and tools. */
export const HEADER = 400;

/** The beginning of a session. `number`: in its texts, and the same in no other session of a check. */
interface Opened {
  readonly messages: readonly Message[];
  readonly number: number;
}

export class Session {
  readonly #conversation: Conversation;
  readonly #number: number;
  readonly #factory: AnyFactory;
  readonly #check: Check;
  #instance: Instance;
  #situation: Situation | null = null;
  #first: AttemptOutcome | null = null;
  /** When the newest call began. */
  #begun = 0;
  /** Another session runs at the same time, so that the clock says nothing of this one. */
  together = false;

  constructor(factory: AnyFactory, { messages, number }: Opened, check: Check) {
    this.#check = check;
    this.#number = number;
    this.#factory = factory;
    this.#instance = this.#open();
    this.#conversation = new Conversation(ID, `kit${number}`, messages, `kit-session-${number}`);
  }

  #open(): Instance {
    this.#check.made++;
    return new Instance(this.#factory, this.#check, (context) => this.#observe(context));
  }

  add(messages: readonly Message[]): void {
    this.#conversation.add(messages);
  }

  /** State that the strategy kept between calls meets an older history, as in the product. */
  undo(): void {
    const target = this.#conversation.context.activeCompactions.at(-1);
    if (!target) return;
    this.#conversation.apply({ type: 'compactionUndone', target: target.seq });
    this.#check.met.afterUndo++;
  }

  /** The present place on the path, to return to. */
  get head(): number | null {
    return this.#conversation.context.head;
  }

  /** Leaves everything after `head` on another branch; `summary` of it stays, if any. */
  revert(head: number | null, summary?: string): void {
    this.#conversation.revert(head);
    this.#check.met.afterRevert++;
    if (summary === undefined) return;
    const message: Message = { role: 'user', kind: 'summary', text: summary };
    this.#conversation.applyPlan([{ op: 'insert', message, tokens: estimateMessage(message) }], BRANCH);
    this.#check.met.afterBranch++;
  }

  /** The window is reloaded: a new instance of the strategy goes on with the session. */
  async reload(): Promise<Compaction | null> {
    const broken = await this.dispose();
    this.#instance = this.#open();
    this.#check.met.afterReload++;
    return broken;
  }

  pin(count: number, random: Random): void {
    const items = this.#conversation.context.conversation;
    const ids = Array.from({ length: count }, () => items[Math.floor(random() * items.length)]?.id ?? '');
    const image = items.find(({ kind, message }) => kind === 'user' && 'attachments' in message);
    if (image && count > 1) ids[0] = image.id;
    if (items.length > 0 && count > 0) this.#conversation.apply({ type: 'pinned', ids });
  }

  /** Hides results as the product does, before a strategy is asked or when a tool no longer wants them. */
  hide({ hides, stubs }: Situation, random: Random): void {
    const history = this.#conversation.read();
    const results = history.messages.flatMap((message, i) =>
      message.role === 'tool' && !message.protected && !message.hidden ? [i] : [],
    );
    const chosen = Array.from({ length: hides }, () => results[Math.floor(random() * results.length)] ?? -1);
    const decisions = [...new Set(chosen)].flatMap((i): [number, Decision][] => {
      const message = history.messages[i];
      return message
        ? [[i, { kind: 'hide', stub: makeStub(message, 'hidden', { ...this.#conversation.stamp, ...stubs }) }]]
        : [];
    });
    if (decisions.length > 0) this.#conversation.commit(Draft.of(history).decide(decisions), 1, 'ephemeral');
  }

  /** Why the strategy cannot be created, or null. */
  create(): BrokenCall | null {
    const reason = this.#instance.create() ?? this.#instance.watch.unfit[0];
    return reason
      ? brokenCall(reason, 1, { history: [], returned: undefined }, this.#instance.watch.newest.threw)
      : null;
  }

  /** Asks the strategy whether it is time; null where it keeps to the rules, or does not say. */
  consult(reading: ContextReading): BrokenCall | null {
    const reason = this.#instance.consult(reading);
    return reason
      ? brokenCall(reason, 1, { history: [], returned: undefined }, this.#instance.watch.newest.threw)
      : null;
  }

  /** Repeats the call with half the target when the first result is valid but too large. */
  async compact(situation: Situation): Promise<Compaction> {
    this.#situation = situation;
    const target = targetOf(situation, sumTokens(this.#conversation.context.conversation));
    const first = await this.#attempt(1, target, situation);
    if ('kind' in first) return first;
    if (first.tokens <= target) return this.#commit(first, 1, false);
    const second = await this.#attempt(2, Math.floor(target / 2), situation);
    if ('kind' in second && second.kind === 'broken') return second;
    const [draft, attempt] = !('kind' in second) && second.tokens < first.tokens ? [second, 2] : [first, 1];
    return this.#commit(draft, attempt, draft.tokens > target && situation.target !== 'impossible');
  }

  /**
   * The result of one call on the present history, for comparison; it is not committed. `fresh`: by an instance
   * that has seen nothing. `sessionId`: as if the session had this id, which is left out of the result.
   */
  async probe(situation: Situation, fresh: boolean, sessionId = this.#conversation.sessionId): Promise<string> {
    this.#situation = situation;
    const instance = fresh ? this.#open() : this.#instance;
    const target = targetOf(situation, sumTokens(this.#conversation.context.conversation));
    const { outcome } = await this.#call(instance, 1, target, situation, sessionId);
    if (fresh) await instance.dispose();
    return describeOutcome(outcome, sessionId);
  }

  /** The result of its first call, as `probe` would tell it. */
  get firstMade(): string {
    return this.#first ? describeOutcome(this.#first, this.#conversation.sessionId) : '';
  }

  async #attempt(attempt: number, target: number, situation: Situation): Promise<Compaction | Draft> {
    const { deadlineMs } = this.#check;
    const unmade = this.create();
    if (unmade) return unmade;
    const { history, outcome, ms, refused } = await this.#call(this.#instance, attempt, target, situation);
    const { newest } = this.#instance.watch;
    const seen = { history: history.messages, returned: newest.returned };
    const broken = (reason: Words, late = false) => brokenCall(reason, attempt, seen, newest.threw, late);
    const [misuse] = newest.misuse;
    const isSlow = ms > deadlineMs && !this.together;
    if (outcome.kind === 'unchanged' || outcome.kind === 'aborted') {
      if (isSlow) return broken(lateAfter(deadlineMs), true);
      return misuse ? broken(misuse) : { kind: 'unchanged' };
    }
    const failure = outcome.kind === 'failed' ? outcome : outcome.failure;
    if (failure?.code === 'late') return broken(failure.reason, true);
    // A strategy without a model has none to blame. One that answers may still refuse a prompt as too long.
    const rejected = situation.model !== 'answers' || refused;
    const unanswered = failure?.by === 'model' && rejected && this.#factory.needs.includes('llm');
    if (failure && !unanswered) return broken(misuse ?? explain(failure, newest.modelErrors[0]));
    if (isSlow) return broken(lateAfter(deadlineMs), true);
    if (misuse) return broken(misuse);
    if (outcome.kind === 'failed') return { kind: 'unchanged' };
    const [breach] = breachesIn(history.messages, newest, this.#number);
    if (breach) return broken(breach);
    const { draft } = outcome;
    if (draft.tokens < history.tokens) return draft;
    return { kind: 'notSmaller', why: describeGrowth(draft), loose: looseTokens(history) };
  }

  async #call(instance: Instance, attempt: number, target: number, situation: Situation, sessionId?: string) {
    const { machine, settings, model, met, deadlineMs } = this.#check;
    const { stamp } = this.#conversation;
    const history = this.#conversation.read();
    model.mode = situation.model;
    const { trigger, instructions, window, reserve, protectedTools, continues, stubs } = situation;
    const items = this.#conversation.context.conversation;
    const last: Continuable = {
      continueWith: async ({ covers, task }, maxOutputTokens) => {
        const range = describeRange(items, covers);
        if (range === null)
          instance.watch.newest.unfit.push(
            rule(
              'the covers of its llm.continue are not one piece of the history: some between the first and the last are missing',
            ),
          );
        if (range === null || continues === 'refused') return null;
        return { model: 'test', messages: [{ role: 'user', text: `${range}\n${task}` }], tools: [], maxOutputTokens };
      },
    };
    const llm = model.open(window, machine.timers, continues === 'absent' ? null : last);
    const asked = model.calls;
    const call = {
      trigger,
      instructions,
      window,
      reserve,
      protectedTools,
      memory: { ...this.#conversation.recall(history), ...(sessionId === undefined ? {} : { sessionId }) },
      section: settings,
      sectionOf: () => ({}),
      llm,
      stamp: { ...stamp, ...stubs },
      timers: machine.timers,
      deadlineMs,
    };
    const aim = {
      attempt,
      target,
      threshold: Math.max(target, history.tokens - 1),
      tokenCount: history.tokens + HEADER,
    };
    this.#begun = machine.now();
    const outcome = await instance.run(call, (run) => run.attempt(Draft.of(history), aim, NEVER));
    const ms = machine.now() - this.#begun;
    this.#first ??= outcome;
    this.#check.weighContinued(instance.watch.newest);
    this.#check.took(ms);
    model.settle(llm);
    if (model.calls > asked) met[MODEL_BOUNDARIES[situation.model]]++;
    if (instance.watch.newest.continued > 0) met[continues === 'refused' ? 'modelCannotContinue' : 'modelContinues']++;
    return { history, outcome, ms, refused: llm.failure !== null };
  }

  #observe(context: CompactionContext): void {
    const isPinned = ({ id }: ContextMessage) => this.#conversation.context.isPinned(id);
    const situation = this.#situation as Situation;
    for (const boundary of boundariesIn(context, situation, isPinned, BUILT_IN_TOOLS)) this.#check.met[boundary]++;
    this.#begun = this.#check.machine.now();
  }

  /** Ends the strategy of the session; a breach if its `dispose` fails. */
  async dispose(): Promise<BrokenCall | null> {
    const failed = await this.#instance.dispose();
    if (!failed) return null;
    const reason = rule('its dispose failed: {0}', messageOf(failed.thrown).slice(0, 300));
    return brokenCall(reason, 1, { history: [], returned: undefined }, failed);
  }

  #commit(draft: Draft, attempt: number, overTarget: boolean): Compaction {
    this.#conversation.commit(draft, attempt);
    return {
      kind: 'compacted',
      before: draft.history.tokens,
      after: draft.tokens,
      overTarget,
      repairs: draft.repairs,
      loose: looseTokens(draft.history),
    };
  }
}

function describeOutcome(outcome: AttemptOutcome, sessionId: string): string {
  if (outcome.kind !== 'draft') return outcome.kind === 'failed' ? inEnglish(outcome.reason) : outcome.kind;
  return JSON.stringify([toPlan(outcome.draft), outcome.draft.details ?? null]).replaceAll(sessionId, '');
}

const brokenCall = (
  reason: Words,
  attempt: number,
  seen: Seen,
  threw: { readonly thrown: unknown } | null,
  late = false,
): BrokenCall => ({ kind: 'broken', rule: reason, attempt, seen, threw, late });

/** An author who made a failure of the model an error of their own is told so. */
function explain({ reason, code }: { readonly reason: Words; readonly code: string }, modelError?: string): Words {
  if (code !== 'threw' || modelError === undefined) return reason;
  return [
    ...reason,
    ...rule(
      '(after llm had rejected: {0}. Let that error through, or go on without a summary; what is thrown in its place counts as a fault of the strategy.)',
      modelError.slice(0, 200),
    ),
  ];
}

/** Tokens of the blocks of which nothing is protected. */
function looseTokens({ messages }: History): number {
  const kept = new Set(messages.flatMap((message) => (message.protected ? [message.block] : [])));
  return messages.reduce((sum, { block, tokens }) => sum + (kept.has(block) ? 0 : tokens), 0);
}

const WINDOW = 8_000;

function targetOf({ target }: Situation, tokens: number): number {
  switch (target) {
    case 'half':
      return Math.floor(Math.min(WINDOW, tokens) / 2);
    case 'quarter':
      return Math.floor(tokens / 4);
    case 'almostReached':
      return tokens - 1;
    case 'impossible':
      return 1;
  }
}

/** While a strategy blocks the thread no timer runs, so the deadline itself cannot detect it. */
const lateAfter = (deadlineMs: number): Words => words('it did not answer within {0} seconds', deadlineMs / 1_000);

/** Why a draft is not smaller than its history. */
function describeGrowth(draft: Draft): string {
  const { history, inserts } = draft;
  const before = (index: number) => history.messages[index]?.tokens ?? 0;
  const dropped = draft.dropped();
  const changed = draft.changes().map(([index]) => index);
  const gone = dropped.reduce((sum, index) => sum + before(index), 0);
  const grown = changed.reduce((sum, index) => sum + draft.tokensAt(index) - before(index), 0);
  const added = draft.tokens - history.tokens + gone - grown;
  return [
    `${history.tokens} tokens before and ${draft.tokens} after`,
    `dropped messages had ${gone} (${dropped.length})`,
    `changed ones grew by ${grown} (${changed.length})`,
    `new summaries have ${added} (${inserts.length})`,
  ].join(', ');
}
