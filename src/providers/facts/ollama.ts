/**
 * Ollama: `/api/ps` says with which context a model runs. For one that does not run, `/api/show` says what its own
 * parameters ask for; what the model was made for is only the largest possible.
 */

import { asRecord, asText, listOf, objectOf } from '../../core/json.ts';
import type { Server } from './askServer.ts';
import type { ModelFacts } from './modelFacts.ts';
import { known, names, readTokens } from './readTokens.ts';

/** Null for another server. */
export async function askOllama({ askRoot }: Server, model: string): Promise<ModelFacts | null> {
  const [running, about] = await Promise.all([askRoot('api/ps'), askRoot('api/show', { model })]);
  const shown = asRecord(about);
  const info = asRecord(shown?.model_info);
  const runs = listOf(asRecord(running)?.models)
    .map((each) => objectOf(each))
    .find((each) => [each.name, each.model].some((name) => isSame(asText(name), model)));
  if (!runs && !info) return null;
  const largestWindow = readTokens(info?.[`${asText(info['general.architecture'])}.context_length`]);
  const asked = readTokens(/^num_ctx\s+(\d{1,10})\s*$/m.exec(asText(shown?.parameters))?.[1]);
  const starts = asked && largestWindow ? Math.min(asked, largestWindow) : asked;
  return {
    model,
    server: 'ollama',
    ...known({
      window: runs ? readTokens(runs.context_length) : starts,
      largestWindow,
      images: names(shown?.capabilities, 'vision'),
      tools: names(shown?.capabilities, 'tools'),
      reasoning: names(shown?.capabilities, 'thinking'),
    }),
  };
}

/** `llama3.2` is `llama3.2:latest`. */
function isSame(one: string, other: string): boolean {
  const full = (name: string) => (name.includes(':') ? name : `${name}:latest`);
  return full(one) === full(other);
}
