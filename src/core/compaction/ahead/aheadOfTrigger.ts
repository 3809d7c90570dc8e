/**
 * When a summary is prepared, and whether it is used: from near the trigger on, with the very strategy that is chosen,
 * which knows nothing of it. When the trigger fires, the strategy is asked first whether it needs a model at all.
 */

import type { ContextItem } from '../../context/item.ts';
import { ModelError } from '../../errors.ts';
import type { Proposed } from '../asking.ts';
import type { CompactorPorts } from '../compactorPorts.ts';
import type { HistoryView } from '../draft/history.ts';
import { type PreparedRun, prepareRun } from '../prepareRun.ts';
import { attemptAhead, type ProposalOutcome, propose, proposePrepared, withStrategy } from '../propose.ts';
import type { StrategyEntry } from '../run/strategyEntry.ts';
import { StrategyHost } from '../run/strategyHost.ts';
import { type SummaryRooms, summaryChoice } from '../run/summariser.ts';
import type { CompactionSettings } from '../settings.ts';
import { growthOf } from '../when/automatic.ts';
import type { Gauge, TriggerMark } from '../when/gauge.ts';
import { isQuiescent } from '../when/holds.ts';
import { Ahead, WHY } from './ahead.ts';

export type Looked =
  /** Nothing is prepared and nothing may be. */
  | { readonly kind: 'no' }
  /** The strategy needs no model now. */
  | { readonly kind: 'made'; readonly outcome: ProposalOutcome }
  /** It needs one, and a summary is ready or under way. */
  | { readonly kind: 'asks' }
  /** A summary is under way, and the context can wait for it. */
  | { readonly kind: 'later' };

export class AheadOfTrigger {
  readonly #ports: CompactorPorts;
  readonly #gauge: Gauge;
  readonly #history: HistoryView;
  readonly #rooms: SummaryRooms;
  /** The compactor's. */
  readonly #lent: StrategyHost;
  /** Its own: both may be at work at once. */
  readonly #host: StrategyHost;
  readonly #ahead: Ahead;
  /** Strategies that needed no model after all: another summary for them would be thrown away, too. */
  readonly #needless = new Set<string>();

  constructor(ports: CompactorPorts, gauge: Gauge, host: StrategyHost, history: HistoryView, rooms: SummaryRooms) {
    this.#ports = ports;
    this.#gauge = gauge;
    this.#lent = host;
    this.#history = history;
    this.#rooms = rooms;
    this.#host = new StrategyHost(ports.log);
    this.#ahead = new Ahead(ports);
  }

  dispose(): void {
    this.#ahead.dispose();
    this.#host.letGo();
  }

  /** `running` until the summary is there, then `ready`; null while there is none. */
  get state(): 'running' | 'ready' | null {
    return this.#ahead.state;
  }

  follow(signal: AbortSignal): void {
    this.#ahead.follow(signal);
  }

  stop(): void {
    this.#ahead.letGo(WHY.stopped);
  }

  strategyChanged(id: string): void {
    if (this.#ahead.strategy === id) this.#ahead.letGo(WHY.settings);
    this.#host.letGo(id);
    this.#needless.delete(id);
  }

  /** A turn begins: what a model on this machine is writing would keep the person waiting. */
  beginTurn(): void {
    if (this.#isLocal && this.state === 'running') this.#ahead.letGo(WHY.needed);
  }

  /** What was begun with other settings is let go of. One that is ready stays, however cold the cache is by now. */
  keepFitting(settings: CompactionSettings): void {
    const entry = this.#ports.registry.get(settings.strategy);
    const isOn = settings.summary.prepareAhead !== 'never';
    this.#ahead.keepOnly(entry && isOn ? this.#keyOf(entry, settings) : null);
  }

  /** Nothing fires yet: begins where it is near. */
  consider(settings: CompactionSettings): void {
    this.keepFitting(settings);
    const entry = this.#ports.registry.get(settings.strategy);
    const { reading } = this.#gauge;
    if (entry && isNearTrigger(reading.tokens, this.#gauge.mark(settings.trigger), this.#isLocal))
      this.#begin(entry, settings);
  }

  /** Before a compaction. `mayWait`: the context can go on as it is for another request. */
  async look(entry: StrategyEntry, run: PreparedRun, mayWait: boolean, signal: AbortSignal): Promise<Looked> {
    const { settings, instructions } = run.order;
    const key = this.#keyOf(entry, settings);
    const isUnderWay = this.#ahead.isUnderWay(key);
    if (instructions || run.cooling || (!isUnderWay && !(mayWait && this.#canBegin(entry, settings))))
      return { kind: 'no' };
    if (mayWait && this.#ahead.isRunning(key)) return { kind: 'later' };
    const asked = new AbortController();
    const onQuestion = () => {
      asked.abort();
      throw new ModelError('aborted', 'No model is asked here.');
    };
    const either = AbortSignal.any([signal, asked.signal]);
    const outcome = await withStrategy(this.#ports, this.#lent, entry, run, { onQuestion }, (strategy, own) =>
      propose(run, strategy, own, either),
    );
    if (!asked.signal.aborted) {
      if (isUnderWay && outcome.kind === 'proposal') this.#needless.add(entry.id);
      return { kind: 'made', outcome };
    }
    if (signal.aborted) return { kind: 'no' };
    if (isUnderWay) return { kind: 'asks' };
    return this.#begin(entry, settings) ? { kind: 'later' } : { kind: 'no' };
  }

  /** What a look found already. Null where the strategy is still to be run, with its model. */
  async made(entry: StrategyEntry, run: PreparedRun, looked: Looked, signal: AbortSignal): Promise<Proposed | null> {
    if (looked.kind === 'made') return { run, outcome: looked.outcome };
    return looked.kind === 'asks' ? this.#take(entry, run, signal) : null;
  }

  /** What was prepared, with what came since. Null where there is nothing, or it does not make enough room. */
  async #take(entry: StrategyEntry, run: PreparedRun, signal: AbortSignal): Promise<Proposed | null> {
    const ready = await this.#ahead.take(this.#keyOf(entry, run.order.settings), signal);
    if (!ready) return null;
    const proposal = await proposePrepared(run, ready.draft);
    if (!proposal) {
      this.#ahead.letGo(WHY.notEnough);
      return null;
    }
    this.#ahead.use();
    const prepared = { base: ready.run.base, durationMs: ready.durationMs };
    const outcome = { kind: 'proposal', proposal, failure: null } as const;
    return { run: { ...run, llm: ready.run.llm, prepared }, outcome };
  }

  #canBegin(entry: StrategyEntry, settings: CompactionSettings): boolean {
    if (this.#isLocal && !hasAnswered(this.#ports.journal.context.conversation)) return false;
    return this.#mayPrepare(entry, settings) && this.#ahead.mayBegin(this.#gauge.reading.tokens);
  }

  /** It may answer one request at a time: the turn's would have to wait. */
  get #isLocal(): boolean {
    return [this.#ports.model(), summaryChoice(this.#ports)].some((choice) => choice?.local);
  }

  #begin(entry: StrategyEntry, settings: CompactionSettings): boolean {
    const { journal, clock } = this.#ports;
    if (!this.#canBegin(entry, settings) || !isQuiescent(journal.context.conversation)) return false;
    const { tokens } = this.#gauge.reading;
    const holdBelow = tokens + growthOf(settings, this.#gauge.window || tokens);
    return this.#ahead.begin(this.#keyOf(entry, settings), tokens, holdBelow, (request, signal) => {
      const order = { trigger: 'ahead', strategy: entry.id, settings, refusals: 0, fired: null } as const;
      const begun = clock.now();
      const run = prepareRun(
        this.#ports,
        this.#gauge,
        this.#history,
        { ...order, begun, ahead: request },
        this.#rooms,
        signal,
      );
      if (!run || run.cooling) return null;
      const heard = settings.summary.prepareAhead === 'cached' ? { onQuestion: refuseOwnForm } : {};
      const attempt = withStrategy(this.#ports, this.#host, entry, run, heard, (strategy, own) =>
        attemptAhead(run, strategy, own, signal),
      );
      return { run, attempt };
    });
  }

  #mayPrepare({ id, factory }: StrategyEntry, { summary }: CompactionSettings): boolean {
    if (summary.prepareAhead === 'never' || this.#needless.has(id)) return false;
    // A factory of another extension may hold anything.
    if (!Array.isArray(factory.needs) || !factory.needs.includes('llm')) return false;
    return summary.prepareAhead === 'always' || (summary.continueRequest && this.#isCached());
  }

  /** The session's model writes the summary, and read its last request from a cache that still holds. */
  #isCached(): boolean {
    const { journal, model, clock } = this.#ports;
    const [own, writer] = [model(), summaryChoice(this.#ports)];
    if (!own || own.model !== writer?.model || own.client.endpoint !== writer.client.endpoint) return false;
    const { lastUsage } = journal.context;
    if (!lastUsage || lastUsage.usage.cached + (lastUsage.usage.written ?? 0) === 0) return false;
    return !this.#gauge.isCold(clock.now());
  }

  /** All that a summary is made with. */
  #keyOf({ id }: StrategyEntry, { section, summary, keep }: CompactionSettings): string {
    const writer = summaryChoice(this.#ports);
    const own = this.#ports.model();
    return JSON.stringify([
      id,
      section,
      summary,
      keep,
      ...[writer, own].map((choice) => choice && [choice.client.endpoint, choice.model, choice.window]),
    ]);
  }
}

/** The turn is over: nothing but the person is waited for. */
function hasAnswered(conversation: readonly ContextItem[]): boolean {
  const newest = conversation.at(-1)?.message;
  return newest?.role === 'assistant' && !newest.toolCalls?.length;
}

/**
 * The share of the trigger's threshold. What comes to the context from there on stays beside the summary, so it should be
 * little; where it is too little for the summary to be ready, the compaction waits while the window holds the context.
 */
const NEAR = 0.92;

/** Where it can begin between two turns only. */
const NEAR_BETWEEN_TURNS = 0.85;

/** `tokens`: the reading. `mark`: where the trigger fires; null when it cannot. */
function isNearTrigger(tokens: number, mark: TriggerMark | null, betweenTurns: boolean): boolean {
  if (mark === null) return false;
  const { at, messages } = mark;
  const share = betweenTurns ? NEAR_BETWEEN_TURNS : NEAR;
  const byTokens = at !== null && tokens >= share * at;
  if (messages === null) return byTokens;
  const byMessages = messages.now >= share * messages.limit;
  return messages.together ? byMessages && (at === null || byTokens) : byMessages || byTokens;
}

/** A question in a form of its own would be read at the full price. */
function refuseOwnForm(continued: boolean): void {
  if (!continued) throw new ModelError('notFound', 'A summary is prepared only where it continues the last request.');
}
