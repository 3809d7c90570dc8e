// @ts-check
import * as vscode from 'vscode';
import { createStrategies } from './strategies.js';

/** @param {vscode.ExtensionContext} context */
export async function activate(context) {
  const palimpsest = vscode.extensions.getExtension('palimpsest.palimpsest');
  const api = (await palimpsest?.activate())?.getAPI(1);
  if (!api) return;
  /** @type {Map<string, vscode.Disposable>} */
  const registered = new Map();
  for (const [name, compact] of Object.entries(createStrategies(() => registered.get('leaves')?.dispose()))) {
    const factory = { needs: [], create: () => ({ compact }) };
    registered.set(name, api.registerCompactionStrategy(`mallory.misbehaving/${name}`, factory));
  }
  context.subscriptions.push(...registered.values());
}
