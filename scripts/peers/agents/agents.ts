/** All agents of the comparison: the product's core under each of its strategies, and the peers. */

import { BUILT_IN_STRATEGIES, DEFAULT_STRATEGY } from '../../../src/core/compaction/strategies/builtIn.ts';
import type { Agent } from './agent.ts';
import { codex } from './codex.ts';
import { openCode } from './openCode.ts';
import { palimpsestCore } from './palimpsestCore.ts';
import { pi } from './pi.ts';
import { qwenCode } from './qwenCode.ts';

export const PEERS: readonly Agent[] = [pi, codex, openCode, qwenCode];
const STRATEGIES = BUILT_IN_STRATEGIES.map(({ id }) => id);

/** The names that `--agents` takes besides the agents' own, with what they mean. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  peers: PEERS.map(({ id }) => id),
  strategies: STRATEGIES,
};

export const DEFAULT_AGENTS = `${DEFAULT_STRATEGY},peers`;

/** Throws for an unknown name. `settings` are those of the core's strategies. */
export function findAgents(names: string, settings: Readonly<Record<string, unknown>>): Agent[] {
  const ids = names.split(',').flatMap((name) => GROUPS[name] ?? [name]);
  return [...new Set(ids)].map((id) => {
    const peer = PEERS.find((each) => each.id === id);
    if (peer) return peer;
    if (STRATEGIES.includes(id)) return palimpsestCore(id, settings);
    const known = [...Object.keys(GROUPS), ...STRATEGIES, ...PEERS.map((each) => each.id)];
    throw new Error(`No agent is called ${id}; there are ${known.join(', ')}`);
  });
}
