/**
 * The models a session can use: the scripted demo, and those of the one configured endpoint. Keys lie in the secret
 * storage, one for each origin, and go nowhere else.
 */

import * as vscode from 'vscode';
import { wordsOf } from '../../core/errors.ts';
import { DEMO, type ModelChoice, type ModelClient, type ModelProblem } from '../../core/ports.ts';
import { words } from '../../core/words.ts';
import type { Choice } from '../../protocol/messages.ts';
import { createDemoClient } from '../../providers/demo/demoClient.ts';
import { parseEndpoint } from '../../providers/endpoint.ts';
import { createOpenAIClient } from '../../providers/openai/openaiClient.ts';
import { type RetryNotice, withRetries } from '../../providers/retry.ts';
import type { AgentSettings } from '../settings/agentSettings.ts';

export class Models {
  readonly #settings: () => AgentSettings;
  readonly #secrets: vscode.SecretStorage;
  readonly #clients = new Map<string, ModelClient>();
  /** Origins known to have a key; refreshed by `loadKeys`, so that `resolve` need not wait. */
  readonly #withKey = new Set<string>();

  constructor(settings: () => AgentSettings, secrets: vscode.SecretStorage) {
    this.#settings = settings;
    this.#secrets = secrets;
  }

  choices(): Choice[] {
    const { 'endpoint.models': names, 'endpoint.baseUrl': baseUrl, model } = this.#settings();
    const configured = new Set(baseUrl ? [...names, ...(model && model !== DEMO ? [model] : [])] : []);
    return [
      ...[...configured].map((name) => ({ id: name, label: name, description: baseUrl.replace(/[?#].*/s, '') })),
      {
        id: DEMO,
        label: vscode.l10n.t('Scripted demo'),
        description: vscode.l10n.t('No key, no network: a script that drives the real tools'),
      },
    ];
  }

  /**
   * The client, or why there is none. `id` is `demo` or the name of a model at the endpoint. It retries and says so;
   * with null it does not, for callers that retry themselves.
   */
  resolve(id: string, onRetry: ((notice: RetryNotice) => void) | null): ModelChoice | ModelProblem {
    const settings = this.#settings();
    if (id === DEMO) {
      return { client: this.#client(DEMO, createDemoClient), model: DEMO, window: settings['demo.contextWindow'] };
    }
    const baseUrl = settings['endpoint.baseUrl'];
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
      if (!loopback && !this.#withKey.has(origin)) {
        return {
          problem: words('There is no API key for {0}. Set one, then send the message again.', origin),
          action: 'setKey',
        };
      }
      const key = async () => this.#secrets.get(secretName(origin));
      const limits = {
        firstByteMs: settings['endpoint.firstByteTimeout'] * 1_000,
        betweenBytesMs: settings['endpoint.silenceTimeout'] * 1_000,
      };
      const made = [baseUrl, limits.firstByteMs, limits.betweenBytesMs].join(' ');
      const bare = this.#client(made, () => createOpenAIClient({ baseUrl, key, limits }));
      const client = onRetry ? withRetries(bare, { onRetry }) : bare;
      const maxOutputTokens = settings.maxOutputTokens;
      return { client, model: id, window: settings.contextWindow, ...(maxOutputTokens ? { maxOutputTokens } : {}) };
    } catch (thrown) {
      return { problem: wordsOf(thrown), action: 'openSettings' };
    }
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

  async loadKeys(): Promise<void> {
    const { origin } = this;
    if (!origin) return;
    if (await this.#secrets.get(secretName(origin))) this.#withKey.add(origin);
    else this.#withKey.delete(origin);
  }

  readKey(origin: string): Thenable<string | undefined> {
    return this.#secrets.get(secretName(origin));
  }

  async storeKey(origin: string, key: string): Promise<void> {
    await this.#secrets.store(secretName(origin), key);
    this.#withKey.add(origin);
  }

  async removeKey(origin: string): Promise<void> {
    await this.#secrets.delete(secretName(origin));
    this.#withKey.delete(origin);
  }

  #client(id: string, create: () => ModelClient): ModelClient {
    const client = this.#clients.get(id) ?? create();
    this.#clients.set(id, client);
    return client;
  }
}

const secretName = (origin: string) => `palimpsest.key:${origin}`;
