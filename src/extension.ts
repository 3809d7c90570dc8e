/**
 * The composition root: registers the entry points that VS Code may call, and loads the product on first use.
 * Invariant: activation reads no file and loads none of the product. A value that the product also imported would
 * become a separate file next to the entry, so commands and views are read from the manifest that VS Code already
 * holds.
 */

import * as vscode from 'vscode';
import type { PalimpsestExports } from './api/index.ts';
import { PublicApi } from './host/api/publicApi.ts';
import type { Product } from './host/product.ts';
import type { RegisteredCommand } from './protocol/commands.ts';

/** Type of the editor tab that holds the panel: an open one is restored after a reload. */
const PANEL_EDITOR = 'palimpsest.panelEditor';
/** Type of the tab that holds the page about the context, likewise restored. */
const CONTEXT_PAGE = 'palimpsest.context';

/** The part of the manifest that is registered here. */
interface Contributed {
  readonly commands: readonly { readonly command: string }[];
  readonly views: Readonly<Record<string, readonly { readonly id: string }[]>>;
}

/** Null until the product is first used. */
let loading: Promise<Product> | null = null;

export function activate(context: vscode.ExtensionContext): PalimpsestExports {
  const api = new PublicApi(vscode.extensions);
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
      vscode.commands.registerCommand(command, async (...given: unknown[]) =>
        (await product()).runCommand(name, given),
      ),
    );
  }
  return api.exports;
}

/** The editor waits some seconds for what is being written. Nothing depends on it: a killed window loses no more. */
export async function deactivate(): Promise<void> {
  await (await loading?.catch(() => null))?.close();
}
