// @ts-check
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { keepTests } from '../../strategy.js';

/** VS Code calls this in its extension host, with Palimpsest and this extension installed. */
export async function run() {
  const own = vscode.extensions.getExtension('acme.keep-tests');
  assert.ok(own, 'this extension is not there');
  await own.activate();

  /** @type {vscode.Extension<import('palimpsest-api').PalimpsestExports> | undefined} */
  const palimpsest = vscode.extensions.getExtension('palimpsest.palimpsest');
  assert.ok(palimpsest, 'Palimpsest is not there');
  const api = (await palimpsest.activate()).getAPI(1);
  // Palimpsest knows the strategy: nobody can register the same id once more.
  const again = () => api.registerCompactionStrategy('acme.keep-tests/keep-tests', keepTests);
  assert.throws(again, /already registered/);
}
