/** OpenRouter: its list says everything of each model, and for the provider that it sends most requests to. */

import { asRecord, type Json, objectOf } from '../../core/json.ts';
import type { ModelFacts } from './modelFacts.ts';
import { readOpenRouterPrice } from './readPrice.ts';
import { known, names, readTokens } from './readTokens.ts';

/** Null for the entry of another server's list. */
export function readOpenRouter(model: string, entry: Json): ModelFacts | null {
  const provider = asRecord(entry.top_provider);
  if (!provider) return null;
  const windows = [readTokens(entry.context_length), readTokens(provider.context_length)];
  const both = windows.filter((each) => each !== undefined);
  const parameters = entry.supported_parameters;
  return {
    model,
    server: 'openRouter',
    ...known({
      // A request may go to that provider, so the smaller of the two is sure to fit.
      window: both.length > 0 ? Math.min(...both) : undefined,
      largestWindow: both.length > 0 ? Math.max(...both) : undefined,
      maxOutputTokens: readTokens(provider.max_completion_tokens),
      price: readOpenRouterPrice(entry),
      images: names(objectOf(entry.architecture).input_modalities, 'image'),
      tools: names(parameters, 'tools'),
      reasoning: names(parameters, 'reasoning', 'include_reasoning'),
    }),
  };
}
