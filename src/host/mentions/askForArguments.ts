/** Asks for the arguments of an MCP server's prompt that a message does not give, one after the other. */

import * as vscode from 'vscode';
import type { McpPrompt } from '../../core/mcp/mcpContent.ts';
import { type PromptCall, writePromptCall } from '../../core/mentions/promptCall.ts';

/** The message with all arguments; null when the person leaves one of the questions. */
export async function askForArguments(
  text: string,
  { server, prompt: name, given }: PromptCall,
  { parameters }: McpPrompt,
): Promise<string | null> {
  const missing = parameters.filter((parameter) => given[parameter.name] === undefined);
  const answers: Record<string, string> = { ...given };
  for (const [at, { name: parameter, description, required }] of missing.entries()) {
    const typed = await vscode.window.showInputBox({
      title: `/${server}:${name} (${at + 1}/${missing.length})`,
      prompt: required
        ? [parameter, description].filter(Boolean).join(': ')
        : vscode.l10n.t('{0} (may stay empty)', [parameter, description].filter(Boolean).join(': ')),
      ignoreFocusOut: true,
      validateInput: (value) =>
        required && value.trim() === '' ? vscode.l10n.t('The prompt needs {0}.', parameter) : null,
    });
    if (typed === undefined) return null;
    if (typed !== '') answers[parameter] = typed;
  }
  return missing.length === 0 ? text : writePromptCall(text, answers);
}
