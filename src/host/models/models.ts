/** The models that a session can use. Each kind of client is one row of the table here. */

import type { Memento, SecretStorage } from 'vscode';
import * as vscode from 'vscode';
import type { Pauses } from '../../core/cost/pauses.ts';
import { ModelError, messageOf } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import type { Log } from '../../core/log.ts';
import { DEMO, type ModelChoice, type ModelProblem } from '../../core/model/modelChoice.ts';
import type { ModelClient } from '../../core/model/modelClient.ts';
import type { WindowMemory } from '../../core/tokens/learnedWindows.ts';
import { words } from '../../core/words.ts';
import type { OwnTable } from '../../node/models/ownTable.ts';
import type { ServedFacts } from '../../node/models/servedFacts.ts';
import type { Choice } from '../../protocol/messages.ts';
import { createDemoClient } from '../../providers/demo/demoClient.ts';
import { type RetryNotice, withRetries } from '../../providers/retry.ts';
import type { AgentSettings } from '../settings.ts';
import { say } from '../tell/notify.ts';
import { EndpointModels } from './endpoints/endpointModels.ts';
import type { ExtensionModels } from './extensions/extensionModels.ts';

export class Models {
  readonly endpoint: EndpointModels;
  /** The person's own table of prices and windows. */
  readonly table: OwnTable;
  /** Of the person, in every session. */
  readonly pauses: Pauses;
  readonly images: SaidImages;
  readonly extensions: ExtensionModels;
  readonly #settings: () => AgentSettings;
  /** In the order of the chooser. The endpoint handles ids that no later kind owns. */
  readonly #kinds: readonly ClientKind[];

  constructor(
    settings: () => AgentSettings,
    secrets: SecretStorage,
    extensions: ExtensionModels,
    facts: ServedFacts,
    table: OwnTable,
    pauses: Pauses,
    images: SaidImages,
  ) {
    this.#settings = settings;
    this.table = table;
    this.pauses = pauses;
    this.images = images;
    this.endpoint = new EndpointModels(settings, secrets, facts, table, pauses);
    this.extensions = extensions;
    this.#kinds = [this.endpoint, extensions, demoModel(settings)];
  }

  choices(): Choice[] {
    const { model } = this.#settings();
    const chosenKind = this.kindOf(model);
    const choices = this.#kinds.flatMap((kind) => kind.choices(kind === chosenKind ? model : null));
    return choices.map((choice) => {
      const held = this.kindOf(choice.id) === this.endpoint ? this.endpoint.servedWindow(choice.id) : null;
      return held === null
        ? choice
        : { ...choice, description: say(words('The server holds {0} tokens', held.toLocaleString('en-US'))) };
    });
  }

  kindOf(id: string): ClientKind {
    return this.#kinds.findLast((kind) => kind.owns(id)) ?? this.endpoint;
  }

  /** The id under which the chooser shows it. */
  canonical(id: string): string {
    return this.kindOf(id).canonical(id);
  }

  /** True when this model was listed or configured: a server may refuse other names. */
  lists(id: string): boolean {
    const kind = this.kindOf(id);
    return kind !== this.endpoint || this.endpoint.lists(id);
  }

  /**
   * The client, or why there is none. It retries and reports that; with null it does not, for callers that retry
   * themselves. `beside`: the model whose endpoint is tried first when the id names none.
   */
  resolve(id: string, onRetry: ((notice: RetryNotice) => void) | null, beside?: string): ModelChoice | ModelProblem {
    const kind = this.kindOf(id);
    const found = kind.resolve(id, beside);
    const choice = 'problem' in found ? found : this.images.known(found);
    if ('problem' in choice || !kind.retries || !onRetry) return choice;
    return { ...choice, client: withRetries(choice.client, { onRetry }) };
  }

  /** Call before a turn: the server's facts about a model may have changed. */
  async refresh(id: string): Promise<void> {
    await this.kindOf(id).refresh?.(id);
  }

  /** Call before the first `resolve`, and after a change of settings. */
  async load(): Promise<void> {
    await Promise.all(this.#kinds.map((kind) => kind.load()));
  }
}

/** The scripted demo as a kind of model: one model, no key, no network. */
function demoModel(settings: () => AgentSettings): ClientKind {
  const client = createDemoClient({ tell: say });
  return {
    scripted: true,
    retries: false,
    owns: (id) => id === DEMO,
    choices: () => [
      {
        id: DEMO,
        label: vscode.l10n.t('Scripted demo'),
        description: vscode.l10n.t('No key, no network: a script that drives the real tools'),
        group: vscode.l10n.t('Demo'),
      },
    ],
    canonical: (id) => id,
    resolve: () => ({ client, model: DEMO, window: settings()['demo.contextWindow'], images: false }),
    load: async () => undefined,
  };
}

/** One kind of model: its models, their entries in the chooser, and their clients. */
export interface ClientKind {
  /** Its answers are scripted, and marked as such. */
  readonly scripted: boolean;
  /** Requests go over a network, so failures may be retried. */
  readonly retries: boolean;
  /** True when the model with that id is of this kind. */
  owns(id: string): boolean;
  /** `chosen`: the model for new sessions if it is of this kind, listed or not. */
  choices(chosen: string | null): readonly Choice[];
  /** The id under which the chooser shows it: a model may have several names. */
  canonical(id: string): string;
  /** The client, or why there is none. `beside`: the model whose endpoint is tried first when the id names none. */
  resolve(id: string, beside?: string): ModelChoice | ModelProblem;
  /** Updates the server's facts about the model before a turn. Does not wait long, and never fails. */
  refresh?(id: string): Promise<void>;
  /** Fetches what `resolve` needs and may not wait for. */
  load(): Promise<void>;
}

/**
 * `learnedWindows`: from providers' refusals. `servedFacts`: from endpoints' reports. `pauses`: of the person. `saidImages`:
 * from the person.
 */
export function windowMemory(
  state: Memento,
  name: 'learnedWindows' | 'servedFacts' | 'pauses' | 'saidImages',
  log: Log,
): WindowMemory {
  const key = `palimpsest.${name}`;
  return {
    read: () => state.get(key),
    write: (value) => {
      // If it cannot be stored, it is still valid in this window: the memento keeps it.
      state.update(key, value).then(undefined, (thrown: unknown) => {
        log('warn', `What was learnt of a model could not be stored: ${messageOf(thrown)}`);
      });
    },
  };
}

const MOST = 200;

const keyOf = ({ client, model }: Pick<ModelChoice, 'client' | 'model'>) => `${client.endpoint} ${model}`;

/**
 * Models that the person said take images, where neither the endpoint nor a table tells. Invariant: a refusal that names
 * images takes it back, so that the session goes on with the names of its images.
 */
export class SaidImages {
  readonly #memory: WindowMemory;
  /** Said for this window only. */
  readonly #here = new Set<string>();

  constructor(memory: WindowMemory) {
    this.#memory = memory;
  }

  /** `lasting`: in every window from now on, otherwise in this one. */
  say(choice: ModelChoice, lasting: boolean): void {
    const key = keyOf(choice);
    if (!lasting) this.#here.add(key);
    else this.#memory.write(Object.fromEntries([...this.#stored(), key].slice(-MOST).map((each) => [each, true])));
  }

  /** The model as the person knows it. */
  known(choice: ModelChoice): ModelChoice {
    if (choice.images !== undefined) return choice;
    const key = keyOf(choice);
    if (!this.#here.has(key) && !this.#stored().includes(key)) return choice;
    return { ...choice, images: true, client: this.#watch(choice.client, () => this.#forget(key)) };
  }

  #forget(key: string): void {
    this.#here.delete(key);
    const stored = this.#stored().filter((each) => each !== key);
    this.#memory.write(Object.fromEntries(stored.map((each) => [each, true])));
  }

  #watch(client: ModelClient, onRefused: () => void): ModelClient {
    const { endpoint, count } = client;
    return {
      endpoint,
      ...(count && { count }),
      async *stream(...asked) {
        try {
          yield* client.stream(...asked);
        } catch (thrown) {
          if (thrown instanceof ModelError && NAMES_IMAGES.test(messageOf(thrown))) onRefused();
          throw thrown;
        }
      },
    };
  }

  #stored(): string[] {
    const value = this.#memory.read();
    return isObject(value) ? Object.keys(value) : [];
  }
}

const NAMES_IMAGES = /image|\bvision\b|multi-?modal/i;
