// @ts-check
import { appendFileSync } from 'node:fs';
import * as vscode from 'vscode';

/** @type {import('../../../src/api/index.ts').StrategyFactory} */
const waits = { needs: [], create: () => ({ compact: () => new Promise(() => {}) }) };

/** @param {vscode.ExtensionContext} context */
export async function activate(context) {
  const palimpsest = vscode.extensions.getExtension('palimpsest.palimpsest');
  const api = (await palimpsest?.activate())?.getAPI(1);
  const file = process.env.WITNESS_FILE;
  if (!api || !file) return;
  /** @type {vscode.Disposable | undefined} */
  let registered;
  const leave = () => registered?.dispose();
  const comeBack = () => {
    registered = api.registerCompactionStrategy('acme.witness/waits', waits);
  };
  const pretend = () => api.registerCompactionStrategy('acme.keep-tests/keep-tests', waits);
  comeBack();
  context.subscriptions.push(
    api.onDidCompact((event) => appendFileSync(file, `${JSON.stringify(event)}\n`)),
    api.onDidProgress((phase) => appendFileSync(`${file}.phases`, `${JSON.stringify(phase)}\n`)),
    vscode.commands.registerCommand('witness.leave', leave),
    vscode.commands.registerCommand('witness.comeBack', comeBack),
    vscode.commands.registerCommand('witness.pretend', pretend),
    { dispose: leave },
  );
}
