/** Commands in VS Code's own terminals, by its shell integration, in bash and in zsh where there is one. */

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { stripControls } from '../../src/core/tools/text/stripControls.ts';
import type { Shell } from '../../src/core/workspace/shell.ts';
import { openTerminals } from '../../src/host/shell/openTerminals.ts';
import { createTerminalShell } from '../../src/host/shell/terminalShell.ts';

const never = new AbortController().signal;
const NO_CHILD: Shell = {
  run: async () => {
    throw new Error('the command did not run in a terminal');
  },
};

for (const name of ['bash', 'zsh'].filter((shell) => existsSync(join('/usr/bin', shell)))) {
  suite(`commands in a terminal: ${name}`, () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'palimpsest-terminal-')));
    const profile = vscode.workspace.getConfiguration('terminal.integrated');
    const ours = () => vscode.window.terminals.filter((terminal) => terminal.name === 'Palimpsest');
    let shell: ReturnType<typeof createTerminalShell>;
    let live = '';

    suiteSetup(async () => {
      await profile.update('defaultProfile.linux', name, vscode.ConfigurationTarget.Global);
      await until(() => vscode.env.shell.endsWith(name));
      shell = createTerminalShell({ folder, terminals: openTerminals(60_000), wanted: () => true, child: NO_CHILD });
    });
    suiteTeardown(async () => {
      for (const terminal of ours()) terminal.dispose();
      await profile.update('defaultProfile.linux', undefined, vscode.ConfigurationTarget.Global);
      rmSync(folder, { recursive: true, force: true });
    });

    const run = async (command: string, signal = never) => {
      const onOutput = (text: string) => {
        live += text;
      };
      const result = await shell.run(command, { timeoutMs: null, onOutput }, signal);
      return { ...result, output: stripControls(result.output) };
    };

    test('the command runs as it was written, in its folder, and its end is known', async () => {
      const theirs = vscode.window.createTerminal('mine');
      const command = `cd / && echo "it's" '!!' 文字\nprintf '%s\\n' $((6 * 7))\nexit 3`;
      const { output, exitCode, ended } = await run(command);
      assert.deepEqual([output, exitCode, ended], ["it's !! 文字\n42\n", 3, 'exit']);
      assert.equal((await run('pwd; test -t 0 || echo no input')).output, `${folder}\nno input\n`);
      assert.equal(ours().length, 1);
      assert.equal(theirs.exitStatus, undefined);
      theirs.dispose();
    });

    test('the output is whole and plain, and comes while it is written', async () => {
      live = '';
      const { output } = await run(
        `printf '\\033[31m'; for i in $(seq 20000); do echo "line $i of many"; done; printf '\\033]0;title\\007the end'`,
      );
      const lines = output.split('\n');
      assert.deepEqual(
        [lines.length, lines[0], lines.at(-2), lines.at(-1)],
        [20_001, 'line 1 of many', 'line 20000 of many', 'the end'],
      );
      assert.ok(stripControls(live).startsWith('line 1 of many\nline 2'));
    });

    test('a stop ends it, and the terminal is used again', async () => {
      const stop = new AbortController();
      const running = run('sleep 300 & echo $! > child; echo x > up; wait', stop.signal);
      await until(() => existsSync(join(folder, 'up')));
      stop.abort();
      assert.equal((await running).ended, 'aborted');
      const stat = `/proc/${Number(readFileSync(join(folder, 'child'), 'utf8'))}/stat`;
      // In a container nobody may ever collect a process that has ended.
      assert.ok(!existsSync(stat) || readFileSync(stat, 'latin1').includes(') Z '));
      assert.equal((await run('echo again')).output, 'again\n');
    });

    test('a terminal that the person closes ends it, and the next command gets another', async () => {
      const running = run('echo begun; sleep 300 & echo $! > left; wait');
      await until(() => live.includes('begun'));
      for (const terminal of ours()) terminal.dispose();
      const { output, exitCode } = await running;
      assert.match(output, /the terminal was closed before the command had ended/);
      assert.equal(exitCode, null);
      assert.equal((await run('echo new')).output, 'new\n');
    });
  });
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 50));
}
