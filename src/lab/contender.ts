/** A contender in the lab: a strategy that runs on a recorded session, and what is counted of the model it uses. */

import type { PreparedSession } from './prepareSession.ts';
import type { Request } from './request.ts';
import type { RunCounts } from './runAccount.ts';

/** A strategy running on one session. `request` is called once for each recorded assistant message, in order. */
export interface Contender {
  /** The request for the answer recorded at `step`, from messages 0 … step−1. */
  request(step: number, signal: AbortSignal): Request | Promise<Request>;
  /** Model usage and runs so far; omitted by strategies that call no model and cannot fail. */
  account?(): { readonly model: ModelUse; readonly runs: RunCounts };
  /** Call when no request follows. */
  dispose?(): void;
}

/** A plain strategy, as a yardstick of the lab. */
export type Baseline = (prepared: PreparedSession, window: number) => Contender;

/** Share of the window from which the plain strategies act. */
export const TRIGGER = 0.8;

/** A strategy's use of a model. */
export interface ModelUse {
  /** Source of the answers; empty without a model. */
  readonly name: string;
  readonly answered: number;
  readonly refused: number;
}
