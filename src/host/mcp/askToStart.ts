/** Asks whether a server from a file may be started, and shows everything that would run or be contacted. */

import { join } from 'node:path';
import * as vscode from 'vscode';
import { asText, isTooDeep, type Json, listOf } from '../../core/json.ts';
import { showHidden } from '../../core/tools/text/showHidden.ts';
import { neutralise, stripControls } from '../../core/tools/text/stripControls.ts';
import { type Words, words } from '../../core/words.ts';
import { secretsIn, variablesIn } from './fillIn.ts';
import { type ConfiguredServer, type ServerConfig, showStart } from './serverConfig.ts';
import type { ListedTool } from './transport/connection.ts';

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

/** The command comes first, in full: `readForeignServer` accepts nothing that would not fit. */
function describe(config: ServerConfig, path: string): string {
  const variables = variablesIn(config);
  const secrets = secretsIn(config);
  const { first, folder, given } = showStart(config);
  return [
    config.kind === 'stdio'
      ? vscode.l10n.t('It runs with all your rights: {0}', first)
      : vscode.l10n.t('The arguments of each call are sent to {0}.', first),
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

/**
 * A server's tool in the form given to the model: foreign text sanitised and cut, with a schema of bounded size.
 * Unusable tools are omitted with a reason.
 */
const LONGEST_TOOL_NAME = 200;
const LONGEST_DESCRIPTION = 2_000;
const LARGEST_SCHEMA = 32_000;
const DEEPEST_SCHEMA = 30;

type DescribedTool =
  | { readonly kind: 'usable'; readonly description: string; readonly parameters: Json }
  | { readonly kind: 'leftOut'; readonly reason: Words };

export function describeTool({ name, description, schema, onlyAsTask }: ListedTool): DescribedTool {
  if (onlyAsTask) return leftOut(words('it can only be run as a task, which is not supported here'));
  if (name.length > LONGEST_TOOL_NAME) return leftOut(words('its name is too long'));
  if (isTooDeep(schema, DEEPEST_SCHEMA)) return leftOut(words('its schema is nested too deeply'));
  const { $schema: _, ...rest } = cleanDeep(schema) as Json;
  const parameters = { ...rest, type: 'object', properties: rest.properties ?? {} };
  if (JSON.stringify(parameters).length > LARGEST_SCHEMA) return leftOut(words('its schema is too large'));
  const text = clean(description);
  const told = text.length > LONGEST_DESCRIPTION ? `${text.slice(0, LONGEST_DESCRIPTION)}…` : text;
  return { kind: 'usable', description: told.toWellFormed(), parameters };
}

const leftOut = (reason: Words) => ({ kind: 'leftOut', reason }) as const;

/** Characters invisible to people but read by models, except those that join emoji. */
const INVISIBLE = /[[\p{Cf}\u{E0100}-\u{E01EF}]--\u200D]/gv;
const clean = (text: string) => neutralise(stripControls(text).replace(INVISIBLE, '')).toWellFormed();

function cleanDeep(value: unknown): unknown {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map(cleanDeep);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [clean(name), cleanDeep(each)]));
}

/** The names of the arguments, for a person who looks through a server's tools. */
export function argumentsOf(schema: Json): string {
  const required = listOf(schema.required).map(asText);
  const { properties } = schema;
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  return names.map((name) => (required.includes(name) ? name : `${name}?`)).join(', ');
}
