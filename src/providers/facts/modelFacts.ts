/** What an endpoint itself says of one of its models. Whatever it does not say is left out. */

import type { Price } from '../../core/cost/money.ts';

export interface ModelFacts {
  readonly model: string;
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
