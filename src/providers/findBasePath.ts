import { parseEndpoint } from './endpoint.ts';
import { type FoundMessages, findMessages } from './findMessages.ts';
import { type ConnectionResult, type ConnectionTarget, describeList, testConnection } from './testConnection.ts';

/**
 * Finds the path at which an address answers: people copy addresses without `/v1`, or with the path of one request.
 * Only the given origin is contacted, because the key is meant for it alone.
 */
export interface FoundBase {
  readonly baseUrl: string;
  readonly result: ConnectionResult;
  /** It speaks Anthropic's Messages API, and does not list its models in the usual way. */
  readonly messages?: FoundMessages;
}

/** The paths of common servers and gateways, the likeliest first. */
const LIKELY = ['/v1', '/api/v1', '/openai/v1', '/api/openai/v1'];

/** The end of an address for one request. */
const REQUEST = /\/(?:chat\/completions|completions|responses|messages|embeddings|models)\/?$/;

/** The typed address comes first. If no address answers, its result is returned. */
export async function findBasePath(target: ConnectionTarget, signal: AbortSignal): Promise<FoundBase> {
  const typed = target.baseUrl.replace(REQUEST, '');
  const first = { baseUrl: typed, result: await testConnection({ ...target, baseUrl: typed }, signal) };
  // Its own header may be the only one in which it takes the key.
  if (first.result.kind === 'auth') return (await findByMessages(target, typed, signal)) ?? first;
  if (first.result.kind !== 'notAnEndpoint') return first;
  for (const baseUrl of listLikely(typed)) {
    const result = await testConnection({ ...target, baseUrl }, signal);
    if (result.kind === 'works' || result.kind === 'auth' || result.kind === 'aborted') return { baseUrl, result };
  }
  return (await findByMessages(target, typed, signal)) ?? first;
}

/** Null where the address does not speak the Messages API either. */
async function findByMessages(target: ConnectionTarget, typed: string, signal: AbortSignal): Promise<FoundBase | null> {
  const root = typed.replace(/\/+$/, '');
  const messages = await findMessages(target, [root, `${root}/v1`], signal);
  if (!messages) return null;
  const { baseUrl } = messages;
  const result = await testConnection({ ...target, ...messages, dialect: 'messages' }, signal);
  if (result.kind === 'works' || result.kind === 'aborted') return { baseUrl, result, messages };
  const endpoint = parseEndpoint(baseUrl);
  return { baseUrl, result: describeList(endpoint, []), messages };
}

/** Below the typed path, then at the root of its origin. */
function listLikely(typed: string): string[] {
  const { origin, pathname } = new URL(typed);
  const roots = [...new Set([pathname.replace(/\/+$/, ''), ''])];
  const all = roots.flatMap((root) => LIKELY.map((path) => `${origin}${root}${path}`));
  return [...new Set(all)].filter((url) => url !== typed.replace(/\/+$/, ''));
}
