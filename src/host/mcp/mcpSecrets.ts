/**
 * Secrets of MCP servers: asked for once, kept in the secret storage, and taken out of all that is shown or kept. One
 * that a server of a file asked for belongs to exactly that entry; those of the person's own setting are shared by it.
 */

import * as vscode from 'vscode';
import { hideSecrets } from '../../core/agent/hideSecrets.ts';
import { type ConfiguredServer, hashServer } from './config/serverConfig.ts';

export class McpSecrets {
  readonly #storage: vscode.SecretStorage;
  readonly #known = new Set<string>();

  constructor(storage: vscode.SecretStorage) {
    this.#storage = storage;
  }

  /** Those that were given to a server in this window. */
  get known(): readonly string[] {
    return [...this.#known];
  }

  readonly hide = (text: string): string => hideSecrets(text, this.known);

  remember(secrets: readonly string[]): void {
    for (const secret of secrets) this.#known.add(secret);
  }

  /** Asks when it is not stored. Null when the person left. */
  async read(server: ConfiguredServer, name: string): Promise<string | null> {
    const key = keyOf(server, name);
    const stored = await this.#storage.get(key);
    if (stored !== undefined) return stored;
    const given = await vscode.window.showInputBox({
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

  async forget(server: ConfiguredServer, names: readonly string[]): Promise<void> {
    for (const name of names) await this.#storage.delete(keyOf(server, name));
  }
}

const keyOf = (server: ConfiguredServer, name: string) =>
  `palimpsest.mcp:${server.file === null ? 'user' : hashServer(server)}:${name}`;
