/** What VS Code gives for models of other extensions, as a port: a test brings its own. */

import type * as vscode from 'vscode';

export type LanguageModels = Pick<typeof vscode.lm, 'selectChatModels' | 'onDidChangeChatModels'> &
  Pick<
    typeof vscode,
    | 'CancellationTokenSource'
    | 'LanguageModelChatMessage'
    | 'LanguageModelDataPart'
    | 'LanguageModelTextPart'
    | 'LanguageModelToolCallPart'
    | 'LanguageModelToolResultPart'
  >;

/** Not in the stable types, and there in every editor since 1.104: what a model says that it can do. */
export interface Capabilities {
  readonly supportsToolCalling?: boolean;
  readonly supportsImageToText?: boolean;
}

export function capabilitiesOf(model: vscode.LanguageModelChat): Capabilities {
  const { capabilities } = model as vscode.LanguageModelChat & { readonly capabilities?: Capabilities };
  return capabilities ?? {};
}
