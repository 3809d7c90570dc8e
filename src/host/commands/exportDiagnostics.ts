/**
 * *Export Diagnostics*: collects facts that help to find a fault and opens them as text, which the person reviews and
 * saves.
 */

import { readFile } from 'node:fs/promises';
import { homedir, platform, release, userInfo } from 'node:os';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { formatCount } from '../../core/figures.ts';
import type { Cleaner } from '../../node/secrets/cleaner.ts';
import { type HiddenPlace, hideName, hidePlaces } from '../../node/secrets/hidePlaces.ts';
import { knownSecrets } from '../../node/secrets/knownSecrets.ts';
import { openCleaner } from '../../node/secrets/openCleaner.ts';
import type { ShownSession } from '../../node/session/shownSession.ts';
import type { SessionStore } from '../../node/storage/sessions/sessionStore.ts';
import type { Handlers } from '../handlers.ts';
import type { ReadOnlyDocuments } from '../inspect/readOnlyDocuments.ts';
import type { OpenedMcp } from '../mcp/openMcp.ts';
import type { Models } from '../models/models.ts';
import { bytesIn } from './showStorage.ts';

interface Parts {
  readonly models: Models;
  readonly mcp: OpenedMcp;
  readonly session: ShownSession;
  /** This workspace's sessions. */
  readonly store: SessionStore;
  readonly documents: ReadOnlyDocuments;
}

/** In lines of the log. */
const NEWEST = 300;

/** The product's own log file, which the editor names after its channel. */
const LOG = 'Palimpsest.log';

export function diagnosticsCommands(context: vscode.ExtensionContext, parts: Parts) {
  return { exportDiagnostics: () => exportDiagnostics(context, parts) } satisfies Partial<Handlers>;
}

async function exportDiagnostics(context: vscode.ExtensionContext, parts: Parts): Promise<void> {
  const { extension, logUri, globalStorageUri } = context;
  const folders = [
    ['all sessions of this folder together', parts.store.folder],
    ['everything that Palimpsest stores on this machine', globalStorageUri.fsPath],
  ] as const;
  const content = describeDiagnostics({
    versions: [
      ['Palimpsest', extension.packageJSON.version],
      ['VS Code', `${vscode.version} (${vscode.env.appHost}, ${vscode.env.remoteName ?? 'local'})`],
      ['Node', process.versions.node],
      ['System', `${platform()} ${release()} ${process.arch}`],
      ['Language', vscode.env.language],
      ['Trusted', String(vscode.workspace.isTrusted)],
      ['Folders', String(vscode.workspace.workspaceFolders?.length ?? 0)],
    ],
    settings: readSettings(extension.packageJSON),
    session: describeSession(parts.session),
    storage: await Promise.all(
      folders.map(async ([name, folder]) => [name, await bytesIn(folder).catch(() => 0)] as const),
    ),
    log: (await readFile(join(logUri.fsPath, LOG), 'utf8').catch(() => '')).split('\n').slice(-NEWEST),
    cleaner: await openCleaner(knownSecrets(parts)),
    places: [
      ...(vscode.workspace.workspaceFolders ?? []).map(({ uri }, at) => [uri.fsPath, `[folder ${at + 1}]`] as const),
      [homedir(), '~'],
    ],
    names: [userName(), basename(homedir())],
  });
  await parts.documents.show('palimpsest-diagnostics.md', content);
}

/** Empty where the system knows no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return '';
  }
}

interface Manifest {
  readonly contributes: {
    readonly configuration: readonly {
      readonly properties: Readonly<Record<string, { readonly enum?: readonly unknown[] }>>;
    }[];
  };
}

function readSettings({ contributes }: Manifest): SetSetting[] {
  const known = contributes.configuration.flatMap(({ properties }) => Object.entries(properties));
  return known.flatMap(([name, schema]) => {
    const inspected = vscode.workspace.getConfiguration().inspect(name);
    const value = inspected?.workspaceFolderValue ?? inspected?.workspaceValue ?? inspected?.globalValue;
    return value === undefined ? [] : [{ name, value, listed: schema.enum?.includes(value) ?? false }];
  });
}

/** Only numbers, no text of the conversation. */
function describeSession({ conversation }: ShownSession): (readonly [string, number | string])[] {
  if (!conversation) return [];
  const { journal, compactor, status } = conversation;
  return [
    ['status', status],
    ['entries', journal.nextSeq],
    ['messages in the context', journal.context.conversation.length],
    ['tokens', compactor.gauge.reading.tokens],
    ['window', compactor.gauge.window],
    ['compactions in force', journal.context.activeCompactions.length],
    ['failed compactions', [...journal.ofType('compactionFailed')].length],
    ['requests', journal.spending.requests],
    ['not yet on disk', journal.unwritten],
  ];
}

/**
 * Facts that help to find a fault, as text that a person can review before sharing it. It contains no key, message or
 * file content: for a setting that could hold text it only says that it is set. Pure.
 */
interface DiagnosticFacts {
  readonly versions: readonly (readonly [name: string, version: string])[];
  /** Every changed setting, with its schema's type. */
  readonly settings: readonly SetSetting[];
  /** Figures of the session on screen; empty without one. */
  readonly session: readonly (readonly [name: string, figure: number | string])[];
  readonly storage: readonly (readonly [name: string, bytes: number])[];
  /** The newest lines of the log. */
  readonly log: readonly string[];
  readonly cleaner: Cleaner;
  /** Folders that must not appear in any spelling: the workspace folders and the person's home. */
  readonly places: readonly HiddenPlace[];
  /** The person's names. */
  readonly names: readonly string[];
}

interface SetSetting {
  readonly name: string;
  readonly value: unknown;
  /** Its value is one of a list defined by the product. */
  readonly listed: boolean;
}

export function describeDiagnostics(facts: DiagnosticFacts): string {
  const { versions, settings, session, storage, log, cleaner, places, names } = facts;
  const list = (pairs: readonly (readonly [string, string | number])[]) =>
    pairs.map(([name, value]) => `- ${name}: ${value}`);
  const lines = [
    '# Palimpsest: diagnostics',
    '',
    ...list(versions),
    '',
    '## Settings that were changed',
    '',
    ...list(settings.map((setting) => [setting.name, showSetting(setting)])),
    '',
    '## The session on screen',
    '',
    ...list(session),
    '',
    '## Storage',
    '',
    ...list(storage.map(([name, bytes]) => [name, `${formatCount(bytes)} bytes`])),
    '',
    '## The end of the log',
    '',
    '```text',
    ...log.map((line) => line.replaceAll('`', "'")),
    '```',
    '',
  ];
  const placeless = hidePlaces(cleaner.clean(lines.join('\n')), places);
  return names.reduce((text, name) => hideName(text, name), placeless);
}

function showSetting({ value, listed }: SetSetting): string {
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (typeof value === 'string' && listed) return value;
  if (Array.isArray(value)) return `set, ${value.length} entries`;
  return value === '' ? 'empty' : 'set';
}
