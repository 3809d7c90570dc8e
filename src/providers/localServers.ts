/**
 * Looks for model servers on this machine, at the ports that well-known ones listen on unless told otherwise. It is
 * started by a person's click alone; no key is sent, and what does not answer as a model server does is left out.
 */

import { parseEndpoint } from './endpoint.ts';
import type { IdleLimits } from './endpointFetch.ts';
import { LOCAL_PRESETS, type Preset } from './presets.ts';
import { listModels } from './testConnection.ts';

export interface LocalServer {
  /** The program whose port it is; another may listen there. */
  readonly preset: Preset;
  readonly baseUrl: string;
  /** Names, in the server's order; empty when it wants a key first, or has none loaded. */
  readonly models: readonly string[];
  readonly needsKey: boolean;
}

/** A server on this machine answers at once, or is busy with something that nobody wants to wait for here. */
const LIMITS: IdleLimits = { firstByteMs: 3_000, betweenBytesMs: 3_000 };

/** In the order of the table. */
export async function findLocalServers(
  signal: AbortSignal,
  presets: readonly Preset[] = LOCAL_PRESETS,
): Promise<readonly LocalServer[]> {
  const found = await Promise.all(presets.map((preset) => ask(preset, signal)));
  return found.filter((server) => server !== null);
}

async function ask(preset: Preset, signal: AbortSignal): Promise<LocalServer | null> {
  const { baseUrl } = preset;
  const target = { baseUrl, key: async () => undefined, limits: LIMITS };
  const listing = await listModels(target, parseEndpoint(baseUrl), signal);
  switch (listing.kind) {
    case 'listed':
      return { preset, baseUrl, models: listing.models.map(({ id }) => id), needsKey: false };
    case 'noList':
      return null;
    case 'failed':
      // Other kinds of servers forbid (403) what they do not have; one that serves models asks who it is (401).
      return listing.error.kind === 'auth' && listing.error.facts.status === 401
        ? { preset, baseUrl, models: [], needsKey: true }
        : null;
  }
}
