/** What is known of the models of one endpoint, and how to ask again. */

import { askFacts } from './askFacts.ts';
import type { EndpointAccess } from './askServer.ts';
import type { ModelFacts } from './modelFacts.ts';

export interface FactsBook {
  /** What was said last; null when nothing is known. */
  of(model: string): ModelFacts | null;
  /** Asks the server. Null when it does not answer. Never throws, and takes a few seconds at most. */
  ask(model: string, signal: AbortSignal): Promise<ModelFacts | null>;
}

/** One that knows what it asked itself. */
export function openFactsBook(access: EndpointAccess): FactsBook {
  const said = new Map<string, ModelFacts>();
  return {
    of: (model) => said.get(model) ?? null,
    ask: async (model, signal) => {
      const facts = await askFacts(access, model, signal);
      if (facts) said.set(model, facts);
      return facts;
    },
  };
}
