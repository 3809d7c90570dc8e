/** Asks other extensions for their models, and the person for one of them. This is the only place that begins to ask. */

import * as vscode from 'vscode';
import { words } from '../../../core/words.ts';
import { showInformation } from '../../tell/notify.ts';
import { withCancel } from '../../tell/withCancel.ts';
import { type ExtensionModel, nameOf, referToExtension } from './extensionModel.ts';
import type { ExtensionModels } from './extensionModels.ts';

/** The id of the chosen model; null when there is none, or the person left. */
export async function chooseExtensionModel(models: ExtensionModels): Promise<string | null> {
  const found = await withCancel(words('Asking other extensions for their models…'), (signal) =>
    findUntil(models, signal),
  );
  if (found.length === 0) {
    await showInformation(
      vscode.l10n.t(
        'No other extension offers a model here. Install or enable one that does and sign in there, then try again.',
      ),
    );
    return null;
  }
  const items = found.map((model) => ({
    label: model.label,
    description: describeFound(model),
    id: referToExtension(model),
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Models of Other Extensions'),
    placeHolder: vscode.l10n.t('VS Code asks for your consent before the first message'),
    matchOnDescription: true,
    ignoreFocusOut: true,
  });
  return chosen?.id ?? null;
}

/** An extension may start for minutes, and cannot be told to stop: the answer is remembered when it comes. */
function findUntil(models: ExtensionModels, signal: AbortSignal): Promise<readonly ExtensionModel[]> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return Promise.race([models.find(), promise]);
}

function describeFound(model: ExtensionModel): string {
  if (model.window === 0) return nameOf(model);
  return vscode.l10n.t('{0} · {1} tokens', nameOf(model), model.window.toLocaleString(vscode.env.language));
}
