/**
 * One call of a strategy: the frozen context it is given, and the record of the stubs it made. After `close` its ports
 * answer nothing any more, so that a late strategy can neither spend tokens nor report.
 */

import type { CompactionContext, ContextMessage, SummaryModel } from '../../../api/index.ts';
import { ModelError } from '../../errors.ts';
import type { Trigger } from '../../journal/entry.ts';
import { type CountTokens, countTokens } from '../../tokens/estimate.ts';
import { type HideReason, makeStub, type Stub } from '../draft/stub.ts';

export interface RunFacts {
  readonly history: readonly ContextMessage[];
  readonly tokenCount: number;
  readonly window: number;
  readonly reserved: number;
  readonly target: number;
  readonly attempt: number;
  readonly trigger: Trigger;
  readonly instructions?: string;
}

export interface RunPorts {
  readonly llm: SummaryModel;
  readonly nonce: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly signal: AbortSignal;
  readonly report: (text: string, fraction?: number) => void;
}

export interface StrategyRun {
  readonly context: CompactionContext;
  /** By message id: the stub that `hide` put in place of its text. */
  readonly stubs: ReadonlyMap<string, Stub>;
  close(): void;
}

export function openRun(facts: RunFacts, ports: RunPorts, count: CountTokens = countTokens): StrategyRun {
  const stubs = new Map<string, Stub>();
  let open = true;
  const context: CompactionContext = Object.freeze({
    history: facts.history,
    tokenCount: facts.tokenCount,
    maxContextSize: facts.window,
    reservedContextSize: facts.reserved,
    targetTokens: facts.target,
    attempt: facts.attempt,
    trigger: facts.trigger,
    ...(facts.instructions !== undefined ? { instructions: facts.instructions } : {}),
    llm: Object.freeze({
      maxInputTokens: ports.llm.maxInputTokens,
      complete: (request: Parameters<SummaryModel['complete']>[0]) =>
        open
          ? bindRequest(ports.llm, ports.signal)(request)
          : Promise.reject(new ModelError('aborted', 'This compaction is over.')),
    }),
    hide: <M extends ContextMessage>(message: M, reason?: string): M =>
      hideMessage(message, reason, ports, stubs, count),
    report: (text: string, fraction?: number) => {
      if (open) ports.report(String(text).slice(0, 500), toShare(fraction));
    },
    signal: ports.signal,
  });
  return {
    context,
    stubs,
    close: () => {
      open = false;
    },
  };
}

/** What was asked ends with `signal`, also when the strategy does not look at it: a late answer would be paid for nothing. */
export function bindRequest(llm: SummaryModel, signal: AbortSignal): SummaryModel['complete'] {
  return async (request) => {
    const own = request?.signal;
    return llm.complete({ ...request, signal: own ? AbortSignal.any([signal, own]) : signal });
  };
}

/** Unchanged when it is protected, a stub already, or not worth hiding because the stub would cost as much. */
function hideMessage<M extends ContextMessage>(
  message: M,
  reason: string | undefined,
  { nonce, now }: Pick<RunPorts, 'nonce' | 'now'>,
  stubs: Map<string, Stub>,
  count: CountTokens,
): M {
  if (message.hidden || message.protected) return message;
  const stub = makeStub(message, toReason(reason), nonce, now);
  // A stub is at most some 30 tokens: longer bodies need no count.
  if (message.text.length < 4 * stub.text.length && count(message.text) <= count(stub.text)) return message;
  stubs.set(message.id, stub);
  const hidden: M = { ...message, text: stub.text };
  return Object.freeze(hidden);
}

/** 0–1, or undefined for what is no number. */
function toShare(fraction: unknown): number | undefined {
  return typeof fraction === 'number' && !Number.isNaN(fraction) ? Math.min(1, Math.max(0, fraction)) : undefined;
}

/** Reasons of other wording are not put into the stub: its wording is fixed (K10). */
function toReason(reason: string | undefined): HideReason {
  return reason === 'pruned' || reason === 'offloaded' ? reason : 'hidden';
}
