/** *New Strategy…*: writes a template at a path that the person chooses, adds it to their setting, and opens it. */

import { homedir } from 'node:os';
import { basename, extname, join } from 'node:path';
import * as vscode from 'vscode';
import { fileId } from '../../core/compaction/strategies/strategyIds.ts';
import { liesIn } from '../../node/strategyFiles/readStrategyFile.ts';
import { STARTING_FILE } from '../../node/strategyFiles/startingFile.ts';
import { openFolders } from '../files/openFolders.ts';
import { showInformation } from '../notices/notify.ts';
import { showSaveDialog } from '../notices/pickers.ts';

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
