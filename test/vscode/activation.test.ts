import assert from 'node:assert/strict';
import * as vscode from 'vscode';

suite('activation', () => {
  test('the extension is present and activates', async () => {
    const extension = vscode.extensions.getExtension('palimpsest.palimpsest');
    assert.ok(extension, 'palimpsest.palimpsest is not there');
    await extension.activate();
    assert.equal(extension.isActive, true);
  });

  test('the panel can be focused', async () => {
    await vscode.commands.executeCommand('palimpsest.panel.focus');
  });

  test('the fixture folder is open', () => {
    assert.deepEqual(
      vscode.workspace.workspaceFolders?.map(({ name }) => name),
      ['workspace'],
    );
  });
});
