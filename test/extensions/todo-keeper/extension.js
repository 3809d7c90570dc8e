// @ts-check
import * as vscode from 'vscode';
import { todoKeeper } from './strategy.js';

/** @param {vscode.ExtensionContext} context */
export async function activate(context) {
  const palimpsest = vscode.extensions.getExtension('palimpsest.palimpsest');
  const api = (await palimpsest?.activate())?.getAPI(1);
  if (api) context.subscriptions.push(api.registerCompactionStrategy('acme.todo-keeper/todo-keeper', todoKeeper));
}
