/**
 * The models of the one configured endpoint. Keys lie in the secret storage, one for each origin, and go nowhere else.
 */

import type { SecretStorage } from 'vscode';
import { wordsOf } from '../../core/errors.ts';
import { hideInAddresses } from '../../core/hideInAddresses.ts';
import type { ModelChoice, ModelClient, ModelProblem } from '../../core/ports.ts';
import { words } from '../../core/words.ts';
import type { Choice } from '../../protocol/messages.ts';
import { parseEndpoint } from '../../providers/endpoint.ts';
import { createOpenAIClient } from '../../providers/openai/openaiClient.ts';
import type { AgentSettings } from '../settings/agentSettings.ts';
import type { ClientKind } from './clientKind.ts';

export class EndpointModels implements ClientKind {
  readonly scripted = false;
  readonly retries = true;
  readonly #settings: () => AgentSettings;
  readonly #secrets: SecretStorage;
  /** By address and time limits. */
  readonly #clients = new Map<string, ModelClient>();
  /** By origin, as far as they are known. */
  readonly #keys = new Map<string, string>();

  constructor(settings: () => AgentSettings, secrets: SecretStorage) {
    this.#settings = settings;
    this.#secrets = secrets;
  }

  /** A server may have any model, listed or not. */
  owns(): boolean {
    return true;
  }

  choices(chosen: string | null): readonly Choice[] {
    const { 'endpoint.models': names, 'endpoint.baseUrl': baseUrl } = this.#settings();
    if (!baseUrl) return [];
    const description = hideInAddresses(baseUrl).replace(/[?#].*/s, '');
    return [...new Set([...names, ...(chosen ? [chosen] : [])])].map((id) => ({ id, label: id, description }));
  }

  resolve(id: string): ModelChoice | ModelProblem {
    const { 'endpoint.baseUrl': baseUrl, contextWindow: window, maxOutputTokens } = this.#settings();
    if (!id || !baseUrl) {
      return {
        problem: words(
          'No model is chosen. Choose the scripted demo, or set up an endpoint, then send the message again.',
        ),
        action: 'openSettings',
      };
    }
    try {
      const { origin, loopback } = parseEndpoint(baseUrl);
      if (!loopback && !this.#keys.has(origin)) {
        return {
          problem: words('There is no API key for {0}. Set one, then send the message again.', origin),
          action: 'setKey',
        };
      }
      const client = this.#client(baseUrl, origin);
      return { client, model: id, window, ...(maxOutputTokens ? { maxOutputTokens } : {}) };
    } catch (thrown) {
      return { problem: wordsOf(thrown), action: 'openSettings' };
    }
  }

  async load(): Promise<void> {
    const { origin } = this;
    if (!origin) return;
    const key = await this.readKey(origin);
    if (key) this.#keys.set(origin, key);
    else this.#keys.delete(origin);
  }

  /** The keys that were in use in this window: what must be neither kept nor drawn. */
  get keys(): readonly string[] {
    return [...this.#keys.values()];
  }

  /** Origin that a key would belong to; null when no usable endpoint is configured. */
  get origin(): string | null {
    try {
      return parseEndpoint(this.#settings()['endpoint.baseUrl']).origin;
    } catch {
      // Nothing usable is configured, which is what null says.
      return null;
    }
  }

  async readKey(origin: string): Promise<string | undefined> {
    return this.#secrets.get(secretName(origin));
  }

  async storeKey(origin: string, key: string): Promise<void> {
    await this.#secrets.store(secretName(origin), key);
    this.#keys.set(origin, key);
  }

  async removeKey(origin: string): Promise<void> {
    await this.#secrets.delete(secretName(origin));
    this.#keys.delete(origin);
  }

  #client(baseUrl: string, origin: string): ModelClient {
    const settings = this.#settings();
    const limits = {
      firstByteMs: settings['endpoint.firstByteTimeout'] * 1_000,
      betweenBytesMs: settings['endpoint.silenceTimeout'] * 1_000,
    };
    const made = [baseUrl, limits.firstByteMs, limits.betweenBytesMs].join(' ');
    const client = this.#clients.get(made) ?? createOpenAIClient({ baseUrl, key: () => this.readKey(origin), limits });
    this.#clients.set(made, client);
    return client;
  }
}

const secretName = (origin: string) => `palimpsest.key:${origin}`;
