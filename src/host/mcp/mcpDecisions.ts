/**
 * A person's permanent decisions about servers and tools. Stored in the person's own state: neither a workspace nor a
 * server can decide for them. A permission covers exactly the contents it was given for.
 */

import * as vscode from 'vscode';
import type { McpTool } from '../../core/mcp/mcpServers.ts';
import { hideSecrets } from '../../core/secrets/hideSecrets.ts';
import { type ConfiguredServer, hashServer, keyOfServer } from '../../node/mcp/serverConfig.ts';
import { showInputBox } from '../notices/pickers.ts';

export interface StoredDecisions {
  /** Hashes of servers from files. */
  readonly started: readonly string[];
  readonly refused: readonly string[];
  /** Fingerprints of tools that run without asking; marked for tools of extensions. */
  readonly always: readonly string[];
  /** Marked hashes of servers that may ask the model without asking the person. */
  readonly sampling: readonly string[];
  /** The text shown to the person when they gave a permission, by hash or fingerprint; for display only. */
  readonly names: Readonly<Record<string, string>>;
  /** Keys of servers, and after a line break of tools, that are switched off. */
  readonly off: readonly string[];
  /** Keys of tools of extensions that are switched on. */
  readonly chosen: readonly string[];
}

export const NO_DECISIONS: StoredDecisions = {
  started: [],
  refused: [],
  always: [],
  sampling: [],
  names: {},
  off: [],
  chosen: [],
};

interface Permission {
  readonly kind: 'server' | 'tool' | 'extensionTool' | 'sampling';
  readonly hash: string;
  readonly name: string | null;
}

interface DecisionMemory {
  get(): StoredDecisions;
  set(decisions: StoredDecisions): PromiseLike<void>;
}

/** Maximum stored of each kind; the oldest are dropped. */
const MOST = 1_000;

export class McpDecisions {
  readonly #memory: DecisionMemory;

  constructor(memory: DecisionMemory) {
    this.#memory = memory;
  }

  /** Whether a server may be started; null when nobody was asked. Servers in the person's own settings always may. */
  mayStart(server: ConfiguredServer): boolean | null {
    if (server.file === null) return true;
    const hash = hashServer(server);
    const { started, refused } = this.#memory.get();
    return refused.includes(hash) ? false : started.includes(hash) ? true : null;
  }

  async decideStart(server: ConfiguredServer, may: boolean): Promise<void> {
    const hash = hashServer(server);
    if (may) await this.#name(hash, server.file ? `${server.name} (${server.file.path})` : server.name);
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
    await this.#mark('off', key, !on);
  }

  /** A tool of an extension, which is off until the person chooses it. */
  isChosen(tool: McpTool): boolean {
    return this.#memory.get().chosen.includes(keyOfChosen(tool));
  }

  async choose(tool: McpTool, on: boolean): Promise<void> {
    await this.#mark('chosen', keyOfChosen(tool), on);
  }

  isAlways(tool: McpTool): boolean {
    return this.#memory.get().always.includes(keyOfAlways(tool));
  }

  async setAlways(tool: McpTool, always: boolean): Promise<void> {
    const key = keyOfAlways(tool);
    if (always) await this.#name(key, `${tool.server} › ${tool.tool}`);
    await this.#mark('always', key, always);
  }

  /** Whether it may ask the model; else the person is asked each time. */
  maySample(server: ConfiguredServer): boolean {
    return this.#memory.get().sampling.includes(keyOfSampling(server));
  }

  async setSampling(server: ConfiguredServer, may: boolean): Promise<void> {
    const key = keyOfSampling(server);
    if (may) await this.#name(key, server.name);
    await this.#mark('sampling', key, may);
  }

  /** Adds the key to one list, as its newest, or takes it out. */
  async #mark(list: 'off' | 'chosen' | 'always' | 'sampling', key: string, on: boolean): Promise<void> {
    const stored = this.#memory.get();
    const rest = without(stored[list], key);
    await this.#memory.set({ ...stored, [list]: on ? withNewest(rest, key) : rest });
  }

  /** All permissions, each with its name where known. */
  get allowed(): readonly Permission[] {
    const { started, always, sampling, names } = this.#memory.get();
    const named = (kind: Permission['kind']) => (hash: string) => ({ kind, hash, name: names[hash] ?? null });
    const ofTool = (key: string) => named(key.startsWith(OF_EXTENSION) ? 'extensionTool' : 'tool')(key);
    return [...started.map(named('server')), ...always.map(ofTool), ...sampling.map(named('sampling'))];
  }

  /** Revokes the permission with that hash, so that it is asked for again. */
  async withdraw(hash: string): Promise<void> {
    const { started, always, sampling, ...others } = this.#memory.get();
    await this.#memory.set({
      ...others,
      started: without(started, hash),
      always: without(always, hash),
      sampling: without(sampling, hash),
    });
  }

  /** Only current permissions keep their names. */
  async #name(hash: string, name: string): Promise<void> {
    const stored = this.#memory.get();
    const kept = new Set([...stored.started, ...stored.always, ...stored.sampling]);
    const names = Object.entries(stored.names).filter(([key]) => kept.has(key));
    await this.#memory.set({ ...stored, names: { ...Object.fromEntries(names), [hash]: name.slice(0, LONGEST_NAME) } });
  }
}

const LONGEST_NAME = 500;

const OF_EXTENSION = 'extension:';

const keyOfAlways = ({ fingerprint, extension }: McpTool) =>
  extension ? `${OF_EXTENSION}${fingerprint}` : fingerprint;

/** The same contents may also be allowed to start. */
const keyOfSampling = (server: ConfiguredServer) => `sampling:${hashServer(server)}`;

const keyOf = (server: ConfiguredServer, tool?: string) =>
  tool === undefined ? keyOfServer(server) : `${keyOfServer(server)}\n${tool}`;

/** Not its description, which changes with the extension's updates: a call then asks again. */
const keyOfChosen = ({ server, tool }: McpTool) => `${server}\n${tool}`;

const without = (list: readonly string[], value: string) => list.filter((each) => each !== value);

const withNewest = (list: readonly string[], value: string) => [...list, value].slice(-MOST);

/**
 * Secrets of MCP servers: asked for once, stored in the secret storage, and removed from everything that is shown or
 * stored. A secret for a server from a file belongs to exactly that entry; servers in the person's own settings share
 * theirs.
 */
export class McpSecrets {
  readonly #storage: vscode.SecretStorage;
  readonly #known = new Set<string>();

  constructor(storage: vscode.SecretStorage) {
    this.#storage = storage;
  }

  /** Secrets passed to a server in this window. */
  get known(): readonly string[] {
    return [...this.#known];
  }

  readonly hide = (text: string): string => hideSecrets(text, this.known);

  remember(secrets: readonly string[]): void {
    for (const secret of secrets) this.#known.add(secret);
  }

  /** Asks when it is not stored. Null when the person cancelled. */
  async read(server: ConfiguredServer, name: string): Promise<string | null> {
    const key = secretKeyOf(server, name);
    const stored = await this.#storage.get(key);
    if (stored !== undefined) return stored;
    const given = await showInputBox({
      title: vscode.l10n.t('Secret {0} of the MCP Server {1}', name, server.name),
      prompt: vscode.l10n.t('It is kept in the secret storage and given to this server.'),
      password: true,
      ignoreFocusOut: true,
      validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('Enter the secret, or press Escape.') : null),
    });
    if (given === undefined) return null;
    await this.#storage.store(key, given.trim());
    return given.trim();
  }

  /** Stores what the person has given already. */
  async keep(server: ConfiguredServer, secrets: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, secret] of Object.entries(secrets)) await this.#storage.store(secretKeyOf(server, name), secret);
  }

  async forget(server: ConfiguredServer, names: readonly string[]): Promise<void> {
    for (const name of names) await this.#storage.delete(secretKeyOf(server, name));
  }
}

const secretKeyOf = (server: ConfiguredServer, name: string) =>
  `palimpsest.mcp:${server.file === null ? 'user' : hashServer(server)}:${name}`;
