/**
 * Gathers everything one compaction works on, from the journal as it stands now: history, figures, limits, and the
 * summariser with its budget. Nothing here changes anything.
 */

import { LOWERING_VERSION } from '../context/lower.ts';
import type { Message } from '../context/message.ts';
import type { Trigger } from '../journal/entry.ts';
import type { ModelRequest } from '../ports.ts';
import { sleep } from '../sleep.ts';
import type { Calibration } from '../tokens/calibrate.ts';
import { windowOf } from '../tokens/learnedWindows.ts';
import { type MeterReading, sumTokens } from '../tokens/meter.ts';
import type { CompactorPorts } from './compactorPorts.ts';
import type { ProposalFacts } from './draft/propose.ts';
import type { HistoryView } from './run/history.ts';
import { createSummariser, type Summariser } from './run/summarise.ts';
import type { CompactionSettings } from './settings.ts';
import { leastTokens } from './when/fixed.ts';
import { isCoolingDown } from './when/holds.ts';
import { answerRoom, computeLimits } from './when/limits.ts';

export interface PreparedRun extends ProposalFacts {
  /** `seq` of the newest entry the strategy sees. */
  readonly base: number;
  /** C7: no model is asked in this run, so its absence is no new failure. */
  readonly cooling: boolean;
  /** The strategy's own section of the settings. */
  readonly section: Readonly<Record<string, unknown>>;
}

export interface RunSetting {
  readonly strategy: string;
  readonly trigger: Trigger;
  readonly instructions?: string;
  readonly settings: CompactionSettings;
  readonly reading: MeterReading;
  readonly window: number;
  /** What the trigger compares for one token of the reading. */
  readonly scale: number;
  /** Refusals of the provider since its last answer. */
  readonly overflows: number;
  readonly calibration: Calibration;
  readonly history: HistoryView;
}

/** Entries in which failures are looked for: a cool-down lasts minutes. */
const COOLING = 500;
const AUTOMATIC: ReadonlySet<Trigger> = new Set<Trigger>(['threshold', 'precheck', 'overflow', 'ephemeral', 'ahead']);

/** Null when there is nothing to compact. */
export function prepareRun(ports: CompactorPorts, setting: RunSetting, signal: AbortSignal): PreparedRun | null {
  const { journal, clock, log, timers, onProgress, blobs } = ports;
  const { settings, reading, window, trigger, overflows } = setting;
  const context = journal.context;
  const items = context.conversation;
  const base = context.head;
  if (items.length === 0 || base === null) return null;
  const header = context.header?.tokens ?? 0;
  const total = sumTokens(items);
  const history = setting.history.of(items);
  const { guarded } = setting.history;
  const cooling = isCoolingDown(
    [...journal.newest(COOLING)].reverse(),
    setting.strategy,
    settings.coolDown,
    clock.now(),
  );
  if (cooling) log('warn', 'compaction is cooling down after failures: no model is asked in this run');
  const limits = computeLimits({
    reading,
    least: leastTokens({ history, guarded, items, total, reading }),
    history: total,
    window,
    answer: answerRoom(window, ports.model()),
    trigger: settings.trigger,
    targetRatio: settings.targetRatio,
    automatic: AUTOMATIC.has(trigger),
    scale: setting.scale,
    overflows,
  });
  return {
    base,
    trigger,
    ...(setting.instructions !== undefined ? { instructions: setting.instructions } : {}),
    history,
    guarded,
    items,
    total,
    original: (id: string): Message => {
      const slot = context.slot(id);
      if (!slot) throw new Error(`No item ${id} on this path`);
      return slot.message;
    },
    reading,
    header,
    limits,
    window,
    reserve: settings.trigger.reserve < window ? settings.trigger.reserve : 0,
    nonce: journal.session.nonce,
    now: clock.now(),
    cooling,
    section: settings.section,
    llm: openSummariser(ports, setting, cooling, signal),
    deadlineMs: settings.deadline * 1_000,
    timers,
    report: (text, fraction) => onProgress({ text, fraction: fraction ?? null }),
    blobs,
    offload: settings.offload,
    keepUserTokens: settings.summary.keepUserTokens,
    ledgerTokens: settings.verify.enabled ? settings.verify.ledgerTokens : 0,
  };
}

/** While it cools down strategies go on with their deterministic part. */
function openSummariser(
  ports: CompactorPorts,
  { settings, calibration }: RunSetting,
  cooling: boolean,
  signal: AbortSignal,
): Summariser {
  const { log, timers, model, summaryModel, windows } = ports;
  const chosen = summaryModel() ?? model();
  // What the provider corrected holds for summaries, too.
  const choice = chosen && { ...chosen, window: windowOf(chosen, windows) };
  return createSummariser(cooling ? null : choice, {
    outputTokenMax: settings.summary.outputTokenMax,
    retries: settings.summary.retries,
    factor: calibration.factor(choice?.model ?? ''),
    signal,
    log,
    wait: (ms, until) => sleep(timers, ms, until),
    record: (request) => recordRequest(ports, request),
    learn: (window) => chosen && windows.learn(chosen.client.endpoint, chosen.model, window),
  });
}

/** Journaled before it is sent. No context lowers to its messages, so they are kept as a body beside the journal (B12). */
async function recordRequest({ journal, crypto, blobs }: CompactorPorts, request: ModelRequest): Promise<void> {
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
  });
}
