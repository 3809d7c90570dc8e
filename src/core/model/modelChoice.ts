/** The model that a session uses, with what is known of it; or why there is none, and what a person can do about it. */

import type { Price } from '../money.ts';
import type { Words } from '../words.ts';
import type { Effort, ModelClient } from './modelClient.ts';

/** Id of the scripted demo in settings, journal and picker. */
export const DEMO = 'demo';

/** A model chosen for a session. */
export interface ModelChoice {
  readonly client: ModelClient;
  readonly model: string;
  /** Context window in tokens; 0 when unknown. */
  readonly window: number;
  /** The source of the window: the person, the server, a table of models, or the default. */
  readonly windowFrom?: 'settings' | 'server' | 'table' | 'default';
  readonly maxOutputTokens?: number;
  readonly effort?: Effort;
  /** It accepts images; omitted where nobody knows. */
  readonly images?: boolean;
  /** It runs on this machine. */
  readonly local?: true;
  /** How long its provider keeps a prompt in its cache after the last use; omitted where undocumented. */
  readonly cacheLivesMs?: number;
  /** Price of its tokens; omitted where unknown. */
  readonly price?: Price;
}

/** Why a model has no client, and what a person can do about it. */
export interface ModelProblem {
  readonly problem: Words;
  readonly action: 'openSettings' | 'setKey' | 'chooseModel';
}
