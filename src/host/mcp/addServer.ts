/** Sets up an MCP server: its command, address or pasted JSON, and where. Its name and variables are asked for on request. */

import { applyEdits, modify, type ParseError, parse } from 'jsonc-parser';
import * as vscode from 'vscode';
import { UserFacingError } from '../../core/errors.ts';
import { asRecord } from '../../core/json.ts';
import { showInOneLine, showName } from '../../core/tools/text/showHidden.ts';
import { words } from '../../core/words.ts';
import { readForeignServer, showStart } from '../../node/mcp/serverConfig.ts';
import {
  type NamedServer,
  readTypedServer,
  refuseVariables,
  takeSecrets,
  withAsked,
  withVariables,
} from '../../node/mcp/typedServer.ts';
import { confirmInDialog, inEditorLanguage } from '../notices/notify.ts';
import { showInputBox, showQuickPick } from '../notices/pickers.ts';
import { readSetting, writeSetting } from '../settings.ts';
import { describeFirst, type OpenedMcp } from './openMcp.ts';

/** A folder's own file, which other programs read too. */
const FILE = '.mcp.json';
/** Characters. */
const LONGEST_SHOWN = 300;

/** Starts what was added. False when the person cancelled. Throws `UserFacingError` for a text that names no server. */
export async function addServer(mcp: OpenedMcp, text?: string): Promise<boolean> {
  const typed = text === undefined ? await askForServer() : readTypedServer(text);
  if (typed?.kind === 'unreadable') throw new UserFacingError(typed.reason);
  if (!typed) return false;
  let given =
    typed.kind === 'pasted' ? typed.servers : [withAsked({ name: freeName(mcp, typed.suggested), entry: typed.entry })];
  let folder = await askWhere(given);
  if (folder === 'more') {
    const more = await askForRest(mcp, given);
    if (!more) return false;
    given = more;
    folder = await askWhere(given, false);
  }
  if (folder === undefined || folder === 'more') return false;
  const named = given.map((server) => ({ ...server, name: freeName(mcp, server.name) }));
  const taken = named.map(takeSecrets);
  if (typed.kind === 'pasted' && !(await confirm(taken.map(({ server }) => server)))) return false;
  if (folder) for (const { server } of taken) await writeToFile(folder, server);
  else {
    const added = Object.fromEntries(taken.map(({ server }) => [server.name, server.entry]));
    await writeSetting('mcp.servers', { ...asRecord(readSetting('mcp.servers').value), ...added });
  }
  await mcp.servers.refresh();
  for (const { server, secrets } of taken) {
    const listed = mcp.servers.listed.find((each) => each.server.name === server.name)?.server;
    if (!listed) continue;
    await mcp.secrets.keep(listed, secrets);
    // It was typed, or shown and confirmed, a moment ago.
    if (folder) await mcp.decisions.decideStart(listed, true);
  }
  for (const { server, standing } of await mcp.servers.refresh()) {
    if (standing.kind === 'ready' && taken.some((each) => each.server.name === server.name)) void standing.run.start();
  }
  return true;
}

const title = () => vscode.l10n.t('Add an MCP Server');

async function askForServer() {
  const text = await showInputBox({
    title: title(),
    prompt: vscode.l10n.t('Its command, its address, or the JSON that it has for another program'),
    placeHolder: 'npx -y @modelcontextprotocol/server-filesystem .',
    ignoreFocusOut: true,
    validateInput: (value) => {
      const read = readTypedServer(value);
      return value.trim() !== '' && read.kind === 'unreadable' ? inEditorLanguage(read.reason) : null;
    },
  });
  return text?.trim() ? readTypedServer(text) : null;
}

async function askForRest(mcp: OpenedMcp, given: readonly NamedServer[]): Promise<readonly NamedServer[] | null> {
  const [first] = given;
  if (!first) return null;
  const { name: suggested, entry } = first;
  const name = await showInputBox({
    title: title(),
    prompt: vscode.l10n.t('Its name, which the model sees before the names of its tools'),
    value: freeName(mcp, suggested),
    ignoreFocusOut: true,
    validateInput: (value) =>
      value.trim() === '' || value.trim() !== freeName(mcp, value.trim())
        ? vscode.l10n.t('A name that no other server has')
        : null,
  });
  if (!name) return null;
  const variables = await showInputBox({
    title: title(),
    prompt:
      'url' in entry
        ? vscode.l10n.t(
            'Headers it needs, between commas: NAME=value, or only NAME for a secret that you are asked for. Enter for none.',
          )
        : vscode.l10n.t(
            'Variables it needs, between commas: NAME=value, or only NAME for a secret that you are asked for. Enter for none.',
          ),
    placeHolder: 'url' in entry ? 'Authorization' : 'API_TOKEN, LOG_LEVEL=info',
    ignoreFocusOut: true,
    validateInput: (value) => {
      const refusal = refuseVariables(value);
      return refusal && inEditorLanguage(refusal);
    },
  });
  return variables === undefined ? null : [withVariables({ name: name.trim(), entry }, variables)];
}

/**
 * Shows what will run, and where it is kept: null for the settings; `more` for its name and variables first; undefined
 * when the person cancelled.
 */
async function askWhere(
  servers: readonly NamedServer[],
  mayChange = servers.length === 1,
): Promise<vscode.Uri | null | 'more' | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const picked = await showQuickPick(
    [
      {
        label: vscode.l10n.t('In every folder'),
        description: vscode.l10n.t('your settings'),
        uri: null,
      },
      ...folders.map(({ name, uri }) => ({
        label: vscode.l10n.t('Only in {0}', name),
        description: vscode.l10n.t('{0}, which others who have the folder see', FILE),
        uri,
      })),
      ...(mayChange
        ? [
            {
              label: vscode.l10n.t('Another name, variables or headers…'),
              description: vscode.l10n.t('then you are asked where'),
              uri: 'more' as const,
            },
          ]
        : []),
    ],
    { title: title(), placeHolder: servers.map(describe).join(' · '), ignoreFocusOut: true },
  );
  return picked?.uri;
}

/** `filesystem: npx -y … .` */
function describe({ name, entry }: NamedServer): string {
  const { config } = readForeignServer(name, entry, null);
  const what = config.kind === 'unusable' ? inEditorLanguage(config.reason) : showStart(config).first;
  return showInOneLine(`${name}: ${what}`).slice(0, LONGEST_SHOWN);
}

/** Pasted text may come from anywhere. */
async function confirm(servers: readonly NamedServer[]): Promise<boolean> {
  const detail = servers.map(({ name, entry }) => {
    const { config } = readForeignServer(name, entry, null);
    if (config.kind === 'unusable') return inEditorLanguage(config.reason);
    const { first, folder, given } = showStart(config);
    return [showName(name), describeFirst(config.kind, first), folder, given].filter(Boolean).join('\n');
  });
  const asked = vscode.l10n.t('Add what the JSON sets up?');
  return confirmInDialog(asked, detail.join('\n\n'), vscode.l10n.t('Add'));
}

function freeName({ servers }: OpenedMcp, wanted: string): string {
  const taken = new Set(servers.listed.map(({ server }) => server.name));
  let name = wanted;
  for (let nth = 2; taken.has(name); nth++) name = `${wanted}-${nth}`;
  return name;
}

async function writeToFile(folder: vscode.Uri, { name, entry }: NamedServer): Promise<void> {
  const uri = vscode.Uri.joinPath(folder, FILE);
  const before = await vscode.workspace.fs.readFile(uri).then(
    (bytes) => new TextDecoder().decode(bytes),
    () => '{}\n',
  );
  const errors: ParseError[] = [];
  parse(before, errors, { allowTrailingComma: true });
  if (errors.length > 0) throw new UserFacingError(words('{0} cannot be read. Mend it first.', FILE));
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  const edits = modify(before, ['mcpServers', name], entry, { formattingOptions });
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(applyEdits(before, edits)));
}
