/** Lends the strategy of an entry for a run, with what it may see of the session. */

import type { CompactorPorts } from './compactorPorts.ts';
import { type CompactorSteps, compactorSteps } from './compactorSteps.ts';
import type { PreparedRun } from './preparedRun.ts';
import type { LargeSummary } from './proposal/proposal.ts';
import { isWorthAsking } from './proposal/worth.ts';
import type { StrategyCall } from './run/strategyCall.ts';
import type { StrategyHost } from './run/strategyHost.ts';
import { publicSessionId, readMemory } from './run/strategyMemory.ts';
import type { StrategyRun } from './run/strategyRun.ts';
import type { StrategyEntry } from './strategies/strategyEntry.ts';

/** Callbacks while a strategy works. */
export interface RunCallbacks extends Pick<StrategyCall, 'report' | 'onReached' | 'onQuestion'> {
  /** A summary would take so many requests that a person is asked first. */
  readonly onLarge?: (summary: LargeSummary) => void;
}

/** Requests for one summary that nobody is asked about. */
const MOST_UNASKED = 4;

export async function withStrategy<T>(
  ports: CompactorPorts,
  host: StrategyHost,
  entry: StrategyEntry,
  run: PreparedRun,
  callbacks: RunCallbacks,
  work: (strategy: StrategyRun, own: CompactorSteps) => Promise<T>,
): Promise<T> {
  const { settings, trigger, instructions, worth } = run.order;
  const { factor } = run.budget.reading;
  const { reserve } = settings.trigger;
  const { context, importedTo } = ports.journal;
  const sessionId = await publicSessionId(ports);
  const newest = () => ports.journal.backward(run.base);
  const from = { context, history: run.history, nonce: run.stamp.nonce, sessionId, importedTo, newest };
  const call: StrategyCall = {
    ...callbacks,
    maySummarise: (tokens, inOne) => {
      const requests = inOne ? 1 : Math.ceil(tokens / run.llm.maxInputTokens);
      if (!run.order.agreed && Number.isFinite(requests) && requests > MOST_UNASKED) {
        callbacks.onLarge?.({ requests, tokens: Math.round(tokens * factor) });
        return false;
      }
      return isWorthAsking(tokens * factor, settings.summary.outputTokenMax, trigger, worth);
    },
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
