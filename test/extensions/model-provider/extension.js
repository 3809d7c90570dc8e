// @ts-check
import { appendFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { answer } from './answer.js';
import { tell } from './tell.js';

const facts = { family: 'acme', version: '1', maxInputTokens: 20_000, maxOutputTokens: 4_000 };
const capabilities = { toolCalling: true, imageInput: true };

/** @param {vscode.ExtensionContext} context */
export function activate(context) {
  const file = process.env.MODEL_PROVIDER_FILE ?? '';
  /** @param {object} line */
  const write = (line) => file && appendFileSync(file, `${JSON.stringify(line)}\n`);
  write({ type: 'started' });
  let offered = true;
  const changed = new vscode.EventEmitter();
  /** @type {vscode.LanguageModelChatProvider} */
  const provider = {
    onDidChangeLanguageModelChatInformation: changed.event,
    provideLanguageModelChatInformation: () =>
      offered
        ? [
            { id: 'open', name: 'Acme Open', ...facts, capabilities },
            // VS Code asks the person for consent where a model says this (proposal `chatProvider`).
            { id: 'guarded', name: 'Acme Guarded', ...facts, capabilities, requiresAuthorization: { label: 'Acme' } },
          ]
        : [],
    provideLanguageModelChatResponse: (model, messages, options, progress, token) => {
      const { tools = [], toolMode } = options;
      write({
        type: 'request',
        model: model.id,
        messages: messages.map(tell),
        tools: tools.map(({ name }) => name),
        toolMode,
      });
      token.onCancellationRequested(() => write({ type: 'cancelled' }));
      return answer(messages, progress, token);
    },
    provideTokenCount: async (_, text) => {
      const said = typeof text === 'string' ? text : JSON.stringify(text.content);
      return Math.ceil(said.length / 3);
    },
  };
  context.subscriptions.push(
    changed,
    vscode.lm.registerLanguageModelChatProvider('acme', provider),
    vscode.commands.registerCommand('modelProvider.withdraw', () => {
      offered = false;
      changed.fire();
    }),
  );
}
