/**
 * What a person decided about servers and tools for good. Kept in their own state: neither a workspace nor a server can
 * decide for them. A decision to allow holds for exactly the contents it was made about.
 */

import type { McpTool } from '../../core/mcp/mcpServers.ts';
import { type ConfiguredServer, hashServer, keyOfServer } from './config/serverConfig.ts';

export interface StoredDecisions {
  /** Hashes of servers from files. */
  readonly started: readonly string[];
  readonly refused: readonly string[];
  /** Fingerprints of tools that are not asked about. */
  readonly always: readonly string[];
  /** Keys of servers and, behind a line break, of tools that are switched off. */
  readonly off: readonly string[];
}

export const NO_DECISIONS: StoredDecisions = { started: [], refused: [], always: [], off: [] };

interface DecisionMemory {
  get(): StoredDecisions;
  set(decisions: StoredDecisions): PromiseLike<void>;
}

/** Kept of each kind; the oldest go. */
const MOST = 1_000;

export class McpDecisions {
  readonly #memory: DecisionMemory;

  constructor(memory: DecisionMemory) {
    this.#memory = memory;
  }

  /** Whether a server may be started; null when nobody was asked. One of the person's own setting always may. */
  mayStart(server: ConfiguredServer): boolean | null {
    if (server.file === null) return true;
    const hash = hashServer(server);
    const { started, refused } = this.#memory.get();
    return refused.includes(hash) ? false : started.includes(hash) ? true : null;
  }

  async decideStart(server: ConfiguredServer, may: boolean): Promise<void> {
    const hash = hashServer(server);
    const { started, refused, ...others } = this.#memory.get();
    const [yes, no] = [without(started, hash), without(refused, hash)];
    await this.#memory.set({
      ...others,
      started: may ? withNewest(yes, hash) : yes,
      refused: may ? no : withNewest(no, hash),
    });
  }

  isOff(server: ConfiguredServer, tool?: string): boolean {
    return this.#memory.get().off.includes(keyOf(server, tool));
  }

  async switchTo(on: boolean, server: ConfiguredServer, tool?: string): Promise<void> {
    const key = keyOf(server, tool);
    const { off, ...others } = this.#memory.get();
    const rest = without(off, key);
    await this.#memory.set({ ...others, off: on ? rest : withNewest(rest, key) });
  }

  isAlways({ fingerprint }: McpTool): boolean {
    return this.#memory.get().always.includes(fingerprint);
  }

  async setAlways({ fingerprint }: McpTool, always: boolean): Promise<void> {
    const { always: before, ...others } = this.#memory.get();
    const rest = without(before, fingerprint);
    await this.#memory.set({ ...others, always: always ? withNewest(rest, fingerprint) : rest });
  }
}

const keyOf = (server: ConfiguredServer, tool?: string) =>
  tool === undefined ? keyOfServer(server) : `${keyOfServer(server)}\n${tool}`;

const without = (list: readonly string[], value: string) => list.filter((each) => each !== value);
const withNewest = (list: readonly string[], value: string) => [...list, value].slice(-MOST);
