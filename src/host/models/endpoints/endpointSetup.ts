/**
 * Sets up an endpoint with VS Code's own inputs: address, key, model. Nothing is sent before the person has given the
 * address, and nothing is stored before the last answer.
 */

import * as vscode from 'vscode';
import { formatCount } from '../../../core/figures.ts';
import { words } from '../../../core/words.ts';
import { referTo, usable } from '../../../node/models/endpointConfig.ts';
import { type Endpoint, parseEndpoint } from '../../../providers/endpoint.ts';
import { findBasePath } from '../../../providers/findBasePath.ts';
import { type FoundMessages, findMessages } from '../../../providers/findMessages.ts';
import { presetOf } from '../../../providers/presets.ts';
import { askInDialog, inEditorLanguage, SOON_MS, withCancel } from '../../notices/notify.ts';
import { pickOrType, showInputBox } from '../../notices/pickers.ts';
import { writeSetting } from '../../settings.ts';
import type { Models } from '../models.ts';
import { type Address, agreesToPlainHttp, askForAddress, askForLocalServer } from './askForAddress.ts';
import { askForKey } from './askForKey.ts';
import { addModel, readStored, setWindow, writeStored } from './endpointEdits.ts';

export class EndpointSetup {
  readonly #models: Models;

  constructor(models: Models) {
    this.#models = models;
  }

  /** Runs all steps. Returns the chosen model, or null when the person cancelled. */
  async run(): Promise<string | null> {
    const address = await askForAddress(this.#models.endpoint.list.map(({ baseUrl }) => baseUrl));
    return address && this.#setUp(address);
  }

  /** Searches for servers on this machine and sets up the chosen one. */
  async runForLocalServer(): Promise<string | null> {
    const address = await askForLocalServer();
    return address && this.#setUp(address);
  }

  async #setUp({ endpoint: typed, server }: Address): Promise<string | null> {
    const { list } = this.#models.endpoint;
    const isAgreed = list.some(({ baseUrl, plainHttp }) => plainHttp && usable(baseUrl)?.origin === typed.origin);
    if (!isAgreed && !(await agreesToPlainHttp(typed))) return null;
    const access =
      server && !server.needsKey
        ? { key: '', models: server.models, windows: {}, endpoint: typed }
        : await this.#askForAccess(typed);
    if (access === 'another') return this.run();
    if (!access) return null;
    const name = await askForModel(access);
    if (!name) return null;
    const { endpoint } = access;
    const messages = access.messages ?? (await findMessagesOf(endpoint, access.key || undefined, name, this.#models));
    if (access.key) await this.#models.endpoint.storeKey(endpoint.origin, access.key);
    const { stored, id } = addModel(readStored(), endpoint, name, access.models, {
      ...(messages && { dialect: 'messages' }),
      ...(messages?.keyHeader && { keyHeader: messages.keyHeader }),
    });
    await writeStored(stored);
    const model = referTo(name, id);
    await writeSetting('model', model);
    // Makes the server's window known before the first message.
    await this.#models.load();
    await this.#models.endpoint.refresh(model);
    await this.#askForWindow(model, name, id);
    return model;
  }

  /**
   * Used when the server does not report the model's window. The endpoint is set up already, so cancelling loses
   * nothing.
   */
  async #askForWindow(model: string, name: string, id: string): Promise<void> {
    const choice = this.#models.resolve(model, null);
    if ('problem' in choice || choice.windowFrom !== 'default' || this.#models.endpoint.tellsWindow(model)) return;
    const assumed = formatCount(choice.window);
    const typed = await showInputBox({
      title: vscode.l10n.t('Context Window of {0}', name),
      prompt: vscode.l10n.t(
        'The server does not say how many tokens it holds. Leave this empty if you do not know: {0} are assumed, and a smaller window is learned when a request is refused.',
        assumed,
      ),
      placeHolder: vscode.l10n.t('Tokens, for example 200000 or 200k'),
      ignoreFocusOut: true,
      validateInput: (text) =>
        text.trim() === '' || readTokenCount(text) !== null
          ? null
          : vscode.l10n.t('Enter a number of tokens, such as 32768 or 200k.'),
    });
    const tokens = readTokenCount(typed ?? '');
    if (tokens === null) return;
    await writeStored(setWindow(readStored(), id, name, tokens));
    await this.#models.load();
  }

  /**
   * A key that the endpoint accepts, if it answers, and the models that it then lists. Null when the person cancelled.
   */
  async #askForAccess(endpoint: Endpoint): Promise<Access | 'another' | null> {
    const stored = await this.#models.endpoint.readKey(endpoint.origin);
    let refused = null as { readonly key: string; readonly reason: string } | null;
    for (;;) {
      const key = await askForKey({
        title: vscode.l10n.t('Set Up Model Endpoint (2 of 3): key'),
        endpoint,
        stored: stored !== undefined,
        ...(refused && { refusal: refused.reason }),
      });
      if (key === null) return null;
      const { baseUrl, result, messages } = await whileTesting(endpoint.origin, (signal) =>
        findBasePath({ ...this.#models.endpoint.access(AGREED, endpoint), key: async () => key || stored }, signal),
      );
      if (result.kind === 'aborted') return null;
      // Given twice, it is deliberate: some keys may use models but not list them.
      if (result.kind === 'auth' && refused?.key !== key) {
        refused = { key, reason: inEditorLanguage(result.message) };
        continue;
      }
      const found = parseEndpoint(baseUrl);
      if (result.kind === 'works')
        return {
          key,
          models: result.models,
          windows: result.windows ?? {},
          endpoint: found,
          ...(messages && { messages }),
        };
      const again = vscode.l10n.t('Try again');
      const another = vscode.l10n.t('Enter another address');
      const without = vscode.l10n.t('Continue without a list');
      // A dialog shows all of a long message.
      const text = vscode.l10n.t('{0} does not list its models.', endpoint.origin);
      const chosen = await askInDialog(text, inEditorLanguage(result.message), again, another, without);
      if (chosen === without) return { key, models: [], windows: {}, endpoint: found };
      if (chosen === another) return 'another';
      if (chosen !== again) return null;
    }
  }
}

/** The person has been asked about the address, before anything is sent. */
const AGREED = { plainHttp: true };

interface Access {
  /** Empty: none is to be stored. */
  readonly key: string;
  readonly models: readonly string[];
  /** In tokens, for the models whose window the list includes. */
  readonly windows: Readonly<Record<string, number>>;
  /** The address that answered, which may be below the typed one. */
  readonly endpoint: Endpoint;
  /** It speaks Anthropic's Messages API and nothing else. */
  readonly messages?: FoundMessages;
}

const CLAUDE = /claude|anthropic/i;

/**
 * A gateway may speak the Messages API in addition to chat completions. For Claude it is the one with a prompt cache. What is
 * known of a host needs no question.
 */
async function findMessagesOf(
  endpoint: Endpoint,
  key: string | undefined,
  name: string,
  models: Models,
): Promise<FoundMessages | null> {
  if (!CLAUDE.test(name) || presetOf(endpoint)) return null;
  const { baseUrl, origin } = endpoint;
  const stored = models.endpoint.access(AGREED, endpoint);
  const access = { ...stored, key: async () => key ?? stored.key() };
  return whileTesting(origin, (signal) => findMessages(access, [baseUrl.replace(/\/+$/, '')], signal));
}

/** Shows that the endpoint is being tested, with a way to cancel. */
export function whileTesting<T>(origin: string, test: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return withCancel(words('Testing {0}…', origin), test, { afterMs: SOON_MS });
}

/** Longer lists are searched rather than read. */
const MANY = 20;

/** A model of the list, or another by name. */
async function askForModel({ models, windows }: Access): Promise<string | null> {
  return pickOrType<string>({
    title: vscode.l10n.t('Set Up Model Endpoint (3 of 3): model'),
    placeholder:
      models.length === 0
        ? vscode.l10n.t('Name of the model')
        : models.length > MANY
          ? vscode.l10n.t('{0} models: type a part of a name, or the name of another', formatCount(models.length))
          : vscode.l10n.t('Choose a model, or type the name of another'),
    offers: models.map((name) => {
      const window = windows[name];
      const description = window === undefined ? '' : vscode.l10n.t('{0} tokens', formatCount(window));
      return { label: name, value: name, description };
    }),
    typed: (text) =>
      text === '' || models.includes(text)
        ? null
        : { label: text, description: vscode.l10n.t('Use this name'), value: text },
  });
}

/** `200000`, `200,000` or `200k`; null for anything else. */
function readTokenCount(text: string): number | null {
  const [, digits, thousands] = /^([\d,._ ]*\d)\s*(k?)$/i.exec(text.trim()) ?? [];
  if (digits === undefined) return null;
  const count = Number(digits.replace(/[,._ ]/g, '')) * (thousands ? 1_000 : 1);
  return count >= LEAST_WINDOW && count <= MOST_WINDOW ? count : null;
}

/** The minimum of the setting. */
const LEAST_WINDOW = 1_000;
const MOST_WINDOW = 10_000_000;
