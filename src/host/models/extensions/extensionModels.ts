/**
 * The models of other extensions as a kind of model. Invariant: no other extension is started or asked before the
 * person asks for its models, or has chosen one. Found models are remembered, in every window, until the next search.
 */

import type { Memento } from 'vscode';
import * as vscode from 'vscode';
import { messageOf } from '../../../core/errors.ts';
import { formatCount } from '../../../core/figures.ts';
import type { Log } from '../../../core/log.ts';
import type { ModelChoice } from '../../../core/model/modelChoice.ts';
import type { ModelClient } from '../../../core/model/modelClient.ts';
import { words } from '../../../core/words.ts';
import type { ClientKind } from '../../../node/models/clientKind.ts';
import type { Choice } from '../../../protocol/messages.ts';
import { showInformation, withCancel } from '../../notices/notify.ts';
import { showQuickPick } from '../../notices/pickers.ts';
import { eventOf, offered } from '../../offered.ts';
import { createExtensionClient } from './extensionClient.ts';
import {
  describeModel,
  type ExtensionModel,
  type LanguageModels,
  type ModelKey,
  nameOf,
  readModels,
  readReference,
  referToExtension,
} from './extensionModel.ts';

const KEY = 'palimpsest.extensionModels';

interface ExtensionModelsOptions {
  readonly api: LanguageModels;
  readonly state: Memento;
  /** For the consent question to the person. */
  readonly justification: () => string;
  /** Their heading in the list of all models. */
  readonly heading: string;
  /** Id of the model for new sessions. */
  readonly chosen: () => string;
  readonly onFault: (thrown: unknown) => void;
}

export class ExtensionModels implements ClientKind {
  readonly scripted = false;
  readonly retries = true;
  readonly #options: ExtensionModelsOptions;
  readonly #client: ModelClient;
  readonly #listeners = new Set<() => void>();
  /** Null until the person has asked for them, here or in another window. */
  #models: readonly ExtensionModel[] | null;
  /** Other extensions were asked in this window, so their changes are followed. */
  #awake = false;
  /** Number of running queries: VS Code may report changes that are their answers. */
  #asking = 0;
  readonly #followed: { dispose(): unknown };

  constructor(options: ExtensionModelsOptions) {
    this.#options = options;
    const { api, justification } = options;
    this.#models = readModels(options.state.get(KEY));
    this.#client = createExtensionClient({
      api,
      justification,
      onFound: (model) => {
        this.#awake = true;
        this.#keep(describeModel(model));
      },
    });
    this.#followed = api.onDidChangeChatModels(() => {
      if (this.#awake && this.#models && this.#asking === 0) this.find().catch(options.onFault);
    });
  }

  owns(id: string): boolean {
    return readReference(id) !== null;
  }

  canonical(id: string): string {
    return id;
  }

  choices(chosen: string | null): readonly Choice[] {
    const key = chosen === null ? null : readReference(chosen);
    const models = [...(this.#models ?? [])];
    if (key && !models.some((model) => isSame(model, key))) models.push({ ...key, label: key.id, window: 0 });
    return models.map((model) => ({
      id: referToExtension(model),
      label: model.label,
      description: nameOf(model),
      group: this.#options.heading,
    }));
  }

  /** A model that is no longer offered fails only when asked: its extension may merely be slow to start. */
  resolve(id: string): ModelChoice {
    const key = readReference(id) ?? { vendor: '', id };
    const known = this.#models?.find((model) => isSame(model, key));
    const images = known?.images === true;
    return { client: this.#client, model: nameOf(key), window: known?.window ?? 0, images };
  }

  /**
   * Looks up a single model: the one that the person chose for new sessions and that is not remembered. Its extension
   * may take long to start, so nobody waits: listeners are notified.
   */
  async load(): Promise<void> {
    const key = readReference(this.#options.chosen());
    if (!key || this.#models?.some((model) => isSame(model, key))) return;
    const ask = async () => {
      const [model] = await this.#options.api.selectChatModels(key);
      if (model) this.#keep(describeModel(model));
    };
    ask().catch(this.#options.onFault);
  }

  /** Asks every extension for its models, on a person's request or when asked extensions report changes. */
  async find(): Promise<readonly ExtensionModel[]> {
    this.#asking++;
    const offered = await Promise.resolve(this.#options.api.selectChatModels()).finally(() => this.#asking--);
    this.#awake = true;
    const models = new Map(offered.map((model) => [nameOf(model), describeModel(model)]));
    const found = [...models.values()].sort((a, b) => nameOf(a).localeCompare(nameOf(b), 'en'));
    this.#remember(found);
    return found;
  }

  /** Called when other models are offered, or the window of one became known. */
  onDidChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  }

  dispose(): void {
    this.#followed.dispose();
  }

  #keep(model: ExtensionModel): void {
    const models = this.#models ?? [];
    const known = models.some((other) => isSame(other, model));
    this.#remember(known ? models.map((other) => (isSame(other, model) ? model : other)) : [...models, model]);
  }

  #remember(models: readonly ExtensionModel[]): void {
    if (JSON.stringify(models) === JSON.stringify(this.#models)) return;
    this.#models = models;
    this.#options.state.update(KEY, models).then(undefined, this.#options.onFault);
    for (const listener of this.#listeners) listener();
  }
}

const isSame = (a: ModelKey, b: ModelKey): boolean => a.vendor === b.vendor && a.id === b.id;

/** The id of the chosen model; null when there is none, or the person cancelled. */
export async function chooseExtensionModel(models: ExtensionModels): Promise<string | null> {
  const found = await withCancel(words('Asking other extensions for their models…'), (signal) =>
    findUntil(models, signal),
  );
  if (found.length === 0) {
    await showInformation(
      vscode.l10n.t(
        'No other extension offers a model here. Install or enable one that does and sign in there, then try again.',
      ),
    );
    return null;
  }
  const items = found.map((model) => ({
    label: model.label,
    description: describeFound(model),
    id: referToExtension(model),
  }));
  const chosen = await showQuickPick(items, {
    title: vscode.l10n.t('Models of Other Extensions'),
    placeHolder: vscode.l10n.t('VS Code asks for your consent before the first message'),
    matchOnDescription: true,
    ignoreFocusOut: true,
  });
  return chosen?.id ?? null;
}

/** An extension may take minutes to start, and cannot be stopped: the answer is remembered when it arrives. */
function findUntil(models: ExtensionModels, signal: AbortSignal): Promise<readonly ExtensionModel[]> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return Promise.race([models.find(), promise]);
}

function describeFound(model: ExtensionModel): string {
  if (model.window === 0) return nameOf(model);
  return vscode.l10n.t('{0} · {1} tokens', nameOf(model), formatCount(model.window));
}

/** `chosen`: id of the model for new sessions. */
export function openExtensionModels(state: vscode.Memento, chosen: () => string, log: Log): ExtensionModels {
  return new ExtensionModels({
    api: languageModelsOf(vscode),
    state,
    chosen,
    heading: vscode.l10n.t('Other extensions'),
    justification: () =>
      vscode.l10n.t('The conversation of a Palimpsest session goes to the model that you chose for it.'),
    onFault: (thrown) => log('warn', `Models of other extensions: ${messageOf(thrown)}`),
  });
}

/** For an editor without models of other extensions: the list is always empty. */
export function languageModelsOf(editor: typeof vscode): LanguageModels {
  const select = offered(() => editor.lm.selectChatModels);
  return {
    CancellationTokenSource: editor.CancellationTokenSource,
    LanguageModelChatMessage: editor.LanguageModelChatMessage,
    LanguageModelDataPart: editor.LanguageModelDataPart,
    LanguageModelTextPart: editor.LanguageModelTextPart,
    LanguageModelToolCallPart: editor.LanguageModelToolCallPart,
    LanguageModelToolResultPart: editor.LanguageModelToolResultPart,
    selectChatModels: async (selector) => (select ? editor.lm.selectChatModels(selector) : []),
    onDidChangeChatModels: eventOf(() => editor.lm.onDidChangeChatModels),
  };
}
