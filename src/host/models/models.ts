/** The models that a session can use. Each kind of client is one row of the table here. */

import type { Memento, SecretStorage } from 'vscode';
import * as vscode from 'vscode';
import type { Pauses } from '../../core/cost/pauses.ts';
import { messageOf } from '../../core/errors.ts';
import { formatCount } from '../../core/figures.ts';
import type { Log } from '../../core/log.ts';
import { DEMO, type ModelChoice, type ModelProblem } from '../../core/model/modelChoice.ts';
import type { WindowMemory } from '../../core/tokens/learnedWindows.ts';
import { words } from '../../core/words.ts';
import type { AgentSettings } from '../../node/agentSettings.ts';
import type { ClientKind } from '../../node/models/clientKind.ts';
import type { ImageSupport } from '../../node/models/imageSupport.ts';
import type { OwnTable } from '../../node/models/ownTable.ts';
import type { ServedFacts } from '../../node/models/servedFacts.ts';
import type { Choice } from '../../protocol/messages.ts';
import { createDemoClient } from '../../providers/demo/demoClient.ts';
import { type RetryNotice, withRetries } from '../../providers/retry.ts';
import { inEditorLanguage } from '../notices/notify.ts';
import { editorProxy } from './endpoints/editorProxy.ts';
import { EndpointModels } from './endpoints/endpointModels.ts';
import type { ExtensionModels } from './extensions/extensionModels.ts';

export class Models {
  readonly endpoint: EndpointModels;
  /** The person's own table of prices and windows. */
  readonly table: OwnTable;
  /** Of the person, in every session. */
  readonly pauses: Pauses;
  readonly images: ImageSupport;
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
    images: ImageSupport,
  ) {
    this.#settings = settings;
    this.table = table;
    this.pauses = pauses;
    this.images = images;
    this.endpoint = new EndpointModels(settings, secrets, facts, table, pauses, editorProxy);
    this.extensions = extensions;
    this.#kinds = [this.endpoint, extensions, demoModel()];
  }

  choices(): Choice[] {
    const { model } = this.#settings();
    const chosenKind = this.kindOf(model);
    const choices = this.#kinds.flatMap((kind) => kind.choices(kind === chosenKind ? model : null));
    return choices.map((choice) => {
      const servedWindow = this.kindOf(choice.id) === this.endpoint ? this.endpoint.servedWindow(choice.id) : null;
      return servedWindow === null
        ? choice
        : {
            ...choice,
            description: inEditorLanguage(words('The server holds {0} tokens', formatCount(servedWindow))),
          };
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

/** In tokens: small enough that the demo shows a compaction. */
const DEMO_WINDOW = 8_000;

/** The scripted demo as a kind of model: one model, no key, no network. */
function demoModel(): ClientKind {
  const client = createDemoClient({ translate: inEditorLanguage });
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
    resolve: () => ({ client, model: DEMO, window: DEMO_WINDOW, images: false }),
    load: async () => undefined,
  };
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
