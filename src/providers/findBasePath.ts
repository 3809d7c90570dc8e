/**
 * Finds the path under which an address answers: people copy addresses without `/v1`, or with the path of one request.
 * Only the origin that the person named is asked, because the key is meant for it alone.
 */

import { type ConnectionResult, type ConnectionTarget, testConnection } from './testConnection.ts';

export interface FoundBase {
  readonly baseUrl: string;
  readonly result: ConnectionResult;
}

/** Where the usual servers and gateways have it, the likeliest first. */
const LIKELY = ['/v1', '/api/v1', '/openai/v1', '/api/openai/v1'];
/** The end of an address that is one request's. */
const REQUEST = /\/(?:chat\/completions|completions|responses|embeddings|models)\/?$/;

/** What was typed comes first; where nothing answers, what is said of it is said. */
export async function findBasePath(target: ConnectionTarget, signal: AbortSignal): Promise<FoundBase> {
  const typed = target.baseUrl.replace(REQUEST, '');
  const first = { baseUrl: typed, result: await testConnection({ ...target, baseUrl: typed }, signal) };
  if (first.result.kind !== 'notAnEndpoint') return first;
  for (const baseUrl of listLikely(typed)) {
    const result = await testConnection({ ...target, baseUrl }, signal);
    if (result.kind === 'works' || result.kind === 'auth' || result.kind === 'aborted') return { baseUrl, result };
  }
  return first;
}

/** Below the typed path, then at the root of its origin. */
function listLikely(typed: string): string[] {
  const { origin, pathname } = new URL(typed);
  const roots = [...new Set([pathname.replace(/\/+$/, ''), ''])];
  const all = roots.flatMap((root) => LIKELY.map((path) => `${origin}${root}${path}`));
  return [...new Set(all)].filter((url) => url !== typed.replace(/\/+$/, ''));
}
