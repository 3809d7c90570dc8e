import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Files } from '../../src/core/workspace/files.ts';
import { openUnsavedDocuments } from '../../src/host/files/unsavedDocuments.ts';
import { findRipgrep } from '../../src/node/files/findRipgrep.ts';
import { openWorkspaceFiles } from '../../src/node/files/workspaceFiles.ts';

suite('tools in a real editor', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'palimpsest-')));
  const decode = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const places = { appRoot: vscode.env.appRoot, path: '', workspaceFolders: [folder] };
  let files: Files;
  let count = 0;
  let name = '';
  let path = '';

  setup(async () => {
    // Each test has a file of its own: an open document would conflict with a file that changes on disk.
    count += 1;
    name = `file-${count}.ts`;
    path = join(folder, name);
    writeFileSync(path, '\uFEFFsaved\r\n');
    files = await openWorkspaceFiles({
      folders: [{ name: 'folder', path: folder }],
      denied: [],
      unsaved: openUnsavedDocuments(),
      ripgrep: () => findRipgrep(places),
    });
  });
  suiteTeardown(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    rmSync(folder, { recursive: true, force: true });
  });

  async function type(text: string): Promise<vscode.TextDocument> {
    const document = await vscode.workspace.openTextDocument(path);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), text);
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.ok(document.isDirty);
    return document;
  }

  test('an unsaved document is what is read, byte order mark included', async () => {
    await type('typed ');
    assert.equal(decode(await files.read(name)), '\uFEFFtyped saved\r\n');
    assert.equal(readFileSync(path, 'utf8'), '\uFEFFsaved\r\n');
  });

  test('an unsaved document is changed in its editor and saved, also by another name', async () => {
    const document = await type('typed ');
    symlinkSync(name, join(folder, 'alias.ts'));
    await files.write('alias.ts', new TextEncoder().encode('\uFEFFchanged\r\nline\r\n'));
    assert.equal(document.getText(), 'changed\r\nline\r\n');
    assert.equal(document.isDirty, false);
    assert.equal(readFileSync(path, 'utf8'), '\uFEFFchanged\r\nline\r\n');
  });

  test('a saved document follows what is written to the disk', async () => {
    const document = await vscode.workspace.openTextDocument(path);
    const followed = new Promise<void>((resolve) => {
      const listening = vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.document !== document || !document.getText().startsWith('written')) return;
        listening.dispose();
        resolve();
      });
    });
    await vscode.window.showTextDocument(document);
    // The editor begins to watch a file some time after it is shown: what is written before that goes unseen.
    let seen = false;
    void followed.then(() => {
      seen = true;
    });
    for (let nth = 0; !seen; nth++) {
      await files.write(name, new TextEncoder().encode(`written ${nth}\n`));
      await Promise.race([followed, new Promise((resolve) => setTimeout(resolve, 1_000))]);
    }
    assert.equal(document.isDirty, false);
  });

  test('the editor’s own ripgrep is found and searches', async () => {
    const binary = await findRipgrep(places);
    assert.ok(binary?.startsWith(realpathSync(vscode.env.appRoot)), `found ${binary}`);
    const found = await files.search({ pattern: 'sav\\w+', regex: true, path: name }, 5, new AbortController().signal);
    assert.deepEqual(found, { matches: [{ path: name, line: 1, text: 'saved' }], more: false });
  });
});
