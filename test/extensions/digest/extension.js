// @ts-check
import * as vscode from 'vscode';
import { digest } from './strategy.js';

/** @param {vscode.ExtensionContext} context */
export async function activate(context) {
  const palimpsest = vscode.extensions.getExtension('palimpsest.palimpsest');
  const api = (await palimpsest?.activate())?.getAPI(1);
  if (!api) return;
  context.subscriptions.push(
    api.registerCompactionStrategy('acme.digest/digest', digest),
    api.onDidCompact((event) => console.log(`${event.kind}: ${event.tokensBefore} → ${event.tokensAfter} tokens`)),
  );
}
