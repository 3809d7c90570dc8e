/** The last command of a terminal and what is selected in it, as VS Code's shell integration tells them. */

import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { stripControls } from '../../src/core/tools/text/stripControls.ts';
import { WatchedTerminals } from '../../src/host/mentions/watchedTerminals.ts';

suite('mentions of terminals in a real editor', () => {
  let watched: WatchedTerminals;
  let terminal: vscode.Terminal;

  suiteSetup(() => {
    watched = new WatchedTerminals(vscode.window);
    terminal = vscode.window.createTerminal({ name: 'mine', shellPath: '/bin/bash' });
    terminal.show();
  });
  suiteTeardown(() => {
    terminal.dispose();
    watched.dispose();
  });

  test('the output and the exit code of the last command', async () => {
    await until(() => terminal.shellIntegration !== undefined);
    assert.deepEqual([watched.hasOutput, await watched.lastOutput()], [false, null]);
    await vscode.env.clipboard.writeText('held');
    terminal.shellIntegration?.executeCommand('echo "six: $((6 * 7))"; (exit 3)');
    await until(async () => (await watched.lastOutput())?.running === false);
    const last = await watched.lastOutput();
    assert.equal(last?.terminal, 'mine');
    assert.match(last?.command ?? '', /^echo "six/);
    assert.equal(last?.exitCode, 3);
    assert.match(stripControls(last?.output ?? ''), /six: 42/);
    assert.equal(await vscode.env.clipboard.readText(), 'held');
  });

  test('what is selected, and the clipboard is as it was', async () => {
    await vscode.env.clipboard.writeText('held');
    await vscode.commands.executeCommand('workbench.action.terminal.selectAll');
    assert.match((await watched.selection()) ?? '', /six: 42/);
    assert.equal(await vscode.env.clipboard.readText(), 'held');
    await vscode.commands.executeCommand('workbench.action.terminal.clearSelection');
    assert.equal(await watched.selection(), null);
    assert.equal(await vscode.env.clipboard.readText(), 'held');
  });
});

async function until(is: () => boolean | Promise<boolean>): Promise<void> {
  for (let n = 0; !(await is()); n++) {
    if (n > 400) assert.fail('It did not come.');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
