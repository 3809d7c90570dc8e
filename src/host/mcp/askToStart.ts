/** Asks whether a server of a file may be started, and shows all that would be run or reached. */

import { join } from 'node:path';
import * as vscode from 'vscode';
import { showCommand, showHidden } from '../../core/tools/text/showHidden.ts';
import { secretsIn, variablesIn } from './config/fillIn.ts';
import type { ConfiguredServer, ServerConfig } from './config/serverConfig.ts';

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

function describe(config: ServerConfig, path: string): string {
  const variables = variablesIn(config);
  const secrets = secretsIn(config);
  return [
    config.kind === 'stdio'
      ? vscode.l10n.t('It runs with all your rights: {0}', commandLine(config))
      : vscode.l10n.t('What the model calls it with is sent to {0}.', showHidden(config.url)),
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

const LONGEST = 3_000;

/** As it would be typed, with what it gets. */
export function commandLine({ command, args, env, cwd }: Extract<ServerConfig, { kind: 'stdio' }>): string {
  const quote = (text: string) => (/^[\w@%+=:,./${}-]+$/.test(text) ? text : JSON.stringify(text));
  const given = Object.entries(env).map(([name, value]) => `${name}=${quote(value)}`);
  const line = showCommand([...given, ...[command, ...args].map(quote)].join(' '));
  const shown = line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
  return cwd === null ? shown : `${shown} (${showHidden(cwd)})`;
}
