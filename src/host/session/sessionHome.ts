/**
 * Where this window's sessions lie, by the setting and the storage that the editor gives, and what a person is told of it:
 * that a place cannot be used, that another one takes a new window, and that a container takes its sessions with it.
 */

import { mkdir } from 'node:fs/promises';
import * as vscode from 'vscode';
import { messageOf } from '../../core/errors.ts';
import { openSessionHome, type SessionHome } from '../../node/session/sessionHome.ts';
import { readFolderFacts } from '../../node/storage/sessions/folderFacts.ts';
import { chosenRoot, type FolderFacts, SESSIONS } from '../../node/storage/sessions/pointerIndex.ts';
import { openFolders } from '../files/openFolders.ts';
import { showInformation, showWarning } from '../notices/notify.ts';
import type { WatchedSettings } from '../settings.ts';

export interface WindowHome extends SessionHome {
  /** The first folder of the window; null for none. */
  readonly workspace: string | null;
  readonly here: () => readonly FolderFacts[];
  /** Call before the first session is written or read. */
  readonly onUsed: () => Promise<void>;
}

interface Parts {
  readonly context: Pick<vscode.ExtensionContext, 'storageUri' | 'globalStorageUri' | 'globalState' | 'subscriptions'>;
  readonly settings: Pick<WatchedSettings, 'current' | 'onDidChange'>;
}

export async function openWindowHome({ context, settings }: Parts): Promise<WindowHome> {
  const { globalState, subscriptions } = context;
  const wanted = chosenRoot(wantedFolder(settings));
  subscriptions.push(tellOfNewWindow(wanted, settings));
  const chosen = await usable(wanted);
  // A workspace file that is read over a connection can give its folders after the window has opened.
  const workspace = () => vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? null;
  const readHere = () => Promise.all(openFolders().map(readFolderFacts));
  let here = await readHere();
  subscriptions.push(
    vscode.workspace.onDidChangeWorkspaceFolders(async () => {
      here = await readHere();
    }),
  );
  const home = await openSessionHome({
    chosen,
    earlier: await rememberRoot(chosen, globalState),
    storage: context.storageUri?.fsPath ?? null,
    globalStorage: context.globalStorageUri.fsPath,
    workspace,
    here: () => here,
  });
  return {
    ...home,
    get workspace() {
      return workspace();
    },
    here: () => here,
    onUsed: async () => {
      await home.adopt([]);
      if (chosen === null && tellsOfContainer(vscode.env.remoteName, globalState)) warnOfContainer();
    },
  };
}

const wantedFolder = ({ current }: Pick<WatchedSettings, 'current'>): string => current.agent.sessions.folder;

/** Global state: all places that sessions were ever kept in on this machine, besides the editor's storage. */
const ROOTS = 'sessionRoots';

/** Those before `chosen`, which is among them the next time. */
async function rememberRoot(
  chosen: string | null,
  state: Pick<vscode.Memento, 'get' | 'update'>,
): Promise<readonly string[]> {
  const roots = state.get<readonly string[]>(ROOTS, []);
  if (chosen !== null && !roots.includes(chosen)) await state.update(ROOTS, [...roots, chosen]);
  return roots.filter((root) => root !== chosen);
}

/** Says it once at a time: the settings editor writes while a person types. */
function tellOfNewWindow(
  opened: string | null,
  settings: Pick<WatchedSettings, 'current' | 'onDidChange'>,
): vscode.Disposable {
  let isTold = false;
  return settings.onDidChange(() => {
    if (isTold || chosenRoot(wantedFolder(settings)) === opened) return;
    isTold = true;
    const reload = vscode.l10n.t('Reload Window');
    const text = vscode.l10n.t(
      'The new place for sessions is used from the next window on. Earlier sessions stay where they are and remain in the list.',
    );
    void showInformation(text, reload).then((chosen) => {
      isTold = false;
      if (chosen === reload) void vscode.commands.executeCommand('workbench.action.reloadWindow');
    });
  });
}

/** Null, with a warning, where nothing can be stored: no session is lost because of it. */
async function usable(root: string | null): Promise<string | null> {
  if (root === null) return null;
  try {
    await mkdir(root, { recursive: true, mode: 0o700 });
    return root;
  } catch (thrown) {
    void showWarning(
      vscode.l10n.t(
        'The folder {0} of the setting {1} cannot be used ({2}). Sessions of this window are kept in the storage of the editor.',
        root,
        `palimpsest.${SESSIONS.name}.folder`,
        messageOf(thrown),
      ),
    );
    return null;
  }
}

const TOLD = 'toldOfContainer';

/** True once, in a container: its sessions are deleted with it. */
export function tellsOfContainer(
  remoteName: string | undefined,
  state: Pick<vscode.Memento, 'get' | 'update'>,
): boolean {
  if (!isContainer(remoteName) || state.get(TOLD) === true) return false;
  void state.update(TOLD, true);
  return true;
}

function warnOfContainer(): void {
  const choose = vscode.l10n.t('Choose Another Place…');
  const text = vscode.l10n.t(
    'The sessions of this window are kept in the container, and go when it is removed or rebuilt. The setting {0} keeps them elsewhere, for example on a volume.',
    `palimpsest.${SESSIONS.name}.folder`,
  );
  void showInformation(text, choose).then((chosen) => {
    if (chosen === choose)
      void vscode.commands.executeCommand('workbench.action.openSettings', `palimpsest.${SESSIONS.name}.folder`);
  });
}

/** Names of remotes whose machine is rebuilt from a recipe. */
function isContainer(remoteName: string | undefined): boolean {
  return ['dev-container', 'attached-container', 'k8s-container'].includes(remoteName ?? '');
}
