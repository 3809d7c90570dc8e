/** The open workspace for tools: folders, trust, files and shell. It is reopened when the folders change. */

import { existsSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import * as vscode from 'vscode';
import type { HookRunner } from '../core/agent/parts/hooks.ts';
import type { AGENT } from '../core/agent/settings.ts';
import type { CheckpointFiles } from '../core/checkpoints/fileKeeper.ts';
import type { SectionValues } from '../core/setting.ts';
import type { WorkspaceTrust } from '../core/tools/approvals.ts';
import type { CommandDisk } from '../core/tools/commands/commandDisk.ts';
import type { Files } from '../core/workspace/files.ts';
import type { Language } from '../core/workspace/language.ts';
import type { NewNames, Shell } from '../core/workspace/shell.ts';
import { openCheckpointFiles } from '../node/files/checkpointFiles.ts';
import { openCommandDisk } from '../node/files/commandDisk.ts';
import { findOnPath, findRipgrep } from '../node/files/findRipgrep.ts';
import { nameFolders } from '../node/files/nameFolders.ts';
import { type GitFiles, openGit } from '../node/files/openGit.ts';
import { openWorkspaceFiles } from '../node/files/workspaceFiles.ts';
import { type CommandSandbox, createCommandSandbox } from '../node/sandbox/commandSandbox.ts';
import type { LeftBehind } from '../node/sandbox/sandboxRuns.ts';
import { createChildShell } from '../node/shell/childShell.ts';
import { type CommandShell, findHookShell, findShell } from '../node/shell/commandShell.ts';
import { createHookRunner } from '../node/shell/hookRunner.ts';
import { openEditorText } from './files/editorText.ts';
import { openUnsavedDocuments } from './files/unsavedDocuments.ts';
import { openLanguage } from './language/openLanguage.ts';
import { showInformation } from './notices/notify.ts';
import { openTerminals } from './shell/openTerminals.ts';
import { createTerminalShell } from './shell/terminalShell.ts';

export interface Workspace {
  readonly files: Files;
  readonly shell: Shell & vscode.Disposable;
  readonly language: Language;
  readonly git: GitFiles;
  readonly commandDisk: CommandDisk;
  /** For background commands: it passes on all output, and its commands end with this process. */
  readonly backgroundShell: Shell;
  readonly hooks: HookRunner;
  readonly sandbox: CommandSandbox;
  readonly checkpointFiles: CheckpointFiles;
}

interface WorkspaceOptions {
  /** Folders of the product and of the editor that no tool may touch. */
  readonly denied: readonly string[];
  /** One of them, for files being written in place. */
  readonly unfinished: string;
  /** Absolute: a folder for records of commands in the sandbox, and for what is moved out of the open folders. */
  readonly sandboxStorage: string;
  /** Names of environment variables passed to commands although they look like secrets. */
  readonly allowedVariables: () => readonly string[];
  /** The value of the setting. */
  readonly wantedShell: () => SectionValues<typeof AGENT>['shell'];
  /** Called after each command outside of a sandbox. */
  readonly onDidRunOutside: (sandbox: CommandSandbox) => void;
  /** Called with guarded names that a command left behind where no call asks about them. */
  readonly onDidLeaveBehind: (left: LeftBehind, names: NewNames | null) => void;
}

export function readTrust(): WorkspaceTrust {
  if (!vscode.workspace.workspaceFolders?.length) return 'noFolder';
  return vscode.workspace.isTrusted ? 'trusted' : 'untrusted';
}

export class WatchedWorkspace implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscription: vscode.Disposable;
  #current: Workspace;

  /** Also fires when the workspace becomes trusted. */
  readonly onDidChange = this.#changed.event;

  private constructor(opened: Workspace, options: WorkspaceOptions) {
    this.#current = opened;
    this.#subscription = vscode.Disposable.from(
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#changed.fire()),
      vscode.workspace.onDidChangeWorkspaceFolders(async () => {
        const before = this.#current;
        this.#current = await openWorkspace(options);
        before.shell.dispose();
        this.#changed.fire();
      }),
    );
  }

  static async open(options: WorkspaceOptions): Promise<WatchedWorkspace> {
    return new WatchedWorkspace(await openWorkspace(options), options);
  }

  get current(): Workspace {
    return this.#current;
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
    this.#current.shell.dispose();
  }
}

async function openWorkspace({
  denied,
  unfinished,
  sandboxStorage,
  allowedVariables,
  wantedShell,
  onDidRunOutside,
  onDidLeaveBehind,
}: WorkspaceOptions): Promise<Workspace> {
  const open = vscode.workspace.workspaceFolders ?? [];
  const folders = nameFolders(
    open.filter(({ uri }) => uri.scheme === 'file').map(({ name, uri }) => ({ name, path: uri.fsPath })),
  );
  const places = {
    appRoot: vscode.env.appRoot,
    path: process.env.PATH ?? '',
    workspaceFolders: folders.map(({ path }) => path),
  };
  const ripgrep = () => findRipgrep(places);
  const text = openEditorText(folders);
  const files = await openWorkspaceFiles({
    folders,
    denied,
    unsaved: openUnsavedDocuments(),
    ripgrep,
    text,
    unfinished,
  });
  const system = { platform: process.platform, environment: process.env, exists: existsSync };
  // Searched once for each value of the setting, because folders of the PATH may be slow.
  const found = new Map<string, CommandShell>();
  const find = (finder: typeof findShell) => () => {
    const key = `${finder.name} ${wantedShell()}`;
    const known = found.get(key) ?? finder(system, wantedShell());
    found.set(key, known);
    return known;
  };
  const gitOptions = {
    folders: places.workspaceFolders,
    denied,
    environment: process.env,
    git: () => findOnPath('git', places),
  };
  const git = openGit(gitOptions);
  const { signal } = new AbortController();
  const ignored = (paths: readonly string[]) => git.ignored(paths, signal);
  const unchanged = () => git.unchanged(signal);
  const wantedSandbox = () => {
    const wanted = wantedShell();
    return wanted === 'sandbox' ? 'commands' : wanted === 'sandboxAll' ? 'all' : 'off';
  };
  const sandbox: CommandSandbox = createCommandSandbox(
    {
      folders: places.workspaceFolders,
      home: homedir(),
      denied,
      temporary: tmpdir(),
      storage: sandboxStorage,
      environment: process.env,
      allowedVariables,
    },
    wantedSandbox,
    { onDidRunOutside: () => onDidRunOutside(sandbox), onDidLeaveBehind },
  );
  const own = { folder: folders[0]?.path ?? null, environment: process.env, allowedVariables, sandbox };
  const shell = { ...own, shell: find(findShell) };
  return {
    files,
    shell: createTerminalShell({
      folder: shell.folder,
      allowedVariables,
      terminals: openTerminals(),
      wanted: () => wantedShell() === 'terminal',
      child: createChildShell(shell),
      onUnavailable: () => {
        void showInformation(
          vscode.l10n.t(
            'No terminal with shell integration is available, so commands in this window run as child processes.',
          ),
        );
      },
    }),
    backgroundShell: createChildShell({ ...shell, limits: { keep: 1, live: Infinity } }),
    hooks: createHookRunner({ ...own, shell: find(findHookShell) }),
    sandbox,
    language: openLanguage(folders),
    git,
    commandDisk: openCommandDisk({ ...gitOptions, system }),
    checkpointFiles: await openCheckpointFiles({ files, folders, onSave, denied, ignored, unchanged }),
  };
}

function onSave(listener: (path: string) => void): () => void {
  const subscription = vscode.workspace.onDidSaveTextDocument(({ uri }) => {
    if (uri.scheme === 'file') listener(uri.fsPath);
  });
  return () => subscription.dispose();
}
