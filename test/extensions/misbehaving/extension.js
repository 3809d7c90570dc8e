// @ts-check
import * as vscode from 'vscode';
import { strategies } from './strategies.js';

/** @param {vscode.ExtensionContext} context */
export async function activate(context) {
  const palimpsest = vscode.extensions.getExtension('palimpsest.palimpsest');
  const api = (await palimpsest?.activate())?.getAPI(1);
  if (!api) return;
  for (const [name, compact] of Object.entries(strategies)) {
    const factory = { needs: [], create: () => ({ compact }) };
    context.subscriptions.push(api.registerCompactionStrategy(`mallory.misbehaving/${name}`, factory));
  }
}
