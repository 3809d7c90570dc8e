/** The summariser of one compaction: which model it asks, and the journal's record of what it was asked and used. */

import { LOWERING_VERSION } from '../../context/lower.ts';
import { NO_COSTS } from '../../cost/formatMoney.ts';
import { priced } from '../../cost/money.ts';
import { addCost } from '../../cost/spending.ts';
import type { SummaryUsageEntry } from '../../journal/entry.ts';
import type { ModelChoice, ModelRequest } from '../../ports.ts';
import { sleep } from '../../sleep.ts';
import { windowOf } from '../../tokens/learnedWindows.ts';
import type { Words } from '../../words.ts';
import type { OpenRequest } from '../ahead/ahead.ts';
import type { CompactorPorts } from '../compactorPorts.ts';
import type { CompactionSettings } from '../settings.ts';
import type { Gauge } from '../when/gauge.ts';
import { type ContinuedFrom, continueRequest, lastSent } from './continueRequest.ts';
import { createSummariser, refusingSummariser, type Summariser } from './summarise.ts';
import { type RoomMemory, roomMemory } from './summaryRoom.ts';

/** What each summary model left of its room when it refused a request as too long: kept for the session. */
export class SummaryRooms {
  readonly #rooms = new Map<string, RoomMemory>();

  /** A window that was corrected in the settings starts afresh, like another model. */
  of({ client, model, window }: ModelChoice): RoomMemory {
    const key = JSON.stringify([client.endpoint, model, window]);
    const known = this.#rooms.get(key) ?? roomMemory();
    this.#rooms.set(key, known);
    return known;
  }
}

/** The model that writes summaries; null when none can be reached. */
export const summaryChoice = ({ summaryModel, model }: CompactorPorts): ModelChoice | null => summaryModel() ?? model();

/**
 * With `cooling` no model is asked, for this reason: strategies go on with their deterministic part. `fits`: the session's
 * own requests do, so that a summary may go on from the last one. With `ahead` it is asked while the agent goes on, about
 * the conversation as it is now.
 */
export function openSummariser(
  ports: CompactorPorts,
  rooms: SummaryRooms,
  { summary }: CompactionSettings,
  gauge: Gauge,
  cooling: Words | null,
  fits: boolean,
  signal: AbortSignal,
  ahead: OpenRequest | null = null,
): Summariser {
  if (cooling) return refusingSummariser(cooling);
  const { log, timers, windows } = ports;
  const chosen = summaryChoice(ports);
  // What the provider corrected holds for summaries, too.
  const choice = chosen && { ...chosen, window: windowOf(chosen, windows) };
  const own = ports.model();
  const isOwn = choice?.model === own?.model && choice?.client.endpoint === own?.client.endpoint;
  const from = choice && own && isOwn ? continuedFrom(ports, { ...own, window: choice.window }, gauge, ahead) : null;
  let costs = NO_COSTS;
  return createSummariser(choice, {
    outputTokenMax: summary.outputTokenMax,
    retries: summary.retries,
    factor: gauge.calibration.factor(choice?.model ?? ''),
    signal,
    log,
    timers,
    wait: (ms, until) => sleep(timers, ms, until),
    record: async (request) => {
      await recordRequest(ports, request, ahead !== null);
      ahead?.sent(request.model);
    },
    recordUsage: async (usage, estimated) => {
      if (ahead && !ahead.answered()) return;
      const paid = priced(estimated ? null : usage, choice?.price);
      costs = addCost(costs, paid.cost);
      const facts = { usage, ...(estimated ? { estimated } : {}), ...(ahead ? { ahead: true as const } : {}), ...paid };
      await recordUsage(ports, choice, facts);
    },
    ...(ahead ? { recordUnanswered: (stopped) => ahead.unanswered(stopped) } : {}),
    costs: () => costs,
    learn: (window) => chosen && windows.learn(chosen, window),
    room: chosen ? rooms.of(chosen) : roomMemory(),
    ...(from && fits && summary.continueRequest
      ? { continues: (question, limit, again) => continueRequest(from, question, limit, again) }
      : {}),
  });
}

/** What comes to the conversation while a summary is prepared is none of its business. */
function continuedFrom(
  { journal, crypto }: CompactorPorts,
  choice: ModelChoice,
  gauge: Gauge,
  ahead: OpenRequest | null,
): ContinuedFrom {
  const now = { journal, crypto, choice, reading: () => gauge.reading, sent: () => lastSent(journal, choice) };
  if (!ahead) return now;
  const [reading, sent] = [now.reading(), now.sent()];
  return { ...now, reading: () => reading, sent: () => sent };
}

/** Journaled before it is sent. No context lowers to its messages, so they are kept as a body beside the journal. */
async function recordRequest(
  { journal, crypto, blobs }: CompactorPorts,
  request: ModelRequest,
  ahead: boolean,
): Promise<void> {
  if (journal.readOnly) return;
  const { model, maxOutputTokens } = request;
  const body = new TextEncoder().encode(JSON.stringify(request));
  await blobs.put(body);
  await journal.append({
    type: 'request',
    purpose: 'summary',
    model,
    ...(maxOutputTokens ? { maxOutputTokens } : {}),
    bodySha256: await crypto.sha256(body),
    loweringVersion: LOWERING_VERSION,
    messages: request.messages.length,
    ...(ahead ? { ahead } : {}),
  });
}

async function recordUsage(
  { journal }: CompactorPorts,
  choice: ModelChoice | null,
  used: Pick<SummaryUsageEntry, 'usage' | 'estimated' | 'ahead' | 'cost' | 'price'>,
): Promise<void> {
  if (journal.readOnly || !choice) return;
  await journal.append({ type: 'summaryUsage', model: choice.model, ...used });
}
