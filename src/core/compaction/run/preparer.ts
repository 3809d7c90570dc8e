/** Collects the inputs of one compaction from the present journal: history, budget and summariser. Changes nothing. */

import type { Clock } from '../../clock.ts';
import type { Projection } from '../../context/projection.ts';
import { priceWithCache } from '../../cost/cacheFacts.ts';
import type { BlobStore } from '../../journal/blobStore.ts';
import type { CompactionEntry, Trigger } from '../../journal/entry.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Log } from '../../log.ts';
import { priceFor } from '../../money.ts';
import { canRecall } from '../../tools/builtIn/recall.ts';
import { HistoryView } from '../draft/history.ts';
import { leastTokens } from '../draft/rules.ts';
import { pathFacts } from '../draft/sessionFacts.ts';
import type { Market } from '../hosting/strategyCall.ts';
import { mostFreed } from '../proposal/worth.ts';
import type { Summarisers } from '../summariser/summarisers.ts';
import { findCoolDown } from '../trigger/coolDown.ts';
import type { Gauge } from '../trigger/gauge.ts';
import { computeLimits } from '../trigger/limits.ts';
import type { PreparedRun, RunOrder } from './preparedRun.ts';

/** Maximum lines of an earlier ledger that are read. */
const MOST_CARRIED = 1_000;
/** Maximum entries searched for failures: a cool-down lasts minutes. */
const COOLING = 500;
const AUTOMATIC: ReadonlySet<Trigger> = new Set<Trigger>(['threshold', 'precheck', 'overflow', 'ephemeral', 'ahead']);

interface Ports {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: Log;
  readonly blobs: BlobStore;
}

export class Preparer {
  readonly #ports: Ports;
  readonly #gauge: Gauge;
  readonly #summarisers: Summarisers;
  readonly #history = new HistoryView();

  constructor(ports: Ports, gauge: Gauge, summarisers: Summarisers) {
    this.#ports = ports;
    this.#gauge = gauge;
    this.#summarisers = summarisers;
  }

  /** Null when there is nothing to compact, or too little. */
  prepare(order: RunOrder, signal: AbortSignal): PreparedRun | null {
    const gauge = this.#gauge;
    const { journal, clock, log, blobs } = this.#ports;
    const { settings, trigger } = order;
    const { conversation, head } = journal.context;
    if (conversation.length === 0 || head === null) return null;
    const now = clock.now();
    const history = this.#history.of(conversation, originalIn(journal.context));
    const { reading, window } = gauge;
    if (mostFreed(history, reading) < order.worth.least) return null;
    const newest = [...journal.newest(COOLING)].reverse();
    const choice = this.#summarisers.choice;
    const writer = choice && { endpoint: choice.client.endpoint, model: choice.model };
    const cooling = findCoolDown(newest, order.strategy, writer, settings.coolDown, now);
    if (cooling) log('warn', 'compaction is cooling down after failures: no model is asked in this run');
    // A summary continues the session's last request only while requests of that size are accepted.
    const asking = { settings, cooling, refused: order.refusals > 0, ahead: order.ahead, dry: order.dry };
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
      mayFit: gauge.mayFit,
      mustFit: order.worth.least === 0,
    });
    const recalls = settings.recall.tokensPerTurn > 0 && canRecall(journal.context);
    return {
      order,
      base: head,
      history,
      budget: { reading, limits },
      worth: order.worth,
      stamp: { nonce: journal.session.nonce, now, commandLines: settings.keep.commandLines, recalls },
      finishing: {
        blobs,
        offload: settings.offload,
        keepUserTokens: settings.summary.keepUserTokens,
        ledgerTokens: settings.verify.enabled ? settings.verify.ledgerTokens : 0,
        facts: () => pathFacts.at(journal.backward(head), conversation[0]?.seq ?? 0),
        recalls,
        ledgerOf: (seq) => ledgerLines(seq > journal.importedTo ? journal.context.activeCompaction(seq) : null),
      },
      window,
      market: readMarket(gauge),
      llm: this.#summarisers.open(asking, signal),
      writer,
      cooling,
    };
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

function originalIn(context: Projection) {
  return (id: string) => {
    const found = context.slot(id);
    if (!found) throw new Error(`No item ${id} on this path`);
    return found.message;
  };
}
