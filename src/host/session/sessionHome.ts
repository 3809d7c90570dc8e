/**
 * The folders of this window's sessions, and earlier folders whose sessions it continues. Pointers are stored with the
 * sessions, so that both have the same lifetime.
 */

import { mkdir } from 'node:fs/promises';
import * as vscode from 'vscode';
import { messageOf } from '../../core/errors.ts';
import { readFolderFacts } from '../../node/storage/sessions/folderFacts.ts';
import {
  chosenRoot,
  type FolderFacts,
  readAdopted,
  rememberSessions,
  SESSIONS,
  sessionsFolder,
  sessionsFolderIn,
} from '../../node/storage/sessions/pointerIndex.ts';
import { openFolders } from '../files/openFolders.ts';
import { showInformation, showWarning } from '../notices/notify.ts';

export interface SessionHome {
  /** The folder of new sessions. */
  readonly folder: string;
  readonly workspace: string | null;
  /** The folders with pointers, this window's own first. */
  readonly roots: readonly string[];
  readonly adopted: () => readonly string[];
  readonly here: () => readonly FolderFacts[];
  /** Call before the first session is written or read. */
  readonly onUsed: () => Promise<void>;
  /** Goes on with the sessions of these folders. With none it learns what other windows on this workspace agreed to. */
  readonly adopt: (folders: readonly string[]) => Promise<void>;
}

interface Parts {
  readonly context: Pick<vscode.ExtensionContext, 'storageUri' | 'globalStorageUri' | 'globalState' | 'subscriptions'>;
  /** The value of the setting when the window opens. */
  readonly setting: string;
}

export async function openSessionHome({ context, setting }: Parts): Promise<SessionHome> {
  const globalStorage = context.globalStorageUri.fsPath;
  const storage = context.storageUri?.fsPath ?? null;
  const chosen = await usable(chosenRoot(setting));
  const roots = chosen === null ? [globalStorage] : [chosen, globalStorage];
  const [root = globalStorage] = roots;
  const folder = chosen === null ? sessionsFolder(storage, globalStorage) : sessionsFolderIn(chosen, storage);
  // A workspace file that is read over a connection can give its folders after the window has opened.
  const firstFolder = () => vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? null;
  const readHere = () => Promise.all(openFolders().map(readFolderFacts));
  let here = await readHere();
  context.subscriptions.push(
    vscode.workspace.onDidChangeWorkspaceFolders(async () => {
      here = await readHere();
    }),
  );
  let adopted = await readAdopted(root, folder);
  const adopt = async (others: readonly string[]) => {
    const pointer = { folder, workspace: firstFolder(), places: here, adopted: [...adopted, ...others] };
    adopted = await rememberSessions(root, pointer);
  };
  return {
    folder,
    roots,
    get workspace() {
      return firstFolder();
    },
    adopted: () => adopted,
    here: () => here,
    adopt,
    onUsed: async () => {
      await adopt([]);
      if (chosen === null && tellsOfContainer(vscode.env.remoteName, context.globalState)) warnOfContainer();
    },
  };
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
