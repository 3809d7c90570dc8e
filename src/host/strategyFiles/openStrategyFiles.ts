/** The person's strategy files in VS Code: connects them to the setting, the person's consent and changes on disk. */

import { homedir } from 'node:os';
import { basename, extname, join } from 'node:path';
import * as vscode from 'vscode';
import { fileId } from '../../core/compaction/strategies/strategyIds.ts';
import { showName } from '../../core/tools/text/showHidden.ts';
import { isProgram, liesIn, readProgram, type StrategyFile } from '../../node/strategyFiles/readStrategyFile.ts';
import { STARTING_FILE } from '../../node/strategyFiles/startingFile.ts';
import type { Parts } from '../parts.ts';
import { confirmInDialog, say, showInformation, showWarning } from '../tell/notify.ts';
import { showSaveDialog } from '../tell/pickers.ts';
import { StrategyFiles } from './strategyFiles.ts';

/** Contents that may be loaded. Stored in global state, because a workspace cannot consent for a person. */
const ALLOWED_KEY = 'palimpsest.strategyFiles';

export function openStrategyFiles(
  { registry, settings, log }: Pick<Parts, 'registry' | 'settings' | 'log'>,
  globalState: vscode.Memento,
): StrategyFiles {
  const files = new StrategyFiles({
    registry,
    paths: () => settings.current.compaction.strategyFiles,
    workspaceFolders: openFolders,
    trusted: () => vscode.workspace.isTrusted,
    allowed: {
      get: () => globalState.get<readonly string[]>(ALLOWED_KEY, []),
      set: (hashes) => globalState.update(ALLOWED_KEY, hashes),
    },
    ask: askConsent,
    watch,
    warn: (fault) => void showWarning(say(fault)),
    log,
  });
  settings.onDidChange(() => files.follow());
  return files;
}

/** Paths of the open folders on disk. */
export function openFolders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).flatMap(({ uri }) => (uri.scheme === 'file' ? uri.fsPath : []));
}

function askConsent(label: string, file: StrategyFile): Promise<boolean> {
  const path = showName(file.path);
  return confirmInDialog(
    vscode.l10n.t('Load your strategy “{0}” and let it compact your conversations?', label),
    isProgram(file)
      ? vscode.l10n.t(
          'The program {0} is run by {1} with all your rights each time it compacts: it can read and write your files, run programs and use the network. As a strategy it sees the whole conversation, with the contents of files and the output of commands in it, and may ask your models about it. This answer holds for the file as it is now: when its contents change, you are asked again.',
          path,
          readProgram(file).interpreter,
        )
      : vscode.l10n.t(
          'The file {0} is loaded into the extension host with all its rights: it can read and write your files, run programs and use the network. As a strategy it sees the whole conversation, with the contents of files and the output of commands in it, and may ask your models about it; through a summary that continues your last request, the system prompt and your memory files may reach it, too. This answer holds for the file as it is now: when its contents change, you are asked again.',
          path,
        ),
    vscode.l10n.t('Allow “{0}”', label),
  );
}

function watch(path: string, changed: () => void): vscode.Disposable {
  const uri = vscode.Uri.file(path);
  const folder = vscode.Uri.joinPath(uri, '..');
  const watcher = vscode.workspace.createFileSystemWatcher(
    new vscode.RelativePattern(folder, uri.path.slice(uri.path.lastIndexOf('/') + 1)),
  );
  watcher.onDidChange(changed);
  watcher.onDidCreate(changed);
  watcher.onDidDelete(changed);
  return watcher;
}

/** *New Strategy…*: writes a template at a path that the person chooses, adds it to their setting, and opens it. */
const SETTING = 'compaction.strategyFiles';
const ENDINGS = ['js', 'mjs'];

/** `taken` are the ids of existing strategies. Throws, before anything is written, with what to do instead. */
export async function newStrategy(taken: readonly string[]): Promise<void> {
  const uri = await showSaveDialog({
    title: vscode.l10n.t('New Strategy'),
    defaultUri: vscode.Uri.file(join(homedir(), 'my-strategy.js')),
    filters: { JavaScript: ENDINGS },
  });
  if (!uri) return;
  const path = uri.fsPath;
  const name = basename(path, extname(path));
  const id = fileId(name);
  if (id === null || !ENDINGS.includes(extname(path).slice(1)))
    throw new Error(vscode.l10n.t('Name the file with letters, digits and hyphens, and end it in .js or .mjs.'));
  if (await liesIn(path, openFolders()))
    throw new Error(vscode.l10n.t('Save it outside of the open folder: no strategy is loaded from there.'));
  const section = vscode.workspace.getConfiguration('palimpsest');
  const named = section.inspect<readonly string[]>(SETTING)?.globalValue ?? [];
  if (taken.includes(id) && !named.includes(path))
    throw new Error(vscode.l10n.t('Another strategy file is already called {0}. Choose a different name.', name));
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(STARTING_FILE));
  if (!named.includes(path)) await section.update(SETTING, [...named, path], vscode.ConfigurationTarget.Global);
  await vscode.window.showTextDocument(uri);
  const tryIt = vscode.l10n.t('Try on This Session');
  showInformation(
    vscode.l10n.t('The strategy {0} works as it is. Change it, and see what it would do.', name),
    tryIt,
  ).then((chosen) => (chosen === tryIt ? vscode.commands.executeCommand('palimpsest.tryStrategy') : undefined));
}
