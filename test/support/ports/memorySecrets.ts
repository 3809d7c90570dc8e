/** VS Code's secret storage in memory: API keys by origin. */

import type { SecretStorage } from 'vscode';

export function memorySecrets(keys: Readonly<Record<string, string>> = {}): SecretStorage {
  const secrets = new Map(Object.entries(keys).map(([origin, key]) => [`palimpsest.key:${origin}`, key]));
  return {
    keys: async () => [...secrets.keys()],
    get: async (name) => secrets.get(name),
    store: async (name, value) => void secrets.set(name, value),
    delete: async (name) => void secrets.delete(name),
    onDidChange: () => ({ dispose: () => undefined }),
  };
}
