/** The keys of the endpoint are known to what keeps them out of journal and panel, from the first request on. */

import { expect, test } from 'vitest';
import type { SecretStorage } from 'vscode';
import { EndpointModels } from '../../../../src/host/models/endpointModels.ts';
import { readAgentSettings } from '../../../../src/host/settings/agentSettings.ts';

function endpointWith(baseUrl: string, stored: Readonly<Record<string, string>> = {}) {
  const secrets = new Map(Object.entries(stored));
  const storage = {
    get: async (name: string) => secrets.get(name),
    store: async (name: string, value: string) => void secrets.set(name, value),
    delete: async (name: string) => void secrets.delete(name),
  };
  const { settings } = readAgentSettings((key) => ({
    value: key === 'endpoint.baseUrl' ? baseUrl : undefined,
    explicit: true,
  }));
  return new EndpointModels(() => settings, storage as unknown as SecretStorage);
}

test('a key that is stored is known once the models are loaded', async () => {
  const models = endpointWith('https://h.example/v1', { 'palimpsest.key:https://h.example': 'sk-canary-1' });
  expect(models.keys).toEqual([]);
  await models.load();
  expect(models.keys).toEqual(['sk-canary-1']);
});

test('a new key is known at once', async () => {
  const models = endpointWith('https://h.example/v1');
  await models.load();
  await models.storeKey('https://h.example', 'sk-canary-2');
  expect(models.keys).toEqual(['sk-canary-2']);
  expect(models.resolve('m')).toHaveProperty('client');
});

test('the chooser names an address without what gives access', () => {
  const [choice] = endpointWith('https://me:canary@h.example/v1?sig=canary').choices('m');
  expect(choice?.description).toBe('https://h.example/v1');
});
