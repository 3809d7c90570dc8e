/**
 * Collects the inputs of one compaction from the present journal (history, budget, and the summariser) and lends its
 * strategy for the run. Changes nothing.
 */

import type { CompactionContext } from '../../api/index.ts';
import { priceWithCache } from '../cost/cacheFacts.ts';
import type { CompactionEntry, SummaryWriter, Trigger } from '../journal/entry.ts';
import { priceFor } from '../money.ts';
import type { Words } from '../words.ts';
import type { OpenRequest } from './ahead.ts';
import type { CompactorPorts } from './compactor.ts';
import { findPast, HistoryView } from './draft/history.ts';
import { leastTokens } from './draft/rules.ts';
import type { CompactionRequest } from './signals/compactionSignal.ts';
import type { Reads } from './sections/generalSettings.ts';
import type { Start } from './propose.ts';
import type { ResultPolicy, StrategyEntry } from './strategies/strategyEntry.ts';
import type { StrategyHost } from './run/strategyHost.ts';
import { publicSessionId, readMemory } from './run/strategyMemory.ts';
import type { Market, StrategyCall, StrategyRun } from './run/strategyRun.ts';
import { openSummariser, type Summariser, SummaryRooms, summaryChoice } from './run/summariser.ts';
import type { CompactionSettings } from './settings/compactionSettings.ts';
import { type CoolDown, findCoolDown } from './when/automatic.ts';
import type { Gauge } from './when/gauge.ts';
import { computeLimits } from './when/triggers.ts';

interface RunOrder extends CompactionRequest {
  /** Strategy id, or a substitute where no strategy runs. */
  readonly strategy: string;
  readonly settings: CompactionSettings;
  /** Number of provider refusals since the last answer. */
  readonly refusals: number;
  /** The value compared when the trigger fired; null without a trigger. */
  readonly fired: number | null;
  readonly begun: number;
  /** For a summary prepared while the agent continues: counts its requests. */
  readonly ahead?: OpenRequest;
}

export interface PreparedRun extends Start {
  readonly order: RunOrder;
  /** `seq` of the newest entry that the strategy sees. */
  readonly base: number;
  readonly window: number;
  readonly llm: Summariser;
  readonly market: Market;
  /** The model that would write summaries; null when none can be reached. */
  readonly writer: SummaryWriter | null;
  /** Its summary was prepared while the agent continued. */
  readonly prepared?: CompactionEntry['prepared'];
  /** If set, this run asks no model, and that is not counted as a new failure. */
  readonly cooling: CoolDown | null;
}

/** Maximum lines of an earlier ledger that are read. */
const MOST_CARRIED = 1_000;
/** Maximum entries searched for failures: a cool-down lasts minutes. */
const COOLING = 500;
const AUTOMATIC: ReadonlySet<Trigger> = new Set<Trigger>(['threshold', 'precheck', 'overflow', 'ephemeral', 'ahead']);

export class Preparer {
  readonly #ports: CompactorPorts;
  readonly #gauge: Gauge;
  readonly #history = new HistoryView();
  readonly #rooms = new SummaryRooms();

  constructor(ports: CompactorPorts, gauge: Gauge) {
    this.#ports = ports;
    this.#gauge = gauge;
  }

  /** Null when there is nothing to compact. */
  prepare(order: RunOrder, signal: AbortSignal): PreparedRun | null {
    const ports = this.#ports;
    const gauge = this.#gauge;
    const { journal, clock, log } = ports;
    const { settings, trigger } = order;
    const { conversation, head } = journal.context;
    if (conversation.length === 0 || head === null) return null;
    const now = clock.now();
    const history = this.#history.of(conversation, originalIn(journal.context));
    const { reading, window } = gauge;
    const newest = [...journal.newest(COOLING)].reverse();
    const choice = summaryChoice(ports);
    const writer = choice && { endpoint: choice.client.endpoint, model: choice.model };
    const cooling = findCoolDown(newest, order.strategy, writer, settings.coolDown, now);
    if (cooling) log('warn', 'compaction is cooling down after failures: no model is asked in this run');
    const limits = computeLimits({
      reading,
      least: leastTokens(history, reading),
      history: history.tokens,
      window,
      answer: gauge.answerRoom,
      trigger: settings.trigger,
      targetRatio: settings.targetRatio,
      automatic: AUTOMATIC.has(trigger),
      compared: gauge.compare(settings.trigger),
      fired: order.fired,
      scale: gauge.scale(settings.trigger),
      overflows: trigger === 'overflow' ? order.refusals : 0,
    });
    return {
      order,
      base: head,
      history,
      budget: { reading, limits },
      stamp: { nonce: journal.session.nonce, now, commandLines: settings.keep.commandLines },
      finishing: {
        blobs: ports.blobs,
        offload: settings.offload,
        keepUserTokens: settings.summary.keepUserTokens,
        ledgerTokens: settings.verify.enabled ? settings.verify.ledgerTokens : 0,
        past: () => findPast(journal.backward(head)),
        ledgerOf: (seq) => ledgerLines(seq > journal.importedTo ? journal.context.activeCompaction(seq) : null),
      },
      window,
      market: readMarket(gauge),
      llm: this.summariser(order, cooling?.said ?? null, signal),
      writer,
      cooling,
    };
  }

  /** With `cooling` no model is asked, for that reason. */
  summariser(
    { settings, refusals, ahead }: Pick<RunOrder, 'settings' | 'refusals' | 'ahead'>,
    cooling: Words | null,
    signal: AbortSignal,
  ): Summariser {
    // A summary continues the session's last request only while requests of that size are accepted.
    const fits = refusals === 0;
    return openSummariser(this.#ports, this.#rooms, settings, this.#gauge, cooling, fits, signal, ahead);
  }
}

function readMarket(gauge: Gauge): Market {
  const { clock, cache, reading, price } = gauge;
  const { says, held, usedAt, livesMs } = clock;
  const { reported } = reading;
  const last = reported && Object.freeze({ input: reported.input, cached: reported.cached });
  const now = price && priceWithCache(priceFor(price, reading.tokens), cache);
  const { currency = '', input = 0, output = 0, cacheRead = input, cacheWrite = input } = now ?? {};
  return {
    cache: Object.freeze({ says, heldTokens: held, usedAt, livesMs, last }),
    prices: now ? Object.freeze({ currency, input, output, cacheRead, cacheWrite }) : null,
  };
}

/** The file may have been edited by hand. */
function ledgerLines(entry: CompactionEntry | null | undefined): readonly string[] {
  const added: unknown = entry?.verification?.added;
  return Array.isArray(added) ? added.filter((line) => typeof line === 'string').slice(0, MOST_CARRIED) : [];
}

function originalIn(context: CompactorPorts['journal']['context']) {
  return (id: string) => {
    const found = context.slot(id);
    if (!found) throw new Error(`No item ${id} on this path`);
    return found.message;
  };
}

/**
 * The steps that the compactor takes by itself while the window still holds the context. Below the hard limit the
 * strategy and its settings decide; above it the request must fit in any case. Pure.
 */
export interface CompactorSteps {
  /** Which results of the strategy are final, even if its trigger would fire again. */
  readonly finalResult: NonNullable<ResultPolicy['finalResult']>;
  /** Newest rounds that no step changes. */
  readonly wholeRounds: number;
  /** Drop the oldest messages, instead of a summary, while no model may be asked. */
  readonly drops: boolean;
  /** Which results of reading files stay. The others are hidden before the strategy runs. */
  readonly reads: Reads;
}

/** `cooling`: no model may be asked. */
export function compactorSteps(
  { resultPolicy }: StrategyEntry,
  { section, keep }: Pick<CompactionSettings, 'section' | 'keep'>,
  whole: Pick<CompactionContext, 'history' | 'maxContextSize'>,
  cooling: boolean,
): CompactorSteps {
  return { finalResult: 'none', wholeRounds: 0, ...resultPolicy?.(section, whole), drops: cooling, reads: keep.reads };
}

/** Callbacks while a strategy works. */
export type RunCallbacks = Pick<StrategyCall, 'report' | 'onReached' | 'onQuestion'>;

/** Lends the strategy of `entry` for a run. */
export async function withStrategy<T>(
  ports: CompactorPorts,
  host: StrategyHost,
  entry: StrategyEntry,
  run: PreparedRun,
  callbacks: RunCallbacks,
  work: (strategy: StrategyRun, own: CompactorSteps) => Promise<T>,
): Promise<T> {
  const { settings, trigger, instructions } = run.order;
  const { reserve } = settings.trigger;
  const { context, importedTo } = ports.journal;
  const sessionId = await publicSessionId(ports);
  const newest = () => ports.journal.backward(run.base);
  const from = { context, history: run.history, nonce: run.stamp.nonce, sessionId, importedTo, newest };
  const call: StrategyCall = {
    ...callbacks,
    trigger,
    instructions,
    memory: readMemory(from, entry.id),
    llm: run.llm,
    market: run.market,
    stamp: run.stamp,
    protectedTools: settings.keep.protectedTools,
    section: settings.section,
    sectionOf: (id) => ports.settings(id).section,
    window: run.window,
    reserve: reserve < run.window ? reserve : 0,
    deadlineMs: settings.deadline * 1_000,
    timers: ports.timers,
  };
  const whole = { history: run.history.messages, maxContextSize: run.window };
  const own = compactorSteps(entry, settings, whole, run.cooling !== null);
  return host.run(entry, call, (strategy) => work(strategy, own));
}
