/**
 * Sets up an endpoint in VS Code's own inputs: URL, key, test, model. Nothing is sent before the person has given the
 * address.
 */

import * as vscode from 'vscode';
import { wordsOf } from '../../core/errors.ts';
import { words } from '../../core/words.ts';
import { parseEndpoint } from '../../providers/endpoint.ts';
import { testConnection } from '../../providers/testConnection.ts';
import type { AgentSettings } from '../settings/agentSettings.ts';
import { writeSetting } from '../settings/settings.ts';
import { showError, showInformation, showWarning } from '../tell/notify.ts';
import { say } from '../tell/say.ts';
import { withCancel } from '../tell/withCancel.ts';
import { originOf } from './endpointModels.ts';
import type { Models } from './models.ts';

export class EndpointSetup {
  readonly #models: Models;
  readonly #settings: () => AgentSettings;

  constructor(models: Models, settings: () => AgentSettings) {
    this.#models = models;
    this.#settings = settings;
  }

  get origin(): string | null {
    return originOf(this.#settings()['endpoint.baseUrl']);
  }

  /** Asks for everything. Returns the chosen model's name, or null when the person left. */
  async run(): Promise<string | null> {
    const baseUrl = await vscode.window.showInputBox({
      title: vscode.l10n.t('Set Up Model Endpoint (1 of 3): URL'),
      prompt: vscode.l10n.t('Base URL of an OpenAI-compatible endpoint'),
      placeHolder: 'https://api.openai.com/v1',
      value: this.#settings()['endpoint.baseUrl'],
      ignoreFocusOut: true,
      validateInput: (text) => describeUrlProblem(text),
    });
    if (baseUrl === undefined) return null;
    await writeSetting('endpoint.baseUrl', parseEndpoint(baseUrl).baseUrl);
    if (!(await this.setKey(vscode.l10n.t('Set Up Model Endpoint (2 of 3): key')))) return null;
    return this.chooseFromEndpoint(vscode.l10n.t('Set Up Model Endpoint (3 of 3): model'));
  }

  /** False when the person left. A server on this machine may need no key. */
  async setKey(title: string): Promise<boolean> {
    const { origin } = this;
    if (!origin) {
      await showError(vscode.l10n.t('Set the endpoint first: a key belongs to one origin.'));
      return false;
    }
    const { loopback } = parseEndpoint(origin);
    const key = await vscode.window.showInputBox({
      title,
      prompt: loopback
        ? vscode.l10n.t('API key for {0}; leave it empty when the server needs none', origin)
        : vscode.l10n.t('API key for {0}. It is kept in the secret storage and sent to this origin only.', origin),
      password: true,
      ignoreFocusOut: true,
    });
    if (key === undefined) return false;
    if (key.trim()) await this.#models.endpoint.storeKey(origin, key.trim());
    return true;
  }

  async removeKey(): Promise<void> {
    const { origin } = this;
    if (!origin) return;
    await this.#models.endpoint.removeKey(origin);
    await showInformation(vscode.l10n.t('The API key for {0} was removed.', origin));
  }

  /** Says in one sentence whether the endpoint works. */
  async test(): Promise<void> {
    const result = await this.#diagnose();
    if (!result) return;
    if (result.kind === 'works') await showInformation(say(result.message));
    else await showError(say(result.message));
  }

  async chooseFromEndpoint(title: string): Promise<string | null> {
    const result = await this.#diagnose();
    if (!result) return null;
    const found = result.kind === 'works' ? result.models : [];
    if (result.kind !== 'works') void showWarning(say(result.message));
    const name = found.length
      ? await vscode.window.showQuickPick([...found], { title, placeHolder: say(result.message), ignoreFocusOut: true })
      : await vscode.window.showInputBox({ title, prompt: vscode.l10n.t('Name of the model'), ignoreFocusOut: true });
    if (!name) return null;
    const models = new Set([...this.#settings()['endpoint.models'], name]);
    await writeSetting('endpoint.models', [...models]);
    await writeSetting('model', name);
    return name;
  }

  async #diagnose() {
    const { 'endpoint.baseUrl': baseUrl, model } = this.#settings();
    const { endpoint } = this.#models;
    const { origin } = this;
    if (!origin) {
      await showError(vscode.l10n.t('No endpoint is set up yet.'));
      return null;
    }
    const isItsOwn = model !== '' && this.#models.kindOf(model) === endpoint;
    const key = () => endpoint.readKey(origin);
    return withCancel(
      words('Testing {0}…', origin),
      (signal) => testConnection({ baseUrl, key, ...(isItsOwn ? { model } : {}) }, signal),
      0,
    );
  }
}

function describeUrlProblem(text: string): string | null {
  try {
    parseEndpoint(text);
    return null;
  } catch (thrown) {
    return say(wordsOf(thrown));
  }
}
