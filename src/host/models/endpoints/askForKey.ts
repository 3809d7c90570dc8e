/** Asks a person for the key of one origin. */

import * as vscode from 'vscode';
import { type Endpoint, isOwn } from '../../../providers/endpoint.ts';
import { presetOf } from '../../../providers/presets.ts';
import { caret } from '../../notices/pickers.ts';

interface KeyQuestion {
  readonly title: string;
  readonly endpoint: Endpoint;
  /** A key is stored already, which an empty answer keeps. */
  readonly stored: boolean;
  /** The fault of the previous one. */
  readonly refusal?: string;
}

/** Empty: none is needed, or the stored one stays. Null when the person cancelled. */
export function askForKey({ title, endpoint, stored, refusal }: KeyQuestion): Promise<string | null> {
  const { origin } = endpoint;
  const own = isOwn(endpoint);
  const page = presetOf(endpoint)?.keyPage ?? null;
  const input = vscode.window.createInputBox();
  input.title = title;
  input.password = true;
  input.ignoreFocusOut = true;
  input.prompt = stored
    ? vscode.l10n.t('A key for {0} is stored. Leave this empty to keep it.', origin)
    : own
      ? vscode.l10n.t('API key for {0}; leave it empty when the server needs none', origin)
      : vscode.l10n.t('API key for {0}. It is kept in the secret storage and sent to this origin only.', origin);
  if (page) {
    const tooltip = vscode.l10n.t('Open the page where keys are made: {0}', page);
    input.buttons = [{ iconPath: new vscode.ThemeIcon('link-external'), tooltip }];
  }
  input.validationMessage = refusal;
  const ask = () =>
    new Promise<string | null>((resolve) => {
      input.onDidTriggerButton(() => page && vscode.env.openExternal(vscode.Uri.parse(page)));
      input.onDidChangeValue(() => {
        input.validationMessage = undefined;
      });
      input.onDidAccept(() => {
        const key = input.value.trim();
        if (!key && !stored && !own) {
          input.validationMessage = vscode.l10n.t('This endpoint needs a key.');
          return;
        }
        resolve(key);
        input.hide();
      });
      input.onDidHide(() => {
        resolve(null);
        input.dispose();
      });
      input.show();
    });
  return caret.during(ask);
}
