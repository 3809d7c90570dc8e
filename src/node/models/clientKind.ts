/** One kind of model: its models, their entries in the chooser, and their clients. */

import type { ModelChoice, ModelProblem } from '../../core/model/modelChoice.ts';
import type { Choice } from '../../protocol/messages.ts';

export interface ClientKind {
  /** Its answers are scripted, and marked as such. */
  readonly scripted: boolean;
  /** Requests go over a network, so failures may be retried. */
  readonly retries: boolean;
  /** True when the model with that id is of this kind. */
  owns(id: string): boolean;
  /** `chosen`: the model for new sessions if it is of this kind, listed or not. */
  choices(chosen: string | null): readonly Choice[];
  /** The id under which the chooser shows it: a model may have several names. */
  canonical(id: string): string;
  /** The client, or why there is none. `beside`: the model whose endpoint is tried first when the id names none. */
  resolve(id: string, beside?: string): ModelChoice | ModelProblem;
  /** Updates the server's facts about the model before a turn. Does not wait long, and never fails. */
  refresh?(id: string): Promise<void>;
  /** Fetches what `resolve` needs and may not wait for. */
  load(): Promise<void>;
}
