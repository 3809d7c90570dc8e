/** Asks whether a server of a file may be started, and shows all that would be run or reached. */

import { join } from 'node:path';
import * as vscode from 'vscode';
import { showHidden } from '../../core/tools/text/showHidden.ts';
import { secretsIn, variablesIn } from './config/fillIn.ts';
import { type ConfiguredServer, type ServerConfig, showStart } from './config/serverConfig.ts';

/** Null when the person left it open. */
export async function askToStart({ name, file, config }: ConfiguredServer): Promise<boolean | null> {
  if (file === null || config.kind === 'unusable') return null;
  const allow = vscode.l10n.t('Allow');
  const refuse = vscode.l10n.t('Don’t Allow');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Start the MCP server “{0}” that {1} names?', showHidden(name), file.path),
    { modal: true, detail: describe(config, join(file.folder, file.path)) },
    allow,
    refuse,
  );
  return answer === undefined ? null : answer === allow;
}

/** What it is comes first, whole: `readForeignServer` lets through nothing that would not fit. */
function describe(config: ServerConfig, path: string): string {
  const variables = variablesIn(config);
  const secrets = secretsIn(config);
  const { first, folder, given } = showStart(config);
  return [
    config.kind === 'stdio'
      ? vscode.l10n.t('It runs with all your rights: {0}', first)
      : vscode.l10n.t('What the model calls it with is sent to {0}.', first),
    ...(folder === '' ? [] : [vscode.l10n.t('It runs in this folder: {0}', folder)]),
    ...(given === '' ? [] : [vscode.l10n.t('The entry gives it: {0}', given)]),
    ...(variables.length > 0
      ? [vscode.l10n.t('It gets these environment variables of yours: {0}', variables.join(', '))]
      : []),
    ...(secrets.length > 0 ? [vscode.l10n.t('It asks you for these secrets: {0}', secrets.join(', '))] : []),
    vscode.l10n.t(
      'The entry is in {0}, which somebody else may have written. This answer is for the entry as it is now: when it changes, you are asked again. Each tool of the server asks before it is called.',
      path,
    ),
  ].join('\n\n');
}
