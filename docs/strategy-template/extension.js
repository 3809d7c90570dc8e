// @ts-check
import * as vscode from 'vscode';
import { keepTests } from './strategy.js';

/** @param {vscode.ExtensionContext} context */
export async function activate(context) {
  /** @type {vscode.Extension<import('palimpsest-api').PalimpsestExports> | undefined} */
  const palimpsest = vscode.extensions.getExtension('palimpsest.palimpsest');
  if (!palimpsest) return;
  const api = (await palimpsest.activate()).getAPI(1);
  context.subscriptions.push(api.registerCompactionStrategy('acme.keep-tests/keep-tests', keepTests));
}
