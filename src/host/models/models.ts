/** The models that a session can use. Each kind of client is one line of the table here. */

import type { SecretStorage } from 'vscode';
import type { ModelChoice, ModelProblem } from '../../core/ports.ts';
import { words } from '../../core/words.ts';
import type { Choice } from '../../protocol/messages.ts';
import { type RetryNotice, withRetries } from '../../providers/retry.ts';
import type { AgentSettings } from '../settings/agentSettings.ts';
import { say } from '../tell/say.ts';
import type { ClientKind } from './clientKind.ts';
import { demoModel } from './demoModel.ts';
import { EndpointModels } from './endpoints/endpointModels.ts';
import type { ServedFacts } from './endpoints/servedFacts.ts';
import type { ExtensionModels } from './extensions/extensionModels.ts';

export class Models {
  readonly endpoint: EndpointModels;
  readonly extensions: ExtensionModels;
  readonly #settings: () => AgentSettings;
  /** In the order of the chooser. The endpoint takes the ids that no later kind owns. */
  readonly #kinds: readonly ClientKind[];

  constructor(settings: () => AgentSettings, secrets: SecretStorage, extensions: ExtensionModels, facts: ServedFacts) {
    this.#settings = settings;
    this.endpoint = new EndpointModels(settings, secrets, facts);
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

  /** Whether somebody said that there is this model: a server may refuse every other name. */
  lists(id: string): boolean {
    const kind = this.kindOf(id);
    return kind !== this.endpoint || this.endpoint.lists(id);
  }

  /**
   * The client, or why there is none. It retries and says so; with null it does not, for callers that retry themselves.
   * `beside`: the model whose endpoint goes first when the id names none.
   */
  resolve(id: string, onRetry: ((notice: RetryNotice) => void) | null, beside?: string): ModelChoice | ModelProblem {
    const kind = this.kindOf(id);
    const choice = kind.resolve(id, beside);
    if ('problem' in choice || !kind.retries || !onRetry) return choice;
    return { ...choice, client: withRetries(choice.client, { onRetry }) };
  }

  /** Call before a turn: what a model's server says of it may have changed. */
  async refresh(id: string): Promise<void> {
    await this.kindOf(id).refresh?.(id);
  }

  /** Call before the first `resolve`, and when a setting has changed. */
  async load(): Promise<void> {
    await Promise.all(this.#kinds.map((kind) => kind.load()));
  }
}
