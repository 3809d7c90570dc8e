import { parseEndpoint } from './endpoint.ts';
import type { IdleLimits } from './endpointFetch.ts';
import { LOCAL_PRESETS, type Preset } from './presets.ts';
import { listModels } from './testConnection.ts';

/**
 * Finds model servers on this machine, at the default ports of well-known ones. It runs only on a person's click; no
 * key is sent, and anything that does not answer like a model server is omitted.
 */
export interface LocalServer {
  /** The program with that default port; another may be listening there. */
  readonly preset: Preset;
  readonly baseUrl: string;
  /** Names, in the server's order; empty when it requires a key first, or has none loaded. */
  readonly models: readonly string[];
  readonly needsKey: boolean;
}

/** A local server answers at once, or is too busy to wait for here. */
const LOCAL_LIMITS: IdleLimits = { firstByteMs: 3_000, betweenBytesMs: 3_000 };

/** In the order of the table. */
export async function findLocalServers(
  signal: AbortSignal,
  presets: readonly Preset[] = LOCAL_PRESETS,
): Promise<readonly LocalServer[]> {
  const found = await Promise.all(presets.map((preset) => askLocal(preset, signal)));
  return found.filter((server) => server !== null);
}

async function askLocal(preset: Preset, signal: AbortSignal): Promise<LocalServer | null> {
  const { baseUrl } = preset;
  const target = { baseUrl, key: async () => undefined, limits: LOCAL_LIMITS };
  const listing = await listModels(target, parseEndpoint(baseUrl), signal);
  switch (listing.kind) {
    case 'listed':
      return { preset, baseUrl, models: listing.models.map(({ id }) => id), needsKey: false };
    case 'noList':
      return null;
    case 'failed':
      // Other kinds of servers forbid (403) unknown paths; one that serves models requires a key (401).
      return listing.error.kind === 'auth' && listing.error.facts.status === 401
        ? { preset, baseUrl, models: [], needsKey: true }
        : null;
  }
}
