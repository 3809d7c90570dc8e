/**
 * The models of the configured endpoints. Keys are in the secret storage, one for each origin, and are sent nowhere
 * else.
 */

import type { SecretStorage } from 'vscode';
import { LIVES_MS } from '../../../core/cost/cacheFacts.ts';
import { type CacheLifetimes, LONG, lifetimesFor, type Pauses, SHORT } from '../../../core/cost/pauses.ts';
import { wordsOf } from '../../../core/errors.ts';
import type { ModelChoice, ModelProblem } from '../../../core/model/modelChoice.ts';
import type { ModelClient } from '../../../core/model/modelClient.ts';
import { type Words, words } from '../../../core/words.ts';
import type { AgentSettings } from '../../../node/agentSettings.ts';
import type { ClientKind } from '../../../node/models/clientKind.ts';
import {
  type ConfiguredEndpoint,
  type EndpointModel,
  type FoundModel,
  findModel,
  headingOf,
  listEndpoints,
  referTo,
  usable,
} from '../../../node/models/endpointConfig.ts';
import type { OwnTable } from '../../../node/models/ownTable.ts';
import type { ServedFacts } from '../../../node/models/servedFacts.ts';
import type { Choice } from '../../../protocol/messages.ts';
import { type Endpoint, isOwn, notAgreed, parseEndpoint } from '../../../providers/endpoint.ts';
import { createEndpointClient } from '../../../providers/endpointClient.ts';
import { DEFAULT_IDLE_LIMITS, dialectOf, type EndpointAccess } from '../../../providers/endpointFetch.ts';
import { isKnownToSee, tablePrice, tableWindow } from '../../../providers/knownModels.ts';
import { presetOf } from '../../../providers/presets.ts';

export class EndpointModels implements ClientKind {
  readonly scripted = false;
  readonly retries = true;
  readonly #settings: () => AgentSettings;
  readonly #secrets: SecretStorage;
  readonly #facts: ServedFacts;
  readonly #table: Pick<OwnTable, 'of' | 'renew'> | null;
  readonly #pauses: Pick<Pauses, 'newest'>;
  /** By address, dialect and time limits. */
  readonly #clients = new Map<string, ModelClient>();
  /** Stored keys by origin. */
  readonly #proxyOf: (url: string) => string | null;
  readonly #keys = new Map<string, string>();

  /** `table`: the person's own. `proxyOf`: `host:port` of the editor's proxy for an address, to be named when it fails. */
  constructor(
    settings: () => AgentSettings,
    secrets: SecretStorage,
    facts: ServedFacts,
    table: Pick<OwnTable, 'of' | 'renew'> | null = null,
    pauses: Pick<Pauses, 'newest'> = { newest: [] },
    proxyOf: (url: string) => string | null = () => null,
  ) {
    this.#proxyOf = proxyOf;
    this.#table = table;
    this.#pauses = pauses;
    this.#facts = facts;
    this.#settings = settings;
    this.#secrets = secrets;
  }

  /** A server may have any model, listed or not. */
  owns(): boolean {
    return true;
  }

  /** Usable endpoints, in search order. */
  get list(): readonly ConfiguredEndpoint[] {
    return listEndpoints(this.#settings());
  }

  /** A model with its endpoint; null when it has none. */
  find(id: string): Extract<FoundModel, { kind: 'found' }> | null {
    const found = findModel(id, this.list);
    return found.kind === 'found' ? found : null;
  }

  /** True when the id names its endpoint, or a model that was listed or chosen for one. */
  lists(id: string): boolean {
    const found = this.find(id);
    if (!found) return false;
    const { endpoint, model } = found;
    return endpoint.models.includes(model) || model.name !== id || id === this.#settings().model;
  }

  endpointOf(id: string): ConfiguredEndpoint | null {
    return this.find(id)?.endpoint ?? null;
  }

  canonical(id: string): string {
    const found = this.find(id);
    return found ? referTo(found.model.name, found.endpoint.id) : id;
  }

  choices(chosen: string | null): readonly Choice[] {
    const own = chosen ? this.find(chosen) : null;
    return this.list.flatMap((endpoint) => {
      const names = endpoint.models.map(({ name }) => name);
      if (own?.endpoint.id === endpoint.id) names.push(own.model.name);
      const group = headingOf(endpoint);
      return [...new Set(names)].map((name) => ({
        id: referTo(name, endpoint.id),
        label: name,
        description: '',
        group,
      }));
    });
  }

  resolve(id: string, beside?: string): ModelChoice | ModelProblem {
    const found = findModel(id, this.list, (beside && this.endpointOf(beside)) || undefined);
    switch (found.kind) {
      case 'found':
        return this.#choose(found.endpoint, found.model);
      case 'gone':
        return {
          problem: words(
            'The model {0} belongs to the endpoint “{1}”, which is no longer set up. Choose another model, or set the endpoint up again.',
            found.name,
            found.endpoint,
          ),
          action: 'chooseModel',
        };
      case 'none':
        return {
          problem: words(
            'No model is chosen. Choose the scripted demo, or set up an endpoint, then send the message again.',
          ),
          action: 'chooseModel',
        };
    }
  }

  async load(): Promise<void> {
    const origins = (await this.#secrets.keys()).flatMap((name) =>
      name.startsWith(SECRET) ? name.slice(SECRET.length) : [],
    );
    const stored = await Promise.all(origins.map(async (origin) => [origin, await this.readKey(origin)] as const));
    this.#keys.clear();
    for (const [origin, key] of stored) if (key) this.#keys.set(origin, key);
    await this.#table?.renew();
  }

  /** The origins with a stored key, even without an endpoint. */
  get keyed(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /** The keys, which must be neither stored nor displayed. */
  get keys(): readonly string[] {
    return [...this.#keys.values()];
  }

  hasKey(origin: string): boolean {
    return this.#keys.has(origin);
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

  #choose(configured: ConfiguredEndpoint, model: EndpointModel): ModelChoice | ModelProblem {
    let endpoint: Endpoint;
    try {
      endpoint = parseEndpoint(configured.baseUrl);
    } catch (thrown) {
      return { problem: wordsOf(thrown), action: 'openSettings' };
    }
    const { origin, plainHttp } = endpoint;
    if (plainHttp && !configured.plainHttp) return { problem: notAgreed(endpoint).words, action: 'openSettings' };
    if (!isOwn(endpoint) && !this.#keys.has(origin)) return { problem: noKey(origin), action: 'setKey' };
    const { effort: usual } = this.#settings();
    const facts = this.#facts.of(endpoint.baseUrl, model.name);
    const own = this.#table?.of(model.name, configured.id);
    const price = model.price ?? facts?.price ?? own?.price ?? tablePrice(endpoint, model.name);
    const images = model.images ?? facts?.images ?? isKnownToSee(model.name);
    const effort = model.effort ?? (usual === 'default' ? undefined : usual);
    const asksFor = dialectOf(this.access(configured, endpoint)) === 'messages' ? this.#lifetimesOf(configured) : null;
    const cacheLivesMs = asksFor ? LIVES_MS[asksFor.rest] : presetOf(endpoint)?.cacheLivesMs;
    return {
      client: this.#client(configured, endpoint),
      model: model.name,
      ...this.#windowOf(endpoint, model, own?.window),
      ...(model.maxOutputTokens && { maxOutputTokens: model.maxOutputTokens }),
      ...(effort && { effort }),
      ...(images !== undefined && { images }),
      ...(price && { price }),
      ...(isOwn(endpoint) ? { local: true } : {}),
      ...(cacheLivesMs && { cacheLivesMs }),
    };
  }

  /** The person's own number first, then what the server says of itself, then a table: `own` is that of the person's. */
  #windowOf(endpoint: Endpoint, model: EndpointModel, own?: number): Pick<ModelChoice, 'window' | 'windowFrom'> {
    const { contextWindow, isWindowSet } = this.#settings();
    const set = model.contextWindow ?? (isWindowSet ? contextWindow : undefined);
    if (set !== undefined) return { window: set, windowFrom: 'settings' };
    const served = this.#facts.of(endpoint.baseUrl, model.name)?.window;
    if (served !== undefined) return { window: served, windowFrom: 'server' };
    const known = own ?? tableWindow(endpoint, model.name);
    return known === undefined
      ? { window: contextWindow, windowFrom: 'default' }
      : { window: known, windowFrom: 'table' };
  }

  /** The window that a model's server reports; null if it reports none. */
  servedWindow(id: string): number | null {
    const found = this.find(id);
    const endpoint = found && usable(found.endpoint.baseUrl);
    return (endpoint && this.#facts.of(endpoint.baseUrl, found.model.name)?.window) ?? null;
  }

  /** True when its kind of server reports windows, at the latest after loading the model. */
  tellsWindow(id: string): boolean {
    const found = this.find(id);
    const endpoint = found && usable(found.endpoint.baseUrl);
    return !!endpoint && this.#facts.of(endpoint.baseUrl, found.model.name)?.server !== undefined;
  }

  async refresh(id: string): Promise<void> {
    await this.#table?.renew();
    const found = this.find(id);
    const endpoint = found && usable(found.endpoint.baseUrl);
    if (endpoint) await this.#facts.refresh(this.access(found.endpoint, endpoint), found.model.name);
  }

  /** How requests reach a usable endpoint. */
  access(
    { dialect, keyHeader, plainHttp = false }: Partial<ConfiguredEndpoint>,
    { baseUrl, origin }: Endpoint,
  ): EndpointAccess {
    const key = () => this.readKey(origin);
    return {
      baseUrl,
      key,
      plainHttp,
      proxy: this.#proxyOf,
      ...(dialect && { dialect }),
      ...(keyHeader && { keyHeader }),
    };
  }

  /** How long the dialect `messages` asks for prompts to be kept. */
  #lifetimesOf({ cacheLifetime = 'auto' }: ConfiguredEndpoint): CacheLifetimes {
    if (cacheLifetime === 'auto') return lifetimesFor(this.#pauses.newest);
    return cacheLifetime === '1h' ? LONG : SHORT;
  }

  #client(configured: ConfiguredEndpoint, endpoint: Endpoint): ModelClient {
    const { dialect, keyHeader, plainHttp, cacheLifetime, firstByteTimeout, silenceTimeout } = configured;
    const limits = {
      firstByteMs: firstByteTimeout === undefined ? DEFAULT_IDLE_LIMITS.firstByteMs : firstByteTimeout * 1_000,
      betweenBytesMs: silenceTimeout === undefined ? DEFAULT_IDLE_LIMITS.betweenBytesMs : silenceTimeout * 1_000,
    };
    const made = [
      endpoint.baseUrl,
      plainHttp,
      dialect,
      keyHeader,
      cacheLifetime,
      limits.firstByteMs,
      limits.betweenBytesMs,
    ].join(' ');
    const access = { ...this.access(configured, endpoint), limits };
    // Asked for each request: pauses are measured meanwhile.
    const cacheLifetimes = () => this.#lifetimesOf(configured);
    const options = { ...access, facts: this.#facts.book(access), cacheLifetimes };
    const client = this.#clients.get(made) ?? createEndpointClient(options);
    this.#clients.set(made, client);
    return client;
  }
}

const noKey = (origin: string): Words =>
  words('There is no API key for {0}. Set one, then send the message again.', origin);

const SECRET = 'palimpsest.key:';
const secretName = (origin: string) => `${SECRET}${origin}`;
