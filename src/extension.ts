/**
 * The composition root: says what VS Code may call, and loads the product when it first does. Invariant: activating
 * reads no file and loads none of the product.
 */

import * as vscode from 'vscode';
import type { PalimpsestExports } from './api/index.ts';
import { PublicApi } from './host/api/publicApi.ts';
import type { Product } from './host/product.ts';
import { PALETTE_COMMANDS, PANEL_VIEW } from './protocol/commands.ts';

export function activate(context: vscode.ExtensionContext): PalimpsestExports {
  const api = new PublicApi(vscode.extensions);
  let loading: Promise<Product> | null = null;
  const product = () => {
    loading ??= import('./host/product.ts').then(({ createProduct }) => createProduct(context, api));
    return loading;
  };
  context.subscriptions.push(
    vscode.window.registerWebviewViewProvider(PANEL_VIEW, {
      resolveWebviewView: async (view, state, token) => (await product()).panel.resolveWebviewView(view, state, token),
    }),
    ...PALETTE_COMMANDS.map((name) =>
      vscode.commands.registerCommand(`palimpsest.${name}`, async (given: unknown) =>
        (await product()).runCommand(name, given),
      ),
    ),
  );
  return api.exports;
}
