/** Editor actions for the panel: settings and help, files and links in answers, the clipboard. */

import * as vscode from 'vscode';
import { ownOf } from '../../core/json.ts';
import { readUrl } from '../../core/urls.ts';
import { isWholePath, wholePaths } from '../../core/workspace/wholePaths.ts';
import type { Handlers } from '../handlers.ts';
import { queryParameters } from '../notices/listStrategies.ts';
import { showQuickPick } from '../notices/pickers.ts';

const OWN = 'palimpsest.palimpsest';

export const editorCommands = {
  openWalkthrough: () => run('workbench.action.openWalkthrough', `${OWN}#start`, false),
  openKeyboardShortcuts: () => run('workbench.action.openGlobalKeybindings', `@ext:${OWN}`),
  openSettings: ({ strategy }) => openSettings(strategy ? queryParameters(strategy) : `@ext:${OWN}`),
  openProxySettings: () => openSettings('http.proxy'),
  openFolder: () => run('workbench.action.files.openFolder'),
  manageTrust: () => run('workbench.trust.manage'),
  copy: ({ text }) => vscode.env.clipboard.writeText(text),
  insert: ({ text }) => insertAtCursor(text),
  openLink: ({ href }) => openLink(href),
  openFile: ({ path, line }) => openFile(path, line ?? null),
  newFile: ({ text, language }) => newFile(text, language),
} satisfies Partial<Handlers>;

/** `query`: the search text for the Settings editor. */
export const openSettings = (query: string) => run('workbench.action.openSettings', query);

async function run(command: string, ...given: unknown[]): Promise<void> {
  await vscode.commands.executeCommand(command, ...given);
}

/** Maximum files examined for a name without folders. */
const MOST_FOUND = 20;

/** Opens a file of the open folders only. If several match the name, the person chooses. */
async function openFile(named: string, line: number | null): Promise<void> {
  const found = await findFile(named);
  if (found.length === 0)
    throw new Error(vscode.l10n.t('{0} is not a file of the open folder. It may have been moved or deleted.', named));
  const uri = found.length > 1 ? await chooseFile(found) : found[0];
  if (!uri) return;
  const at = new vscode.Position((line ?? 1) - 1, 0);
  const selection = line === null ? {} : { selection: new vscode.Range(at, at) };
  await vscode.commands.executeCommand('vscode.open', uri, { preview: true, ...selection });
}

/** The file at that path in the open folders, otherwise files whose path ends with it. */
export async function findFile(named: string): Promise<vscode.Uri[]> {
  const path = named.replaceAll('\\', '/').replace(/^\.\//, '');
  const folders = vscode.workspace.workspaceFolders ?? [];
  const isWhole = isWholePath(named);
  const [head = '', ...rest] = path.split('/');
  const begun = folders.filter(({ name }) => folders.length > 1 && rest.length > 0 && name === head);
  const places = isWhole
    ? wholePaths(named, process.platform === 'win32').map((each) => vscode.Uri.file(each))
    : [
        ...begun.map(({ uri }) => vscode.Uri.joinPath(uri, ...rest)),
        ...folders.map(({ uri }) => vscode.Uri.joinPath(uri, path)),
      ];
  for (const place of places) {
    if (vscode.workspace.getWorkspaceFolder(place) && (await isFile(place))) return [place];
  }
  // Glob characters are replaced by `?`, which matches any one character.
  const glob = path.replace(/[*?[\]{}!]/g, '?');
  return isWhole || path.includes('..') ? [] : vscode.workspace.findFiles(`**/${glob}`, undefined, MOST_FOUND);
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  try {
    return (await vscode.workspace.fs.stat(uri)).type === vscode.FileType.File;
  } catch {
    // It does not exist.
    return false;
  }
}

async function chooseFile(found: readonly vscode.Uri[]): Promise<vscode.Uri | undefined> {
  const items = found.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }));
  return (await showQuickPick(items, { title: vscode.l10n.t('Which file?') }))?.uri;
}

/** An untitled file, in the code block's language if the editor knows it. */
async function newFile(content: string, marked: string): Promise<void> {
  const named = marked.toLowerCase();
  const known = await vscode.languages.getLanguages();
  const language = [named, ownOf(LANGUAGES, named) ?? ''].find((id) => known.includes(id)) ?? 'plaintext';
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content, language }));
}

/** Language names that models write after a fence, where they differ from the editor's ids. */
const LANGUAGES: Readonly<Record<string, string>> = {
  ts: 'typescript',
  tsx: 'typescriptreact',
  js: 'javascript',
  jsx: 'javascriptreact',
  mjs: 'javascript',
  py: 'python',
  sh: 'shellscript',
  bash: 'shellscript',
  yml: 'yaml',
  md: 'markdown',
  rs: 'rust',
  'c++': 'cpp',
  'c#': 'csharp',
  cs: 'csharp',
  rb: 'ruby',
  kt: 'kotlin',
};

/** Schemes that a link in an answer may open. */
const LINKS = new Set(['https:', 'http:', 'mailto:']);

async function insertAtCursor(text: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) throw new Error(vscode.l10n.t('No editor is open to insert into. Open a file first, or copy the text.'));
  await editor.edit((edit) => edit.replace(editor.selection, text));
  await vscode.window.showTextDocument(editor.document, editor.viewColumn);
}

/** VS Code shows the whole address and asks before opening a page of an untrusted domain. */
async function openLink(href: string): Promise<void> {
  const uri = readUrl(href);
  if (!uri || !LINKS.has(uri.protocol))
    throw new Error(vscode.l10n.t('The link {0} is not opened: only web and mail addresses are.', href));
  await vscode.env.openExternal(vscode.Uri.parse(uri.href, true));
}
