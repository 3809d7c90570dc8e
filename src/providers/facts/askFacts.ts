/**
 * What an endpoint says of one of its models. Its list of models is asked first, which every endpoint has; servers on
 * one's own machine are then asked in their own way, the likeliest first.
 */

import { asText, type Json } from '../../core/json.ts';
import { type EndpointAccess, type Server, withServer } from './askServer.ts';
import { readHosted } from './hosted.ts';
import { askLlamaCpp } from './llamaCpp.ts';
import { askLmStudio } from './lmStudio.ts';
import type { ModelFacts, ServerKind } from './modelFacts.ts';
import { readModelList } from './modelList.ts';
import { askOllama } from './ollama.ts';
import { readOpenRouter } from './openRouter.ts';
import { readVllm } from './vllm.ts';

type LocalKind = Extract<ServerKind, 'ollama' | 'lmStudio' | 'llamaCpp'>;

/** Null when nobody answered, or when nothing is said of the model. Waits a few seconds at most. */
export function askFacts(access: EndpointAccess, model: string, signal: AbortSignal): Promise<ModelFacts | null> {
  return withServer(access, model, signal, async (server) => {
    const list = await server.ask('models');
    const entry = readModelList(list)?.find(({ id }) => id === model)?.entry ?? {};
    const listed = readListed(model, entry);
    if (listed?.window !== undefined) return listed;
    const known = kindIn(entry);
    const kinds: readonly LocalKind[] = known ? [known] : server.endpoint.loopback ? LOCAL_KINDS : [];
    for (const kind of kinds) {
      const facts = await askLocal(kind, server, model, entry);
      if (facts) return facts;
    }
    return listed;
  });
}

/** What the list alone says of a model. */
export function readListed(model: string, entry: Json): ModelFacts | null {
  return readOpenRouter(model, entry) ?? readVllm(model, entry) ?? readHosted(model, entry);
}

/** The most used first: each is asked in vain on a server of another kind. */
const LOCAL_KINDS: readonly LocalKind[] = ['ollama', 'llamaCpp', 'lmStudio'];

/** As the servers name the owner of their models. */
function kindIn(entry: Json): LocalKind | null {
  switch (asText(entry.owned_by)) {
    case 'library':
      return 'ollama';
    case 'llamacpp':
      return 'llamaCpp';
    case 'organization_owner':
      return 'lmStudio';
    default:
      return null;
  }
}

function askLocal(kind: LocalKind, server: Server, model: string, entry: Json): Promise<ModelFacts | null> {
  switch (kind) {
    case 'ollama':
      return askOllama(server, model);
    case 'llamaCpp':
      return askLlamaCpp(server, model, entry);
    case 'lmStudio':
      return askLmStudio(server, model);
  }
}
