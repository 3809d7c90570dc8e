/**
 * A workspace of three folders, and one task through all of them: their names and memory files are told, and reading,
 * searching, editing, a command, a hook and an MCP server each work in the folder that is meant.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from '../../../scripts/paths.ts';
import { makeSiblingFolder, makeWorkspaceFile, openFolder } from '../support/host.ts';
import { ask, send, waitUntilIdle } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { expect, test } from '../support/scenario.ts';
import { quickPick } from '../support/workbench.ts';

const FILESYSTEM = join(ROOT, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');

test('a workspace of three folders: one task goes through all of them', async ({
  startHost,
  startSteeredModel,
  capture,
}) => {
  const model = await startSteeredModel();
  const hook = `node -e "require('fs').writeFileSync('hook.json', require('fs').readFileSync(0))"`;
  const host = await startHost({
    settings: { ...model.settings, 'palimpsest.hooks': [{ on: 'afterTurn', command: hook }] },
  });
  const { page, panel } = host;
  const [web, server, docs] = ['web', 'server', 'docs'].map((name) => makeSiblingFolder(host, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [web, server, docs]) {
    writeFileSync(join(folder, 'AGENTS.md'), `Rules of ${basename(folder)}.\n`);
    writeFileSync(join(folder, 'port.txt'), `${basename(folder)} listens on 8080.\n`);
  }
  const files = { command: process.execPath, args: [FILESYSTEM, '${workspaceFolder}'] };
  writeFileSync(join(server, '.mcp.json'), JSON.stringify({ mcpServers: { files } }));
  await openFolder(host, makeWorkspaceFile(host, 'three', [web, server, docs]));

  const call = (name: string, input: Readonly<Record<string, unknown>>) => ({ name, arguments: input });
  const results = () => lastTurn(model.server).messages.flatMap(({ role, text }) => (role === 'tool' ? [text] : []));

  await test.step('the model is told their names, and the rules of each', async () => {
    model.planReplies(
      {
        kind: 'answer',
        text: 'Looking around.',
        calls: [call('list_files', { path: '.' }), call('search_text', { pattern: '8080' })],
      },
      { kind: 'answer', text: 'In all three.' },
    );
    await ask(panel, 'Where is the port said?');
    const [system] = lastTurn(model.server).messages;
    expect(system?.text).toContain(
      'Several folders are open: web, server, docs. Begin each path with the name of its folder. Commands run in web unless cwd names another one.',
    );
    for (const name of ['web', 'server', 'docs'])
      expect(system?.text).toContain(`${name}/AGENTS.md, for what is in ${name}:\n\nRules of ${name}.`);
    const [listed, found = ''] = results();
    expect(listed).toBe('web/\nserver/\ndocs/');
    for (const name of ['web', 'server', 'docs']) expect(found).toContain(`${name}/port.txt`);
  });

  await test.step('it reads in one, edits in another, and runs a command in the third', async () => {
    model.planReplies(
      { kind: 'answer', text: 'Reading.', calls: [call('read_file', { path: 'web/port.txt' })] },
      {
        kind: 'answer',
        text: 'Changing.',
        calls: [call('edit_file', { path: 'server/port.txt', old_string: '8080', new_string: '9090' })],
      },
      {
        kind: 'answer',
        text: 'Running.',
        calls: [call('run_command', { command: 'node -p "process.cwd()" > where.txt', cwd: 'docs' })],
      },
      { kind: 'answer', text: 'Done.' },
    );
    await send(panel, 'Let the server listen on 9090');
    const allow = panel.getByRole('button', { name: 'Allow', exact: true });
    await panel.locator('.approval', { hasText: 'server/port.txt' }).waitFor();
    await allow.click();
    await panel.locator('.approval', { hasText: docs }).waitFor();
    await capture('folders-1-command');
    await allow.click();
    await waitUntilIdle(panel);
    expect(results().at(-3)).toContain('web listens on 8080.');
    expect(readFileSync(join(server, 'port.txt'), 'utf8')).toBe('server listens on 9090.\n');
    expect(readFileSync(join(web, 'port.txt'), 'utf8')).toBe('web listens on 8080.\n');
    expect(readFileSync(join(docs, 'where.txt'), 'utf8').trim()).toBe(docs);
    const told = JSON.parse(readFileSync(join(web, 'hook.json'), 'utf8'));
    expect(told.folder).toBe(web);
    expect(told.folders).toEqual([web, server, docs].map((path) => ({ name: basename(path), path })));
  });

  await test.step('a server that one folder names works in that folder, after consent', async () => {
    await send(panel, '/mcp');
    await quickPick(page, 'server/.mcp.json').waitFor();
    await capture('folders-2-servers');
    await quickPick(page, 'server/.mcp.json').click();
    await quickPick(page, 'Review and start…').click();
    await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Allow', exact: true }).click();
    model.planCall('mcp__files__list_allowed_directories', {}, 'These.');
    await send(panel, 'Where may it look?');
    await panel.locator('.approval').getByRole('button', { name: 'Allow', exact: true }).click();
    await waitUntilIdle(panel);
    const said = results().at(-1)?.split('\n') ?? [];
    expect(said.filter((line) => line.startsWith('/'))[0]).toBe(server);
  });
});
