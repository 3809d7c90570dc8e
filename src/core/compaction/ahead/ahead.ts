/**
 * Prepares a summary while the agent continues, with the chosen strategy, which does not know about it: at most one, in
 * memory only, started near the trigger. It is discarded, and its request stopped, as soon as the messages it covers
 * are no longer the beginning of the context. When the trigger fires, the strategy is first asked whether it needs a
 * model at all.
 */

import type { Disposable } from '../../../api/index.ts';
import type { Clock } from '../../clock.ts';
import type { ContextItem } from '../../context/item.ts';
import { ModelError, messageOf } from '../../errors.ts';
import type { TreeEntry } from '../../journal/entry.ts';
import { isShapeEntry } from '../../journal/entryTypes.ts';
import type { Journal } from '../../journal/journal.ts';
import { makeNote } from '../../journal/makeNote.ts';
import type { Log } from '../../log.ts';
import type { ModelChoice } from '../../model/modelChoice.ts';
import { inEnglish, type Words, words } from '../../words.ts';
import { requestTokens } from '../draft/budget.ts';
import type { Draft } from '../draft/draft.ts';
import { findBrokenRule, mend } from '../draft/rules.ts';
import type { StrategyRegistry } from '../hosting/registry.ts';
import { StrategyHost } from '../hosting/strategyHost.ts';
import type { AttemptOutcome, StrategyRun } from '../hosting/strategyRun.ts';
import type { ProposalOutcome } from '../proposal/proposal.ts';
import type { Start } from '../proposal/start.ts';
import type { CompactorSteps } from '../run/compactorSteps.ts';
import { finish } from '../run/finish.ts';
import type { PreparedRun, Proposed } from '../run/preparedRun.ts';
import { propose, withoutOldReads } from '../run/propose.ts';
import type { Runs } from '../run/runs.ts';
import type { CompactionSettings } from '../settings/compactionSettings.ts';
import type { StrategyEntry } from '../strategies/strategyEntry.ts';
import { OpenRequest } from '../summariser/openRequest.ts';
import type { Gauge } from '../trigger/gauge.ts';
import { isQuiescent } from '../trigger/quiescence.ts';
import { addNeeded } from './neededLines.ts';

const WHY = {
  stopped: words('it was stopped'),
  needed: words('the model on this machine was needed for your message'),
  settings: words('the model, the strategy or a setting changed'),
  changed: words('the conversation was changed'),
  compacted: words('the context was compacted without it'),
  notEnough: words('it would not have made enough room'),
};

type Found =
  /** Nothing is prepared, and nothing may be. */
  | { readonly kind: 'no' }
  /** The strategy needs no model now. */
  | { readonly kind: 'made'; readonly outcome: ProposalOutcome }
  /** It needs a model, and a summary is ready or running. */
  | { readonly kind: 'asks' }
  /** A summary is running, and the context can wait for it. */
  | { readonly kind: 'later' };

interface Job {
  /** Identifies its inputs: another strategy, model or setting would produce another summary. */
  readonly key: string;
  readonly run: PreparedRun;
  readonly request: OpenRequest;
  readonly controller: AbortController;
  /** Resolves when nothing is running. */
  over: Promise<void>;
  running: boolean;
  draft: Draft | null;
  durationMs: number;
}

interface Ports {
  readonly journal: Journal;
  readonly registry: StrategyRegistry;
  /** The model of the session's turns; null without one. */
  readonly model: () => ModelChoice | null;
  readonly clock: Clock;
  readonly log: Log;
}

export class Ahead {
  readonly #ports: Ports;
  readonly #gauge: Gauge;
  readonly #runs: Runs;
  /** Its own host, because both may run at once. */
  readonly #host: StrategyHost;
  readonly #unlisten: () => void;
  readonly #registered: Disposable;
  #unfollow: () => void = () => undefined;
  #job: Job | null = null;
  /** A compaction of the context is using it. */
  #used = false;
  /** Below this reading nothing is started, because the last attempt had no result. */
  #nothingBelow = 0;
  /** Strategies that turned out not to need a model: another summary for them would be discarded too. */
  readonly #needless = new Set<string>();

  constructor(ports: Ports, gauge: Gauge, runs: Runs) {
    this.#ports = ports;
    this.#gauge = gauge;
    this.#runs = runs;
    this.#host = new StrategyHost(ports.log);
    this.#registered = ports.registry.onDidChange((id) => this.#strategyChanged(id));
    this.#unlisten = ports.journal.listen((entry) => {
      const base = this.#job?.run.base;
      if (base === undefined) return;
      if (entry.type === 'revert') {
        if (!ports.journal.isOnPath(base)) this.#discard(WHY.changed);
      } else if ('parent' in entry && isShapeEntry(entry)) this.#reshaped(entry);
    });
  }

  dispose(): void {
    this.#registered.dispose();
    this.#unlisten();
    this.#unfollow();
    const job = this.#end();
    // While the journal can still be written.
    job?.request.unanswered(true).catch((thrown) => this.#ports.log('warn', messageOf(thrown)));
    job?.controller.abort();
    this.#host.release();
  }

  /** `running` until the summary is ready, then `ready`; null without one. */
  get state(): 'running' | 'ready' | null {
    if (!this.#job) return null;
    return this.#job.running ? 'running' : 'ready';
  }

  /** A stop of the turn stops this too. */
  follow(signal: AbortSignal): void {
    this.#unfollow();
    const stop = () => this.stop();
    signal.addEventListener('abort', stop, { once: true });
    this.#unfollow = () => signal.removeEventListener('abort', stop);
  }

  stop(): void {
    this.#discard(WHY.stopped);
  }

  #strategyChanged(id: string): void {
    if (this.#job?.run.order.strategy === id) this.#discard(WHY.settings);
    this.#host.release(id);
    this.#needless.delete(id);
  }

  /** Called when a turn begins: a local model busy with a summary would keep the person waiting. */
  beginTurn(): void {
    if (this.#isLocal && this.state === 'running') this.#discard(WHY.needed);
  }

  /** Discards a summary started with other settings. A ready one stays, even when the cache has expired. */
  keepFitting(settings: CompactionSettings): void {
    const entry = this.#ports.registry.get(settings.strategy);
    const isOn = settings.summary.prepareAhead !== 'never';
    const key = entry && isOn ? this.#keyOf(entry, settings) : null;
    if (this.#job && this.#job.key !== key) this.#discard(WHY.settings);
  }

  /** Called while the trigger has not fired: starts a summary if it is near. */
  consider(settings: CompactionSettings): void {
    this.keepFitting(settings);
    const entry = this.#ports.registry.get(settings.strategy);
    const { reading } = this.#gauge;
    if (entry && isNearTrigger(reading.tokens, this.#gauge.markOf(settings.trigger), this.#isLocal))
      this.#begin(entry, settings);
  }

  /** Called before a compaction. `mayWait`: the context has room for another request. */
  async check(entry: StrategyEntry, run: PreparedRun, mayWait: boolean, signal: AbortSignal): Promise<Found> {
    const { settings, instructions } = run.order;
    const isUnderWay = this.#job?.key === this.#keyOf(entry, settings);
    if (instructions || run.cooling || (!isUnderWay && !(mayWait && this.#canBegin(entry, settings))))
      return { kind: 'no' };
    if (mayWait && isUnderWay && this.state === 'running') return { kind: 'later' };
    const asked = new AbortController();
    const onQuestion = () => {
      asked.abort();
      throw new ModelError('aborted', 'No model is asked here.');
    };
    const either = AbortSignal.any([signal, asked.signal]);
    const outcome = await this.#runs.propose(entry, run, { onQuestion, continuedOnly: false }, either);
    // A person is asked first.
    if (outcome.kind === 'large') return { kind: 'no' };
    if (!asked.signal.aborted) {
      if (isUnderWay && outcome.kind === 'proposal') this.#needless.add(entry.id);
      return { kind: 'made', outcome };
    }
    if (signal.aborted) return { kind: 'no' };
    if (isUnderWay) return { kind: 'asks' };
    return this.#begin(entry, settings) ? { kind: 'later' } : { kind: 'no' };
  }

  /** The result that `check` already found. Null if the strategy must still run, with its model. */
  async made(entry: StrategyEntry, run: PreparedRun, ahead: Found, signal: AbortSignal): Promise<Proposed | null> {
    if (ahead.kind === 'made') return { run, outcome: ahead.outcome };
    return ahead.kind === 'asks' ? this.#take(entry, run, signal) : null;
  }

  /** The prepared summary, plus the messages since. Null if there is none, or it frees nothing. */
  async #take(entry: StrategyEntry, run: PreparedRun, signal: AbortSignal): Promise<Proposed | null> {
    const job = this.#job;
    if (job?.key !== this.#keyOf(entry, run.order.settings)) return null;
    // A stop ends the wait.
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([job.over, stopped]);
    if (signal.aborted || this.#job !== job || !job.draft) return null;
    const { journal } = this.#ports;
    const { base, llm } = job.run;
    if (journal.context.reshapedAfter(base) || !journal.isOnPath(base)) return null;
    const paid = { ...run, llm };
    const outcome = await this.#proposePrepared(entry, paid, job.draft, signal);
    if (!outcome) {
      this.#discard(WHY.notEnough);
      return null;
    }
    this.#used = true;
    const prepared = { base, durationMs: job.durationMs };
    return { run: { ...paid, prepared }, outcome };
  }

  /**
   * A result prepared for an earlier part of the history, plus the messages since; where that does not make enough room,
   * with the steps that need no model. Null if it frees nothing, or too little for a person who asked for it.
   */
  async #proposePrepared(
    entry: StrategyEntry,
    run: PreparedRun,
    made: Draft,
    signal: AbortSignal,
  ): Promise<ProposalOutcome | null> {
    const { history, budget, finishing } = run;
    const { limits } = budget;
    const since = made.history.messages.length;
    const draft = mend(addNeeded(made.onto(history), since, finishing.ledgerTokens));
    if (draft.freed <= 0 || findBrokenRule(draft, history.protectedAt)) return null;
    const proposal = await finish(run, draft, 1, 'strategy');
    // Without a trigger a person requested it, and expects as little as a new summary would leave.
    const asked = !Number.isFinite(limits.soft);
    const fits = asked
      ? proposal.draft.tokens <= limits.target
      : proposal.tokensAfter < Math.min(limits.soft, limits.hard);
    if (proposal.draft.freed > 0 && fits) return { kind: 'proposal', proposal, failure: null };
    if (asked) return null;
    const callbacks = { continuedOnly: false };
    return this.#runs.lend(entry, run, callbacks, (strategy, own) => propose(run, strategy, own, signal, draft));
  }

  #canBegin(entry: StrategyEntry, settings: CompactionSettings): boolean {
    const { journal } = this.#ports;
    if (this.#isLocal && !hasAnswered(journal.context.conversation)) return false;
    if (!this.#mayPrepare(entry, settings) || this.#job || journal.readOnly) return false;
    return this.#gauge.reading.tokens >= this.#nothingBelow;
  }

  /** A local model may answer one request at a time: the turn's would have to wait. */
  get #isLocal(): boolean {
    return [this.#ports.model(), this.#runs.summarisers.choice].some((choice) => choice?.local);
  }

  #begin(entry: StrategyEntry, settings: CompactionSettings): boolean {
    const { journal, clock, log } = this.#ports;
    if (!this.#canBegin(entry, settings) || !isQuiescent(journal.context.conversation)) return false;
    const { tokens } = this.#gauge.reading;
    const holdBelow = tokens + this.#gauge.growth(settings.trigger);
    const controller = new AbortController();
    const { signal } = controller;
    const request = new OpenRequest(journal, tokens);
    const begun = clock.now();
    const order = { trigger: 'ahead', strategy: entry.id, settings, refusals: 0, fired: null, begun, ahead: request };
    const run = this.#runs.prepare(order, signal);
    if (!run || run.cooling) return false;
    const continuedOnly = settings.summary.prepareAhead === 'cached';
    const work = (strategy: StrategyRun, own: CompactorSteps) => attemptAhead(run, strategy, own, signal);
    const attempt = this.#runs.lend(entry, run, { continuedOnly }, work, this.#host);
    const key = this.#keyOf(entry, settings);
    const over = Promise.resolve();
    const job: Job = { key, run, request, controller, over, running: true, draft: null, durationMs: 0 };
    this.#job = job;
    job.over = attempt
      .catch((thrown): AttemptOutcome => {
        log('error', `preparing a summary failed: ${messageOf(thrown)}`);
        return { kind: 'unchanged' };
      })
      .then((outcome) => {
        job.running = false;
        job.durationMs = clock.now() - begun;
        job.draft = useful(outcome, run);
        if (this.#job !== job) return;
        if (job.draft) return log('info', `a summary was prepared in ${job.durationMs} ms`);
        if (outcome.kind === 'failed') log('warn', `no summary was prepared: ${inEnglish(outcome.reason)}`);
        this.#nothingBelow = holdBelow;
        this.#job = null;
      });
    return true;
  }

  #mayPrepare(entry: StrategyEntry, { summary }: CompactionSettings): boolean {
    if (summary.prepareAhead === 'never' || this.#needless.has(entry.id)) return false;
    return summary.prepareAhead === 'always' ? needsModel(entry) : this.readsCache(entry, summary);
  }

  /** True if a summary made now would read most of its request from the cache. */
  readsCache(entry: StrategyEntry, { continueRequest }: CompactionSettings['summary']): boolean {
    return needsModel(entry) && continueRequest && this.#isCached();
  }

  /** The session's model writes the summary, and its endpoint reported a cache that still holds the last request. */
  #isCached(): boolean {
    const { model, clock } = this.#ports;
    const [own, writer] = [model(), this.#runs.summarisers.choice];
    if (!own || own.model !== writer?.model || own.client.endpoint !== writer.client.endpoint) return false;
    const { says, held } = this.#gauge.clock;
    return says === 'reported' && held > 0 && !this.#gauge.isCold(clock.now());
  }

  /** Everything that influences a summary. */
  #keyOf({ id }: StrategyEntry, { section, summary, keep }: CompactionSettings): string {
    const models = [this.#runs.summarisers.choice, this.#ports.model()].map(
      (choice) => choice && [choice.client.endpoint, choice.model, choice.window],
    );
    return JSON.stringify([id, section, summary, keep, models]);
  }

  /** Stops the running summary, and logs its usage. */
  #discard(why: Words): void {
    const job = this.#end();
    if (!job) return;
    const { journal, log } = this.#ports;
    const { usage } = job.run.llm;
    const used = (usage ? usage.input + usage.output : 0) + job.request.tokens;
    job.controller.abort();
    if (used === 0) return;
    const message = words('A summary that was prepared was thrown away: {0}. It used about {1} tokens.', why, used);
    // Other listeners first handle the entry that caused this.
    job.over
      .then(async () => {
        if (!journal.readOnly) await journal.append(makeNote('info', message));
      })
      .catch((thrown) => log('warn', messageOf(thrown)));
  }

  #reshaped(entry: TreeEntry): void {
    if (entry.type === 'compaction') {
      if (this.#used) this.#end();
      else this.#discard(WHY.compacted);
    } else this.#discard(entry.type === 'configured' ? WHY.settings : WHY.changed);
  }

  #end(): Job | null {
    const job = this.#job;
    this.#job = null;
    this.#used = false;
    return job;
  }
}

/** A factory of another extension may hold anything. */
function needsModel({ factory }: StrategyEntry): boolean {
  return Array.isArray(factory.needs) && factory.needs.includes('llm');
}

/** Null when no model was asked, or the model failed: the strategy then runs normally when the trigger fires. */
function useful(outcome: AttemptOutcome, { llm }: PreparedRun): Draft | null {
  if (outcome.kind !== 'draft' || outcome.failure) return null;
  return llm.usage && !llm.failure && llm.leftOut === 0 ? outcome.draft : null;
}

/** True when the turn is over and only the person is waited for. */
function hasAnswered(conversation: readonly ContextItem[]): boolean {
  const newest = conversation.at(-1)?.message;
  return newest?.role === 'assistant' && !newest.toolCalls?.length;
}

/**
 * As a share of the trigger's threshold. Messages added from there on remain next to the summary, so the distance
 * should be small; if the summary is not ready in time, the compaction waits as long as the window has room.
 */
const NEAR = 0.92;

/** Where it can start only between two turns. */
const NEAR_BETWEEN_TURNS = 0.85;

/** `tokens`: the reading. `mark`: where the trigger fires; null when it cannot. */
function isNearTrigger(tokens: number, mark: Gauge['mark'], betweenTurns: boolean): boolean {
  if (mark === null) return false;
  const { at, messages } = mark;
  const share = betweenTurns ? NEAR_BETWEEN_TURNS : NEAR;
  const byTokens = at !== null && tokens >= share * at;
  if (messages === null) return byTokens;
  const byMessages = messages.now >= share * messages.limit;
  return messages.together ? byMessages && (at === null || byTokens) : byMessages || byTokens;
}

/**
 * One attempt before the trigger fires, with the target of the real one: a strategy that can reach it without a model
 * asks none, as it would then.
 */
function attemptAhead(
  start: Start,
  strategy: StrategyRun,
  own: CompactorSteps,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const { history, budget } = start;
  const { limits, reading } = budget;
  const from = withoutOldReads(start, strategy.call, own);
  const coming = Number.isFinite(limits.soft) ? Math.max(0, limits.soft - reading.tokens) / reading.factor : 0;
  const threshold = Math.max(1, history.tokens - coming);
  const tokenCount = requestTokens(reading, from.freed);
  const aim = { attempt: 1, target: Math.min(limits.target, threshold), threshold, tokenCount };
  return strategy.attempt(from, aim, signal);
}
