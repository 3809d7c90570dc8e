/** Gives the models of other extensions what they need of VS Code. Nothing is asked of any extension by this. */

import * as vscode from 'vscode';
import { messageOf } from '../../../core/errors.ts';
import type { Log } from '../../../core/ports.ts';
import { ExtensionModels } from './extensionModels.ts';

/** `chosen`: id of the model for new sessions. */
export function openExtensionModels(state: vscode.Memento, chosen: () => string, log: Log): ExtensionModels {
  const { lm } = vscode;
  return new ExtensionModels({
    api: {
      CancellationTokenSource: vscode.CancellationTokenSource,
      LanguageModelChatMessage: vscode.LanguageModelChatMessage,
      LanguageModelDataPart: vscode.LanguageModelDataPart,
      LanguageModelTextPart: vscode.LanguageModelTextPart,
      LanguageModelToolCallPart: vscode.LanguageModelToolCallPart,
      LanguageModelToolResultPart: vscode.LanguageModelToolResultPart,
      selectChatModels: (selector) => lm.selectChatModels(selector),
      onDidChangeChatModels: lm.onDidChangeChatModels,
    },
    state,
    chosen,
    heading: vscode.l10n.t('Other extensions'),
    justification: () =>
      vscode.l10n.t('The conversation of a Palimpsest session goes to the model that you chose for it.'),
    onFault: (thrown) => log('warn', `Models of other extensions: ${messageOf(thrown)}`),
  });
}
