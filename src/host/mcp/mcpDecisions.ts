/**
 * A person's permanent decisions about servers and tools. Stored in the person's own state: neither a workspace nor a
 * server can decide for them. A permission covers exactly the contents it was given for.
 */

import * as vscode from 'vscode';
import { hideSecrets } from '../../core/agent/hideSecrets.ts';
import type { McpTool } from '../../core/mcp/mcpServers.ts';
import { showInputBox } from '../tell/pickers.ts';
import { type ConfiguredServer, hashServer, keyOfServer } from './serverConfig.ts';

export interface StoredDecisions {
  /** Hashes of servers from files. */
  readonly started: readonly string[];
  readonly refused: readonly string[];
  /** Fingerprints of tools that run without asking. */
  readonly always: readonly string[];
  /** The text shown to the person when they gave a permission, by hash or fingerprint; for display only. */
  readonly names: Readonly<Record<string, string>>;
  /** Keys of servers, and after a line break of tools, that are switched off. */
  readonly off: readonly string[];
  /** Keys of tools of extensions that are switched on. */
  readonly chosen: readonly string[];
}

export const NO_DECISIONS: StoredDecisions = { started: [], refused: [], always: [], names: {}, off: [], chosen: [] };

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
    const { off, ...others } = this.#memory.get();
    const rest = without(off, key);
    await this.#memory.set({ ...others, off: on ? rest : withNewest(rest, key) });
  }

  /** A tool of an extension, which is off until the person chooses it. */
  isChosen(tool: McpTool): boolean {
    return this.#memory.get().chosen.includes(keyOfChosen(tool));
  }

  async choose(tool: McpTool, on: boolean): Promise<void> {
    const key = keyOfChosen(tool);
    const { chosen, ...others } = this.#memory.get();
    const rest = without(chosen, key);
    await this.#memory.set({ ...others, chosen: on ? withNewest(rest, key) : rest });
  }

  isAlways({ fingerprint }: McpTool): boolean {
    return this.#memory.get().always.includes(fingerprint);
  }

  async setAlways({ fingerprint, server, tool }: McpTool, always: boolean): Promise<void> {
    if (always) await this.#name(fingerprint, `${server} › ${tool}`);
    const { always: before, ...others } = this.#memory.get();
    const rest = without(before, fingerprint);
    await this.#memory.set({ ...others, always: always ? withNewest(rest, fingerprint) : rest });
  }

  /** All permissions, each with its name where known. */
  get allowed(): readonly { readonly kind: 'server' | 'tool'; readonly hash: string; readonly name: string | null }[] {
    const { started, always, names } = this.#memory.get();
    const named = (kind: 'server' | 'tool') => (hash: string) => ({ kind, hash, name: names[hash] ?? null });
    return [...started.map(named('server')), ...always.map(named('tool'))];
  }

  /** Revokes the permission with that hash, so that it is asked for again. */
  async withdraw(hash: string): Promise<void> {
    const { started, always, ...others } = this.#memory.get();
    await this.#memory.set({ ...others, started: without(started, hash), always: without(always, hash) });
  }

  /** Only current permissions keep their names. */
  async #name(hash: string, name: string): Promise<void> {
    const stored = this.#memory.get();
    const kept = new Set([...stored.started, ...stored.always]);
    const names = Object.entries(stored.names).filter(([key]) => kept.has(key));
    await this.#memory.set({ ...stored, names: { ...Object.fromEntries(names), [hash]: name.slice(0, LONGEST_NAME) } });
  }
}

const LONGEST_NAME = 500;

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
