/** The options of a client of an endpoint. */

import type { CacheLifetimes } from '../core/cost/pauses.ts';
import type { EndpointAccess } from './endpointFetch.ts';
import type { FactsBook } from './modelFacts.ts';

export interface ClientOptions extends EndpointAccess {
  /** Makes unique ids for calls without one, at most 40 characters. */
  readonly mintId?: () => string;
  /** The cache lifetimes that the dialect `messages` requests; default: five minutes. */
  readonly cacheLifetimes?: () => CacheLifetimes;
  /** The endpoint's facts about its models. Default: the client asks for them when needed. */
  readonly facts?: FactsBook;
}
