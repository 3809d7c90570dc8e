/**
 * Conformance kit: runs a strategy in plain Node over generated and recorded histories and names every broken rule. Each
 * history is compacted five times and grows in between; once a compaction is undone, once no model answers.
 */
import type { StrategyFactory, StrategyPorts } from './palimpsest-api.js';

/** A message of a recorded conversation, as `readRecorded` returns it. */
export interface RecordedMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
}
export interface KitOptions {
  /** Generated histories; each is compacted five times. 200 when left out. */
  readonly cases?: number;
  /** The same seed gives the same histories. */
  readonly seed?: number;
  readonly histories?: readonly (readonly RecordedMessage[])[];
  /** What the `settings` port gives. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** What the `llm` port answers. */
  readonly answer?: string;
  /** Milliseconds one call may take. 10,000 when left out. */
  readonly deadlineMs?: number;
}
export interface BrokenRule {
  readonly rule: string;
  readonly where: string;
}
export interface ConformanceReport {
  readonly compactions: number;
  /** Nothing to do, or the model could not be reached. */
  readonly unchanged: number;
  /** Results that Palimpsest would reject because they are not smaller than what they replace. */
  readonly notSmaller: number;
  /** Tokens left, of all that was compacted: 0 to 1. */
  readonly left: number;
  readonly broken: readonly BrokenRule[];
}
export declare function checkStrategy<N extends keyof StrategyPorts>(
  factory: StrategyFactory<N>,
  options?: KitOptions,
): Promise<ConformanceReport>;
/** Rejects with every broken rule in its message. */
export declare function assertConforms<N extends keyof StrategyPorts>(
  factory: StrategyFactory<N>,
  options?: KitOptions,
): Promise<ConformanceReport>;
/** One OpenAI-style message a line. Throws `SyntaxError` naming the line when one is not JSON. */
export declare function readRecorded(jsonLines: string): RecordedMessage[];
