// @ts-check
import * as vscode from 'vscode';
import { semanticDedupe } from './strategy.js';

/** @param {vscode.ExtensionContext} context */
export async function activate(context) {
  const palimpsest = vscode.extensions.getExtension('palimpsest.palimpsest');
  const api = (await palimpsest?.activate())?.getAPI(1);
  if (api)
    context.subscriptions.push(api.registerCompactionStrategy('acme.semantic-dedupe/semantic-dedupe', semanticDedupe));
}
