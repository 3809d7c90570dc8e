/**
 * The composition root: says what VS Code may call, and loads the product when it first does. Invariant: activating
 * reads no file and loads none of the product.
 */

import * as vscode from 'vscode';
import type { PalimpsestExports } from './api/index.ts';
import { PublicApi } from './host/api/publicApi.ts';
import type { Product } from './host/product.ts';

const COMMANDS = [
  'newSession',
  'showHistory',
  'openSettings',
  'stop',
  'compact',
  'undoCompaction',
  'redoCompaction',
  'previewCompaction',
  'showModelView',
  'showStatistics',
  'chooseStrategy',
  'chooseModel',
  'setUpEndpoint',
  'setApiKey',
  'removeApiKey',
  'testConnection',
  'importSession',
  'renameSession',
  'restoreCheckpoint',
  'undoRestore',
  'showBranches',
  'clearConversation',
  'setCheckpoint',
  'takeOverSession',
  'exportSession',
  'checkSession',
  'repairSession',
  'redactSession',
];

export function activate(context: vscode.ExtensionContext): PalimpsestExports {
  const api = new PublicApi(vscode.extensions);
  let loading: Promise<Product> | null = null;
  const product = () => {
    loading ??= import('./host/product.ts').then(({ createProduct }) => createProduct(context, api));
    return loading;
  };
  const runCommand = async (name: string, args: readonly unknown[]) => (await product()).commands[name]?.(...args);
  context.subscriptions.push(
    vscode.window.registerWebviewViewProvider('palimpsest.panel', {
      resolveWebviewView: async (view, state, token) => (await product()).panel.resolveWebviewView(view, state, token),
    }),
    ...COMMANDS.map((name) =>
      vscode.commands.registerCommand(`palimpsest.${name}`, (...args: unknown[]) => runCommand(name, args)),
    ),
  );
  return api.exports;
}
