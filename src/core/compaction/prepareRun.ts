/**
 * Collects the inputs of one compaction from the present journal: history, budget, and the summariser.
 * Changes nothing.
 */

import { priceWithCache } from '../cost/cacheFacts.ts';
import type { CompactionEntry, Trigger } from '../journal/entry.ts';
import { priceFor } from '../money.ts';
import type { Words } from '../words.ts';
import type { CompactorPorts } from './compactorPorts.ts';
import { HistoryView } from './draft/history.ts';
import { leastTokens } from './draft/rules.ts';
import { pathFacts } from './draft/sessionFacts.ts';
import type { PreparedRun, RunOrder } from './preparedRun.ts';
import { mostFreed } from './proposal/worth.ts';
import { openSummariser, summaryChoice } from './run/openSummariser.ts';
import type { Market } from './run/strategyCall.ts';
import type { Summariser } from './run/summariser.ts';
import { SummaryRooms } from './run/summaryRoom.ts';
import { findCoolDown } from './when/coolDown.ts';
import type { Gauge } from './when/gauge.ts';
import { computeLimits } from './when/limits.ts';

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

  /** Null when there is nothing to compact, or too little. */
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
    if (mostFreed(history, reading) < order.worth.least) return null;
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
      gain: order.worth.gain,
    });
    return {
      order,
      base: head,
      history,
      budget: { reading, limits },
      worth: order.worth,
      stamp: { nonce: journal.session.nonce, now, commandLines: settings.keep.commandLines },
      finishing: {
        blobs: ports.blobs,
        offload: settings.offload,
        keepUserTokens: settings.summary.keepUserTokens,
        ledgerTokens: settings.verify.enabled ? settings.verify.ledgerTokens : 0,
        facts: () => pathFacts.at(journal.backward(head), conversation[0]?.seq ?? 0),
        ledgerOf: (seq) => ledgerLines(seq > journal.importedTo ? journal.context.activeCompaction(seq) : null),
      },
      window,
      market: readMarket(gauge),
      llm: this.summariser(order, cooling?.reason ?? null, signal),
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
