/** vLLM: its list says with which length each model was started. */

import type { Json } from '../../core/json.ts';
import type { ModelFacts } from './modelFacts.ts';
import { readTokens } from './readTokens.ts';

/** Null for the entry of another server's list. */
export function readVllm(model: string, entry: Json): ModelFacts | null {
  const window = readTokens(entry.max_model_len);
  return window === undefined ? null : { model, server: 'vllm', window };
}
