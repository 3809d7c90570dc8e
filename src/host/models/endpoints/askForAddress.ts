/**
 * The first step of setting up an endpoint: choose a well-known one, an address, or a server on this machine, which is
 * searched for only when that is chosen.
 */

import * as vscode from 'vscode';
import { formatCount } from '../../../core/figures.ts';
import { words } from '../../../core/words.ts';
import { hostOf } from '../../../node/models/endpointConfig.ts';
import { readTypedAddress } from '../../../node/models/readTypedAddress.ts';
import { type Endpoint, parseEndpoint } from '../../../providers/endpoint.ts';
import { findLocalServers, type LocalServer } from '../../../providers/findLocalServers.ts';
import { LOCAL_PRESETS, PRESETS, type Preset } from '../../../providers/presets.ts';
import { confirmInDialog, inEditorLanguage, SOON_MS, showInformation, withCancel } from '../../notices/notify.ts';
import { type Offer, pickOrType, showQuickPick } from '../../notices/pickers.ts';

export interface Address {
  readonly endpoint: Endpoint;
  /** The server that was found there, which needs no key. */
  readonly server?: LocalServer;
}

type Answer = Address | 'search';

/** `known`: addresses already set up. Null when the person cancelled. */
export async function askForAddress(known: readonly string[]): Promise<Address | null> {
  const offers: readonly Offer<Answer>[] = [
    heading(vscode.l10n.t('On this machine')),
    {
      value: 'search',
      label: `$(search) ${vscode.l10n.t('Find model servers on this machine')}`,
      description: LOCAL_PRESETS.map(({ label }) => label).join(', '),
    },
    ...LOCAL_PRESETS.map((preset) => offerPreset(preset, known)),
    heading(vscode.l10n.t('Providers')),
    ...PRESETS.filter(({ local }) => !local).map((preset) => offerPreset(preset, known)),
  ];
  const answer = await pickOrType<Answer>({
    title: vscode.l10n.t('Set Up Model Endpoint (1 of 3): provider or URL'),
    placeholder: vscode.l10n.t('Choose one, or type the base URL of an OpenAI-compatible endpoint'),
    offers,
    typed: offerTyped,
  });
  if (answer !== 'search') return answer;
  const found = await chooseLocalServer();
  // Where there is none, an address can still be typed.
  return found === 'none' ? askForAddress(known) : found;
}

/** Null when there is none, which a message reports, or the person cancelled. */
export async function askForLocalServer(): Promise<Address | null> {
  const answer = await chooseLocalServer();
  return answer === 'none' ? null : answer;
}

/** Asks for plain http to a private network; nothing is asked for another address. */
export async function agreesToPlainHttp({ plainHttp, origin }: Endpoint): Promise<boolean> {
  if (!plainHttp) return true;
  const { host } = new URL(origin);
  return confirmInDialog(
    vscode.l10n.t('Use plain http to {0}?', host),
    vscode.l10n.t(
      'Everything that goes to this address is unencrypted: your messages, your code, and the key if you give one. Other people in the same network can read it, and change the answers. In another network the same address may be another machine.',
    ),
    vscode.l10n.t('Use plain http'),
  );
}

/** `none`: there is none, which a message reports. Null when the person cancelled. */
async function chooseLocalServer(): Promise<Address | 'none' | null> {
  const looking = words('Looking for model servers on this machine…');
  const servers = await withCancel(looking, findLocalServers, { afterMs: SOON_MS });
  if (servers.length === 0) {
    const ports = LOCAL_PRESETS.map(({ label, baseUrl }) => `${label}: ${new URL(baseUrl).port}`).join(', ');
    void showInformation(
      vscode.l10n.t(
        'No model server answers on this machine at the usual ports ({0}). Start one, or type its address.',
        ports,
      ),
    );
    return 'none';
  }
  const items = servers.map((server) => ({ server, ...describeServer(server) }));
  const chosen = await showQuickPick(items, {
    title: vscode.l10n.t('Model Servers on This Machine'),
    placeHolder: vscode.l10n.t('Choose the server to set up'),
    ignoreFocusOut: true,
  });
  return chosen ? { endpoint: parseEndpoint(chosen.server.baseUrl), server: chosen.server } : null;
}

function describeServer({ preset, baseUrl, models, needsKey }: LocalServer): vscode.QuickPickItem {
  const offered =
    models.length === 1 ? vscode.l10n.t('1 model') : vscode.l10n.t('{0} models', formatCount(models.length));
  const detail = needsKey
    ? vscode.l10n.t('It asks for a key.')
    : [offered, models.slice(0, 5).join(', ')].filter(Boolean).join(' · ');
  return { label: hostOf(baseUrl), description: vscode.l10n.t('the usual port of {0}', preset.label), detail };
}

function offerPreset(preset: Preset, known: readonly string[]): Offer<Answer> {
  const { label, baseUrl } = preset;
  const description = known.includes(baseUrl) ? `${baseUrl} · ${vscode.l10n.t('set up')}` : baseUrl;
  return { value: { endpoint: parseEndpoint(baseUrl) }, label, description };
}

function offerTyped(text: string): Offer<Answer> | null {
  const read = readTypedAddress(text);
  if (!read) return null;
  return read.kind === 'address'
    ? { value: { endpoint: read.endpoint }, label: text, description: vscode.l10n.t('Use this address') }
    : { label: text, detail: inEditorLanguage(read.reason) };
}

const heading = (label: string): Offer<Answer> => ({ label, kind: vscode.QuickPickItemKind.Separator });
