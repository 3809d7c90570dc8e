/**
 * One call of a strategy: the frozen context it is given, and the record of the stubs it made. After `close` its ports
 * no longer answer, so that a late strategy can neither spend tokens nor report.
 */

import type { CompactionContext, ContextMessage, SummaryModel } from '../../../api/index.ts';
import { ModelError } from '../../errors.ts';
import type { Trigger } from '../../journal/entry.ts';
import { countTokens } from '../../tokens/estimate.ts';
import { type HideReason, makeStub, type Stamp, type Stub } from '../draft/stub.ts';
import type { StrategyMemory } from '../memory/strategyMemory.ts';
import { lendBuiltIns } from './builtins.ts';

/** What a strategy is called with, the same in each attempt. */
export interface StrategyCall {
  readonly trigger: Trigger;
  readonly instructions?: string | undefined;
  /** Tokens; 0 when unknown. */
  readonly window: number;
  /** Tokens of the window that its trigger keeps free. */
  readonly reserve: number;
  /** Tools whose results are not hidden while the window can hold them. */
  readonly protectedTools: readonly string[];
  readonly memory: StrategyMemory;
  /** The person's settings of a built-in strategy. */
  readonly sectionOf: (builtIn: string) => Readonly<Record<string, unknown>>;
  readonly llm: SummaryModel;
  readonly report: (text: string, fraction?: number) => void;
}

/** What one attempt is to reach. */
export interface Aim {
  readonly attempt: number;
  /** Tokens of the whole request now. */
  readonly tokenCount: number;
  /** Uncalibrated tokens that the history should fit into. */
  readonly target: number;
  /** Uncalibrated tokens of the history at which the trigger is quiet; no less than `target`. */
  readonly threshold: number;
}

export interface StrategyRun {
  readonly context: CompactionContext;
  /** By message id: the stub that `hide` put in place of its text. */
  readonly stubs: ReadonlyMap<string, Stub>;
  close(): void;
}

/** `soFar` is given what the strategy says is done; it throws for what could not stand. */
export function openRun(
  history: readonly ContextMessage[],
  call: StrategyCall,
  aim: Aim,
  stamp: Stamp,
  signal: AbortSignal,
  soFar: (messages: unknown) => void,
): StrategyRun {
  const stubs = new Map<string, Stub>();
  let open = true;
  const context: CompactionContext = Object.freeze({
    history,
    tokenCount: aim.tokenCount,
    maxContextSize: call.window,
    reservedContextSize: call.reserve,
    targetTokens: Math.max(1, Math.floor(aim.target)),
    thresholdTokens: Math.max(1, Math.floor(aim.threshold)),
    attempt: aim.attempt,
    trigger: call.trigger,
    ...(call.instructions !== undefined ? { instructions: call.instructions } : {}),
    builtins: lendBuiltIns(
      () => context,
      call.sectionOf,
      () => open,
    ),
    sessionId: call.memory.sessionId,
    details: call.memory.details,
    previousSummary: call.memory.previousSummary,
    get files() {
      return call.memory.files;
    },
    llm: Object.freeze({
      maxInputTokens: call.llm.maxInputTokens,
      complete: (request: Parameters<SummaryModel['complete']>[0]) =>
        open
          ? bindRequest(call.llm, signal)(request)
          : Promise.reject(new ModelError('aborted', 'This compaction is over.')),
    }),
    hide: <M extends ContextMessage>(message: M, reason?: string, always = false): M =>
      isKept(message, call.protectedTools) ? message : hideMessage(message, reason, always, stamp, stubs),
    report: (text: string, fraction?: number) => {
      if (open) call.report(String(text).slice(0, 500), toShare(fraction));
    },
    soFar: (messages: unknown) => {
      if (open) soFar(messages);
    },
    signal,
  });
  return {
    context,
    stubs,
    close: () => {
      open = false;
    },
  };
}

/** A question ends with `signal` even when the strategy ignores it: a late answer would have no use. */
export function bindRequest(llm: SummaryModel, signal: AbortSignal): SummaryModel['complete'] {
  return async (request) => {
    const own = request?.signal;
    return llm.complete({ ...request, signal: own ? AbortSignal.any([signal, own]) : signal });
  };
}

const isKept = (message: ContextMessage, tools: readonly string[]) =>
  message.role === 'tool' && tools.includes(message.toolName);

/** Unchanged when it is protected, a stub already, or not worth hiding because the stub would cost as much. */
function hideMessage<M extends ContextMessage>(
  message: M,
  reason: string | undefined,
  always: boolean,
  stamp: Stamp,
  stubs: Map<string, Stub>,
): M {
  if (message.hidden || message.protected || stubs.get(message.id)?.text === message.text) return message;
  const stub = makeStub(message, toReason(reason), stamp);
  // A stub is at most some 30 tokens: longer bodies need no count.
  const isShort = message.text.length < 4 * stub.text.length && countTokens(message.text) <= countTokens(stub.text);
  if (isShort && always !== true) return message;
  stubs.set(message.id, stub);
  const hidden: M = { ...message, text: stub.text };
  return Object.freeze(hidden);
}

/** 0–1, or undefined for what is no number. */
function toShare(fraction: unknown): number | undefined {
  return typeof fraction === 'number' && !Number.isNaN(fraction) ? Math.min(1, Math.max(0, fraction)) : undefined;
}

/** Reasons of other wording are not put into the stub: its wording is fixed. */
function toReason(reason: string | undefined): HideReason {
  return reason === 'pruned' || reason === 'offloaded' ? reason : 'hidden';
}
