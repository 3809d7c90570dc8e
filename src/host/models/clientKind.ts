/** What one kind of model client gives the product: its models, what the chooser shows of them, and their clients. */

import type { ModelChoice, ModelProblem } from '../../core/ports.ts';
import type { Choice } from '../../protocol/messages.ts';

export interface ClientKind {
  /** Its answers are a script's, and are marked as such. */
  readonly scripted: boolean;
  /** Requests go over a network, so what fails may be tried again. */
  readonly retries: boolean;
  /** Whether a model of that id is of this kind. */
  owns(id: string): boolean;
  /** `chosen`: the model set for new sessions when it is of this kind, listed or not. */
  choices(chosen: string | null): readonly Choice[];
  /** The id under which the chooser shows it: a model may be named in several ways. */
  canonical(id: string): string;
  /** The client, or why there is none. `beside`: the model whose endpoint goes first when the id names none. */
  resolve(id: string, beside?: string): ModelChoice | ModelProblem;
  /** Finds out before a turn what the model's server says of it now. Does not wait long, and never fails. */
  refresh?(id: string): Promise<void>;
  /** Fetches what `resolve` needs and may not wait for. */
  load(): Promise<void>;
}
