/**
 * The composition root: says what VS Code may call, and loads the product when it first does. Invariant: activating
 * reads no file and loads none of the product. What the product imports too as a value would become a file of its own
 * beside the entry, so commands and views are taken from the manifest that VS Code holds already.
 */

import * as vscode from 'vscode';
import type { PalimpsestExports } from './api/index.ts';
import { PublicApi } from './host/api/publicApi.ts';
import type { Product } from './host/product.ts';
import type { RegisteredCommand } from './protocol/commands.ts';

/** The kind of editor tab that holds the panel: one that was open is there again after a reload. */
const PANEL_EDITOR = 'palimpsest.panelEditor';
/** The kind that holds the page about the context, likewise. */
const CONTEXT_PAGE = 'palimpsest.context';

/** The part of our manifest that is registered here. */
interface Contributed {
  readonly commands: readonly { readonly command: string }[];
  readonly views: Readonly<Record<string, readonly { readonly id: string }[]>>;
}

export function activate(context: vscode.ExtensionContext): PalimpsestExports {
  const api = new PublicApi(vscode.extensions);
  let loading: Promise<Product> | null = null;
  const product = () => {
    loading ??= import('./host/product.ts').then(({ createProduct }) => createProduct(context, api));
    return loading;
  };
  const { commands, views } = context.extension.packageJSON.contributes as Contributed;
  for (const { id } of Object.values(views).flat()) {
    context.subscriptions.push(
      vscode.window.registerWebviewViewProvider(id, {
        resolveWebviewView: async (view) => (await product()).panel.resolveWebviewView(view),
      }),
    );
  }
  context.subscriptions.push(
    vscode.window.registerWebviewPanelSerializer(PANEL_EDITOR, {
      deserializeWebviewPanel: async (panel) => (await product()).panel.resolveEditor(panel),
    }),
  );
  context.subscriptions.push(
    vscode.window.registerWebviewPanelSerializer(CONTEXT_PAGE, {
      deserializeWebviewPanel: async (panel, state: unknown) => (await product()).contextPage.restore(panel, state),
    }),
  );
  for (const { command } of commands) {
    const name = command.replace('palimpsest.', '') as RegisteredCommand;
    context.subscriptions.push(
      vscode.commands.registerCommand(command, async (given: unknown) => (await product()).runCommand(name, given)),
    );
  }
  return api.exports;
}
