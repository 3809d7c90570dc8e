/** LM Studio: `/api/v0/models` says with which length a model is loaded, and for one that is not, the largest possible. */

import { asText } from '../../core/json.ts';
import type { Server } from './askServer.ts';
import type { ModelFacts } from './modelFacts.ts';
import { readModelList } from './modelList.ts';
import { known, names, readTokens } from './readTokens.ts';

/** Null for another server, and for a model that it does not have. */
export async function askLmStudio({ askRoot }: Server, model: string): Promise<ModelFacts | null> {
  const entry = readModelList(await askRoot('api/v0/models'))?.find(({ id }) => id === model)?.entry;
  // Other servers may have something at this address, but none says there whether a model is loaded.
  if (!entry || typeof entry.state !== 'string') return null;
  const type = asText(entry.type);
  return {
    model,
    server: 'lmStudio',
    ...known({
      window: entry.state === 'not-loaded' ? undefined : readTokens(entry.loaded_context_length),
      largestWindow: readTokens(entry.max_context_length),
      images: type ? type === 'vlm' : undefined,
      tools: names(entry.capabilities, 'tool_use'),
    }),
  };
}
