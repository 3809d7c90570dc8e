// @ts-check
import * as vscode from 'vscode';

/**
 * A message as a test reads it: its role, and one line for each part.
 * @param {vscode.LanguageModelChatRequestMessage} message
 */
export function tell({ role, content }) {
  return {
    role: role === vscode.LanguageModelChatMessageRole.User ? 'user' : 'assistant',
    parts: content.map(tellPart),
  };
}

/** @param {unknown} part */
function tellPart(part) {
  if (part instanceof vscode.LanguageModelTextPart) return part.value;
  if (part instanceof vscode.LanguageModelToolCallPart)
    return `call ${part.callId}: ${part.name} ${JSON.stringify(part.input)}`;
  if (part instanceof vscode.LanguageModelToolResultPart) return `result ${part.callId}: ${part.content.map(tellPart)}`;
  return 'another kind of part';
}
