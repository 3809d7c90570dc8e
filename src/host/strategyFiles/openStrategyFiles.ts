/** The person's strategy files in VS Code: connects them to the setting, the person's consent and changes on disk. */

import * as vscode from 'vscode';
import type { StrategyRegistry } from '../../core/compaction/hosting/registry.ts';
import type { Log } from '../../core/log.ts';
import { showName } from '../../core/tools/text/showHidden.ts';
import { isProgram, readProgram, type StrategyFile } from '../../node/strategyFiles/program.ts';
import { StrategyFiles } from '../../node/strategyFiles/strategyFiles.ts';
import { openFolders } from '../files/openFolders.ts';
import { confirmInDialog, inEditorLanguage, showWarning } from '../notices/notify.ts';
import type { WatchedSettings } from '../settings.ts';

/** Contents that may be loaded. Stored in global state, because a workspace cannot consent for a person. */
const ALLOWED_KEY = 'palimpsest.strategyFiles';

interface Parts {
  readonly registry: StrategyRegistry;
  readonly settings: WatchedSettings;
  readonly log: Log;
}

export function openStrategyFiles({ registry, settings, log }: Parts, globalState: vscode.Memento): StrategyFiles {
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
    warn: (fault) => void showWarning(inEditorLanguage(fault)),
    log,
  });
  settings.onDidChange(() => files.follow());
  return files;
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
