/** The exported API as other extensions use it: the samples of test/extensions run beside the product. */

import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { PalimpsestExports, StrategyFactory } from '../../src/api/index.ts';

const factory: StrategyFactory = { needs: [], create: () => ({ compact: async () => null }) };

async function exportsOf(): Promise<PalimpsestExports> {
  const extension = vscode.extensions.getExtension<PalimpsestExports>('palimpsest.palimpsest');
  assert.ok(extension, 'palimpsest.palimpsest is not there');
  return extension.activate();
}

suite('exported API', () => {
  test('version 1 is there, any other throws @B7', async () => {
    const palimpsest = await exportsOf();
    assert.equal(palimpsest.getAPI(1).version, 1);
    assert.throws(() => palimpsest.getAPI(2 as 1), { name: 'UnsupportedApiVersion' });
  });

  test('the samples activate and register what they declare @B7', async () => {
    for (const id of ['acme.keep-tests', 'acme.digest', 'acme.todo-keeper', 'acme.semantic-dedupe']) {
      const sample = vscode.extensions.getExtension(id);
      assert.ok(sample, `${id} is not there`);
      await sample.activate();
    }
    const api = (await exportsOf()).getAPI(1);
    assert.throws(() => api.registerCompactionStrategy('acme.digest/digest', factory), /already registered/);
  });

  test('what is not declared cannot be registered @B7', async () => {
    const api = (await exportsOf()).getAPI(1);
    assert.throws(() => api.registerCompactionStrategy('acme.digest/other', factory), /is not declared/);
    assert.throws(() => api.registerCompactionStrategy('nobody.nothing/x', factory), /is not declared/);
    assert.throws(() => api.registerCompactionStrategy('acme.digest/digest', {} as never), TypeError);
  });

  test('what is disposed of can be registered again @B7', async () => {
    const api = (await exportsOf()).getAPI(1);
    const register = () => api.registerCompactionStrategy('mallory.misbehaving/spare', factory);
    const first = register();
    assert.throws(register, /already registered/);
    first.dispose();
    const second = register();
    // Disposing of the first once more does not dispose of the second.
    first.dispose();
    assert.throws(register, /already registered/);
    second.dispose();
    const listener = api.onDidCompact(() => undefined);
    listener.dispose();
    listener.dispose();
    api.onDidProgress(() => undefined).dispose();
    assert.throws(() => api.onDidProgress('x' as never), TypeError);
    api.onWillCompact(() => undefined).dispose();
    assert.throws(() => api.onWillCompact('x' as never), TypeError);
  });

  test('the API cannot be changed by an extension that holds it @B7', async () => {
    const api = (await exportsOf()).getAPI(1);
    assert.ok(Object.isFrozen(api));
    assert.deepEqual(Object.keys(api).sort(), [
      'onDidCompact',
      'onDidProgress',
      'onWillCompact',
      'registerCompactionStrategy',
      'version',
    ]);
  });
});
