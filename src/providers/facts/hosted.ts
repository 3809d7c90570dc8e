/** Hosted providers whose lists name a context, each under a name of its own (Groq, Mistral, Together and others). */

import { type Json, objectOf } from '../../core/json.ts';
import type { ModelFacts } from './modelFacts.ts';
import { known, readTokens } from './readTokens.ts';

/** Null when the entry says nothing that is known here. */
export function readHosted(model: string, entry: Json): ModelFacts | null {
  const capabilities = objectOf(entry.capabilities);
  const said = known({
    window:
      readTokens(entry.context_length) ?? readTokens(entry.context_window) ?? readTokens(entry.max_context_length),
    maxOutputTokens: readTokens(entry.max_completion_tokens) ?? readTokens(entry.max_output_tokens),
    images: readFlag(capabilities.vision) ?? readFlag(entry.supports_image_in),
    tools: readFlag(capabilities.function_calling),
    reasoning: readFlag(entry.supports_reasoning),
  });
  return Object.keys(said).length > 0 ? { model, ...said } : null;
}

function readFlag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}
