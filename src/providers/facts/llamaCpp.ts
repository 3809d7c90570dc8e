/** llama.cpp's server: `/props` says what one request may hold, which is the context divided among its slots. */

import { asRecord, asText, type Json, objectOf } from '../../core/json.ts';
import type { Server } from './askServer.ts';
import type { ModelFacts } from './modelFacts.ts';
import { known, names, readTokens } from './readTokens.ts';

/** Null for another server. `entry` is what its list says of the model. */
export async function askLlamaCpp({ askRoot }: Server, model: string, entry: Json): Promise<ModelFacts | null> {
  // A server of several models must not load one because it was asked about it.
  const props = asRecord(await askRoot(`props?model=${encodeURIComponent(model)}&autoload=false`));
  const meta = objectOf(entry.meta);
  const defaults = asRecord(props?.default_generation_settings);
  if (!defaults && asText(entry.owned_by) !== 'llamacpp') return null;
  const modalities = asRecord(props?.modalities);
  const caps = asRecord(props?.chat_template_caps);
  return {
    model,
    server: 'llamaCpp',
    ...known({
      window: readTokens(defaults?.n_ctx) ?? readTokens(props?.n_ctx) ?? readTokens(meta.n_ctx),
      largestWindow: readTokens(meta.n_ctx_train),
      images: modalities ? modalities.vision === true : names(objectOf(entry.architecture).input_modalities, 'image'),
      tools: typeof caps?.supports_tools === 'boolean' ? caps.supports_tools : undefined,
    }),
  };
}
