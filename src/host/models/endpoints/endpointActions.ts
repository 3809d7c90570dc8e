/** Actions on existing endpoints: their keys, models and addresses, a test, removal. */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { formatCount } from '../../../core/figures.ts';
import type { Words } from '../../../core/words.ts';
import { hasCode } from '../../../node/files/fileErrors.ts';
import {
  type ConfiguredEndpoint,
  headingOf,
  labelOf,
  showAddress,
  usable,
} from '../../../node/models/endpointConfig.ts';
import { newTable } from '../../../node/models/ownTable.ts';
import { readTypedAddress } from '../../../node/models/readTypedAddress.ts';
import { type Endpoint, isOwn, parseEndpoint } from '../../../providers/endpoint.ts';
import { testConnection } from '../../../providers/testConnection.ts';
import {
  confirmInDialog,
  inEditorLanguage,
  showError,
  showFault,
  showInformation,
  showWarning,
} from '../../notices/notify.ts';
import { type Listed, manageList, showInputBox, showQuickPick } from '../../notices/pickers.ts';
import type { Models } from '../models.ts';
import { agreesToPlainHttp } from './askForAddress.ts';
import { askForKey } from './askForKey.ts';
import { moveTo, offerModels, readStored, removeEndpoint, writeStored } from './endpointEdits.ts';
import { whileTesting } from './endpointSetup.ts';

export class EndpointActions {
  readonly #models: Models;
  readonly #modelInUse: () => string;

  /** `modelInUse`: the model of the session on screen, or of new sessions. */
  constructor(models: Models, modelInUse: () => string) {
    this.#models = models;
    this.#modelInUse = modelInUse;
  }

  setKey(): Promise<void> {
    return this.#forEndpoint(vscode.l10n.t('Set API Key'), (configured) => this.#setKeyOf(configured));
  }

  /** Reports in one sentence whether an endpoint works. */
  test(): Promise<void> {
    return this.#forEndpoint(vscode.l10n.t('Test Connection'), (configured) => this.#test(configured));
  }

  /** All actions on endpoints. `setUp` adds another one. */
  manage(setUp: () => Promise<void>): Promise<void> {
    return manageList({
      title: vscode.l10n.t('Manage Endpoints'),
      placeholder: vscode.l10n.t('Which endpoint?'),
      read: () => [
        ...this.#list((configured) => this.#manageOne(configured)),
        { label: `$(add) ${vscode.l10n.t('Set up an endpoint…')}`, act: setUp },
        {
          label: `$(tag) ${vscode.l10n.t('Prices and windows of models…')}`,
          detail: vscode.l10n.t('Opens your own table, for models whose endpoint does not report these.'),
          act: () => this.#editTable(),
        },
        ...this.#unusedKeys(),
      ],
    });
  }

  /** Creates the file with the model in use, unless it is there. */
  async #editTable(): Promise<void> {
    const { table } = this.#models;
    const choice = this.#models.resolve(this.#modelInUse(), null);
    const known = 'problem' in choice ? {} : choice;
    const text = newTable(this.#models.canonical(this.#modelInUse()), known, new Date().toISOString().slice(0, 10));
    try {
      await mkdir(dirname(table.path), { recursive: true });
      await writeFile(table.path, text, { flag: 'wx' });
    } catch (thrown) {
      if (!hasCode(thrown, 'EEXIST')) throw thrown;
    }
    await openTable(table.path);
  }

  #manageOne(configured: ConfiguredEndpoint): Promise<void> {
    const { baseUrl } = configured;
    const removeKey: Listed = {
      label: `$(circle-slash) ${vscode.l10n.t('Remove the API key')}`,
      act: () => this.#removeKeyOf(parseEndpoint(baseUrl).origin),
    };
    return manageList({
      title: headingOf(configured),
      read: () => [
        {
          label: `$(list-unordered) ${vscode.l10n.t('Choose the models to offer…')}`,
          act: () => offer(this.#models, configured),
        },
        { label: `$(key) ${vscode.l10n.t('Set the API key…')}`, act: () => this.#setKeyOf(configured) },
        ...(this.#hasKey(baseUrl) ? [removeKey] : []),
        { label: `$(plug) ${vscode.l10n.t('Test the connection')}`, act: () => this.#test(configured) },
        { label: `$(edit) ${vscode.l10n.t('Change the address…')}`, act: () => this.#changeAddress(configured) },
        { label: `$(json) ${vscode.l10n.t('Edit in the settings')}`, act: openInSettings },
        { label: `$(trash) ${vscode.l10n.t('Remove the endpoint…')}`, act: () => this.#remove(configured) },
      ],
    });
  }

  /** Applies to the only endpoint, or the one that the person chooses. */
  async #forEndpoint(title: string, act: (configured: ConfiguredEndpoint) => Promise<void>): Promise<void> {
    const [only, ...more] = this.#models.endpoint.list;
    if (!only) await showError(vscode.l10n.t('No endpoint is set up yet.'));
    else if (more.length === 0) await act(only);
    else await manageList({ title, placeholder: vscode.l10n.t('Which endpoint?'), read: () => this.#list(act) });
  }

  /** The one in use comes first. */
  #list(act: (configured: ConfiguredEndpoint) => Promise<void>): Listed[] {
    const { list } = this.#models.endpoint;
    const inUse = this.#models.endpoint.endpointOf(this.#modelInUse());
    return list
      .toSorted((a, b) => Number(b.id === inUse?.id) - Number(a.id === inUse?.id))
      .map((configured) => ({
        label: labelOf(configured),
        description: showAddress(configured.baseUrl),
        detail: this.#describe(configured, configured.id === inUse?.id),
        act: () => act(configured),
      }));
  }

  /** Keys are stored by origin, and an endpoint may have been removed from the settings by hand. */
  #unusedKeys(): Listed[] {
    const { keyed, list } = this.#models.endpoint;
    const used = new Set(list.map(({ baseUrl }) => usable(baseUrl)?.origin));
    return keyed
      .filter((origin) => !used.has(origin))
      .map((origin) => ({
        label: `$(trash) ${vscode.l10n.t('Remove the API key')}`,
        description: `${origin} · ${vscode.l10n.t('no endpoint uses it')}`,
        act: () => this.#removeKeyOf(origin),
      }));
  }

  #describe({ baseUrl, models }: ConfiguredEndpoint, inUse: boolean): string {
    const count =
      models.length === 1 ? vscode.l10n.t('1 model') : vscode.l10n.t('{0} models', formatCount(models.length));
    const key = this.#hasKey(baseUrl) ? vscode.l10n.t('key stored') : vscode.l10n.t('no key');
    return [...(inUse ? [vscode.l10n.t('in use')] : []), count, key].join(' · ');
  }

  #hasKey(baseUrl: string): boolean {
    const endpoint = usable(baseUrl);
    return endpoint !== null && this.#models.endpoint.hasKey(endpoint.origin);
  }

  #setKeyOf({ baseUrl }: ConfiguredEndpoint): Promise<void> {
    return this.#ask(parseEndpoint(baseUrl));
  }

  async #ask(endpoint: Endpoint): Promise<void> {
    const { endpoint: endpoints } = this.#models;
    const stored = endpoints.hasKey(endpoint.origin);
    const key = await askForKey({ title: vscode.l10n.t('Set API Key'), endpoint, stored });
    if (key) await endpoints.storeKey(endpoint.origin, key);
  }

  async #removeKeyOf(origin: string): Promise<void> {
    await this.#models.endpoint.removeKey(origin);
    await showInformation(vscode.l10n.t('The API key for {0} was removed.', origin));
  }

  async #test(configured: ConfiguredEndpoint): Promise<void> {
    const { endpoint: endpoints } = this.#models;
    const endpoint = parseEndpoint(configured.baseUrl);
    const inUse = endpoints.find(this.#modelInUse());
    const model = inUse?.endpoint.id === configured.id ? inUse.model.name : configured.models[0]?.name;
    const target = endpoints.access(configured, endpoint);
    const result = await whileTesting(endpoint.origin, (signal) =>
      testConnection({ ...target, ...(model && { model }) }, signal),
    );
    if (result.kind === 'works') await showInformation(inEditorLanguage(result.message));
    else await showError(inEditorLanguage(result.message));
  }

  async #changeAddress(configured: ConfiguredEndpoint): Promise<void> {
    const read = (text: string) => readTypedAddress(text.trim());
    const typed = await showInputBox({
      title: vscode.l10n.t('Address of {0}', labelOf(configured)),
      prompt: vscode.l10n.t('Base URL of an OpenAI-compatible endpoint'),
      value: configured.baseUrl,
      ignoreFocusOut: true,
      validateInput: (text) => {
        const address = read(text);
        if (address?.kind === 'address') return null;
        return address ? inEditorLanguage(address.reason) : vscode.l10n.t('Write the address in full.');
      },
    });
    const address = typed === undefined ? null : read(typed);
    if (address?.kind !== 'address') return;
    const { endpoint } = address;
    const { endpoint: endpoints } = this.#models;
    // A key belongs to one origin, so the old address's key is not used for the new one.
    if (!(await agreesToPlainHttp(endpoint))) return;
    const needsKey = !isOwn(endpoint) && !endpoints.hasKey(endpoint.origin);
    const key = needsKey ? await askForKey({ title: vscode.l10n.t('Set API Key'), endpoint, stored: false }) : '';
    if (key === null) return;
    await writeStored(moveTo(readStored(), configured.id, endpoint));
    if (key) await endpoints.storeKey(endpoint.origin, key);
    await this.#forgetKey(configured);
  }

  async #remove(configured: ConfiguredEndpoint): Promise<void> {
    const isMeant = await confirmInDialog(
      vscode.l10n.t('Remove the endpoint {0}?', labelOf(configured)),
      vscode.l10n.t(
        'Its API key is removed too, unless another endpoint uses it. Sessions with one of its models stay as they are; choose another model to continue with them.',
      ),
      vscode.l10n.t('Remove'),
    );
    if (!isMeant) return;
    await writeStored(removeEndpoint(readStored(), configured.id));
    await this.#forgetKey(configured);
  }

  /** Removes the key of an origin without endpoints. */
  async #forgetKey({ baseUrl }: ConfiguredEndpoint): Promise<void> {
    const { endpoint: endpoints } = this.#models;
    const origin = usable(baseUrl)?.origin;
    const isUsed = endpoints.list.some((other) => usable(other.baseUrl)?.origin === origin);
    if (origin !== undefined && !isUsed) await endpoints.removeKey(origin);
  }
}

/** Selects several at once, among the models that the endpoint lists and those offered already. */
async function offer({ endpoint: endpoints }: Models, configured: ConfiguredEndpoint): Promise<void> {
  const endpoint = parseEndpoint(configured.baseUrl);
  const target = endpoints.access(configured, endpoint);
  const result = await whileTesting(endpoint.origin, (signal) => testConnection(target, signal));
  if (result.kind === 'aborted') return;
  if (result.kind !== 'works') void showWarning(inEditorLanguage(result.message));
  const own = configured.models.map(({ name }) => name);
  const names = new Set([...own, ...(result.kind === 'works' ? result.models : [])]);
  const items = [...names].map((name) => ({ label: name, picked: own.includes(name) }));
  const chosen = await showQuickPick(items, {
    title: vscode.l10n.t('Models of {0} to Offer', labelOf(configured)),
    canPickMany: true,
    ignoreFocusOut: true,
  });
  if (!chosen) return;
  const offered = chosen.map(({ label }) => label);
  await writeStored(offerModels(readStored(), configured.id, offered));
}

async function openTable(path: string): Promise<void> {
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(path));
}

/** The person's own table of prices, or rows of it, cannot be used. */
export function reportOwnTable(path: string, reason: Words): void {
  const edit = vscode.l10n.t('Edit');
  const warning = vscode.l10n.t(
    'Your table of prices and windows cannot be used as it is. {0}',
    inEditorLanguage(reason),
  );
  showWarning(warning, edit).then((chosen) => (chosen === edit ? openTable(path) : undefined), showFault);
}

async function openInSettings(): Promise<void> {
  const revealSetting = { key: 'palimpsest.endpoints', edit: true };
  await vscode.commands.executeCommand('workbench.action.openSettingsJson', { revealSetting });
}
