/**
 * Gathers everything one compaction works on, from the journal as it stands now: history, figures, limits, and the
 * summariser with its budget. Nothing here changes anything.
 */

import type { Message } from '../context/message.ts';
import type { Trigger } from '../journal/entry.ts';
import type { Calibration } from '../tokens/calibrate.ts';
import { type MeterReading, sumTokens } from '../tokens/meter.ts';
import type { CompactorPorts } from './compactorPorts.ts';
import type { HistoryView } from './history.ts';
import { isCoolingDown } from './holds.ts';
import { computeLimits } from './limits.ts';
import type { ProposalFacts } from './propose.ts';
import type { Timers } from './runStrategy.ts';
import type { CompactionSettings } from './settings.ts';
import { createSummariser, type Summariser } from './summarise.ts';

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
  /** Refusals of the provider in this turn. */
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
  const cooling = isCoolingDown(
    [...journal.newest(COOLING)].reverse(),
    setting.strategy,
    settings.coolDown,
    clock.now(),
  );
  if (cooling) log('warn', 'compaction is cooling down after failures: no model is asked in this run');
  const limits = computeLimits({
    reading,
    history: total,
    window,
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
    guarded: setting.history.guarded,
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
    deadlineMs: settings.deadlineMs,
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
  { settings, calibration, window }: RunSetting,
  cooling: boolean,
  signal: AbortSignal,
): Summariser {
  const { log, timers, model, summaryModel } = ports;
  const own = model();
  const chosen = summaryModel() ?? own;
  // What the provider corrected holds for the summaries of the same model, too.
  const choice = chosen && chosen.model === own?.model ? { ...chosen, window } : chosen;
  return createSummariser(cooling ? null : choice, {
    outputTokenMax: settings.summary.outputTokenMax,
    retries: settings.summary.retries,
    factor: calibration.factor(choice?.model ?? ''),
    signal,
    log,
    wait: (ms, until) => wait(timers, ms, until),
  });
}

function wait(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = timers.after(ms, end);
    signal.addEventListener('abort', end, { once: true });
  });
}
