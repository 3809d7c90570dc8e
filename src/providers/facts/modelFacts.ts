/** What an endpoint itself says of one of its models. Whatever it does not say is left out. */

import type { Price } from '../../core/cost/money.ts';

export const SERVERS = ['ollama', 'lmStudio', 'llamaCpp', 'vllm', 'openRouter'] as const;
/** A kind of server with its own way of saying what a model is, known by its answers. */
export type ServerKind = (typeof SERVERS)[number];

export interface ModelFacts {
  readonly model: string;
  readonly server?: ServerKind;
  /** Context window in tokens that the server really holds now: of a local server, what it was started or loaded with. */
  readonly window?: number;
  /** Tokens that the model could take if its server were started with more. */
  readonly largestWindow?: number;
  readonly maxOutputTokens?: number;
  readonly price?: Price;
  readonly images?: boolean;
  readonly tools?: boolean;
  readonly reasoning?: boolean;
}
