/**
 * Conformance kit: runs a strategy in plain Node over generated and recorded histories and names every broken rule. Each
 * history is compacted five times and grows in between; every boundary that Palimpsest has is met and counted. Sessions
 * run one after another and side by side, with texts that are known again, and what a new instance makes of a history is
 * compared with what an older one makes of it. One call that does not answer in time ends the check.
 *
 * While it runs, errors that nobody caught are reported with their stack, in place of ending the process.
 */

import type { ContextMessage, StrategyFactory, StrategyPorts } from './index.ts';

/** A message of a recorded conversation, as `readRecorded` returns it. */
export interface RecordedMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
}
export interface KitOptions {
  /** Generated histories; each is compacted five times. 200 when left out; from 20 on every boundary is met. */
  readonly cases?: number;
  /** The same seed gives the same histories. 1 when left out. */
  readonly seed?: number;
  /** The one case to run, as a broken rule names it: `generated 57` or `recorded 0`. */
  readonly only?: string;
  readonly histories?: readonly (readonly RecordedMessage[])[];
  /** The answers of the `settings` port. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The answer of the `llm` port where its model answers well. */
  readonly answer?: string;
  /** Milliseconds one call may take, work that never gives way included; the first that takes longer ends the check. 10,000 when left out. */
  readonly deadlineMs?: number;
}
/** Where something happened. `{ ...options, ...alone }` are the options that run that case alone. */
export interface Place {
  /** `generated 17, compaction 3, attempt 2`. */
  readonly where: string;
  readonly alone: { readonly seed: number; readonly only?: string };
}
export interface OffendingMessage {
  /** As the strategy got it; null for what it added. */
  readonly given: ContextMessage | null;
  /** As it came back; undefined when it did not. */
  readonly returned: unknown;
}
export interface BrokenRule extends Place {
  readonly rule: string;
  /** The messages that the rule names. */
  readonly messages: readonly OffendingMessage[];
  /** The stack of what the strategy threw, with its causes, or where it opened what it did not end; absent without either. */
  readonly stack?: string;
}
export interface Remark extends Place {
  readonly why: string;
}
/** The boundaries that a strategy meets in Palimpsest: in the history, in the call, and of the model. */
export type Boundary =
  | 'pinned'
  | 'pinnedInBlock'
  | 'protectedReasoning'
  | 'everythingProtected'
  | 'hidden'
  | 'truncated'
  | 'ephemeral'
  | 'failedResult'
  | 'attachments'
  | 'earlierSummary'
  | 'unknownKind'
  | 'builtInTool'
  | 'unknownTool'
  | 'protectedTool'
  | 'parallelCalls'
  | 'brokenArguments'
  | 'largeHistory'
  | 'imageAlone'
  | 'resultWithImage'
  | 'standingOrders'
  | 'triggerThreshold'
  | 'triggerPrecheck'
  | 'triggerOverflow'
  | 'triggerManual'
  | 'triggerAgent'
  | 'triggerAhead'
  | 'triggerUnknown'
  | 'instructions'
  | 'windowUnknown'
  | 'reserve'
  | 'targetAlmostReached'
  | 'targetImpossible'
  | 'secondAttempt'
  | 'afterUndo'
  | 'afterRevert'
  | 'afterBranch'
  | 'afterReload'
  | 'modelAnswers'
  | 'modelUnreachable'
  | 'modelEmpty'
  | 'modelCutOff'
  | 'modelTooLong'
  | 'modelRefuses'
  | 'modelContinues'
  | 'modelCannotContinue';
export interface ConformanceReport {
  /** Results that would be committed. */
  readonly compactions: number;
  /** Nothing to do, or the model could not be reached or did not answer. */
  readonly unchanged: number;
  /** Results that Palimpsest would reject because they are not smaller than what they replace, and what made them large. */
  readonly notSmaller: readonly Remark[];
  /** Repairs that Palimpsest would make in results before it accepts them. */
  readonly repaired: readonly Remark[];
  /** How many of `compactions` left more than their target, where the target could be reached. */
  readonly overTarget: number;
  /** Tokens left, of all that was compacted: 0 to 1. */
  readonly left: number;
  readonly modelCalls: number;
  /** Tokens of all prompts, estimated. */
  readonly promptTokens: number;
  /** Milliseconds in the strategy's own calls: all of them, and the longest. */
  readonly time: { readonly total: number; readonly longest: number };
  /** How often each boundary was met. Those of the model are 0 for a strategy that asks none. */
  readonly met: Readonly<Record<Boundary, number>>;
  readonly broken: readonly BrokenRule[];
}
/** Rejects with `TypeError` when the factory is none, or an option is misspelt or of a wrong kind. */
export declare function checkStrategy<N extends keyof StrategyPorts>(
  factory: StrategyFactory<N>,
  options?: KitOptions,
): Promise<ConformanceReport>;
/** Rejects with each kind of broken rule in its message: where, how to run it alone, the messages, the stack. */
export declare function assertConforms<N extends keyof StrategyPorts>(
  factory: StrategyFactory<N>,
  options?: KitOptions,
): Promise<ConformanceReport>;
/** One OpenAI-style message a line. Throws `SyntaxError` naming the line when one is not JSON. */
export declare function readRecorded(jsonLines: string): RecordedMessage[];
