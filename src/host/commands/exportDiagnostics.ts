/**
 * *Export Diagnostics*: gathers what helps to find a fault and opens it as a text that the person looks through, and saves
 * where they like.
 */

import { readdir, readFile, stat } from 'node:fs/promises';
import { homedir, platform, release } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { ReadOnlyDocuments } from '../inspect/readOnlyDocuments.ts';
import type { ShownSession } from '../session/shownSession.ts';
import { describeDiagnostics, type SetSetting } from './describeDiagnostics.ts';

export interface DiagnosticParts {
  readonly context: Pick<vscode.ExtensionContext, 'extension' | 'logUri'>;
  /** Keys that are known in this window: none of them leaves it. */
  readonly keys: readonly string[];
  readonly session: ShownSession;
  readonly documents: Pick<ReadOnlyDocuments, 'show'>;
  /** Names of folders and where they lie. */
  readonly folders: readonly (readonly [name: string, folder: string])[];
}

/** Lines of the log. */
const NEWEST = 300;
/** The product's own log file, as the editor names it after its channel. */
const LOG = 'Palimpsest.log';

export async function exportDiagnostics({
  context,
  keys,
  session,
  documents,
  folders,
}: DiagnosticParts): Promise<void> {
  const { extension, logUri } = context;
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
    session: describeSession(session),
    storage: await Promise.all(folders.map(async ([name, folder]) => [name, await sizeOf(folder)] as const)),
    log: (await readFile(join(logUri.fsPath, LOG), 'utf8').catch(() => '')).split('\n').slice(-NEWEST),
    hide: [
      ...keys.map((key) => [key, '[key]'] as const),
      ...(vscode.workspace.workspaceFolders ?? []).map(({ uri }, at) => [uri.fsPath, `[folder ${at + 1}]`] as const),
      [homedir(), '~'],
    ],
  });
  await documents.show('palimpsest-diagnostics.md', content);
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

/** Numbers alone: nothing of what was said. */
function describeSession({ conversation }: ShownSession): (readonly [string, number | string])[] {
  if (!conversation) return [];
  const { journal, compactor, status } = conversation;
  return [
    ['status', status],
    ['entries', journal.nextSeq],
    ['messages in the context', journal.context.conversation.length],
    ['tokens', compactor.reading.tokens],
    ['window', compactor.window],
    ['compactions in force', journal.context.activeCompactions.length],
    ['failed compactions', [...journal.ofType('compactionFailed')].length],
    ['requests', journal.spending.requests],
    ['not yet on disk', journal.unwritten],
  ];
}

async function sizeOf(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    files.filter((file) => file.isFile()).map(async (file) => (await stat(join(file.parentPath, file.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
