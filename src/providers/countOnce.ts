/** One request for the exact count of a prompt, where the dialect has one. */

import type { ModelError } from '../core/errors.ts';
import type { ModelRequest } from '../core/ports.ts';
import type { Dialect } from './dialect.ts';
import type { Endpoint } from './endpoint.ts';
import type { ClientOptions } from './endpointClient.ts';
import { watchFetch } from './endpointFetch.ts';

/** Milliseconds: a turn waits for it, and a count is only worth a short wait. */
const LONGEST_WAIT = 10_000;

/** Null when the endpoint tells no number; an error when it refuses or cannot be reached. */
export async function countOnce<Narrowing>(
  options: ClientOptions,
  endpoint: Endpoint,
  request: ModelRequest,
  { count, encode }: Dialect<Narrowing>,
  narrowing: Narrowing,
  signal: AbortSignal,
): Promise<number | ModelError | null> {
  if (!count || signal.aborted) return null;
  const limits = {
    ...options.limits,
    firstByteMs: Math.min(options.limits?.firstByteMs ?? LONGEST_WAIT, LONGEST_WAIT),
  };
  const watched = await watchFetch({ ...options, limits }, request.model);
  try {
    const both = AbortSignal.any([signal, watched.signal]);
    const told = await count(encode(request, narrowing), { endpoint, fetch: watched.fetch, signal: both });
    return Number.isSafeInteger(told) && told > 0 ? told : null;
  } catch {
    return watched.fault();
  } finally {
    watched.end();
  }
}
