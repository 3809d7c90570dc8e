/**
 * Three folders are open: the model knows their names, and each of them has its files, its memory, its commands and its
 * MCP servers. Hooks are told all of them.
 */

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readMemoryFiles } from '../../../src/core/instructions/memoryFiles.ts';
import { readMcpResult } from '../../../src/core/mcp/mcpResult.ts';
import { listFiles } from '../../../src/core/tools/builtIn/findFiles.ts';
import { runCommand } from '../../../src/core/tools/builtIn/runCommand.ts';
import type { Files } from '../../../src/core/workspace/files.ts';
import { openWorkspaceFiles } from '../../../src/node/files/workspaceFiles.ts';
import { nameFile } from '../../../src/node/mcp/serverConfig.ts';
import { createChildShell } from '../../../src/node/shell/childShell.ts';
import { createHookRunner } from '../../../src/node/shell/hookRunner.ts';
import { FILESYSTEM, startServers } from '../../support/mcp/startServers.ts';
import { createMemoryShell } from '../../support/ports/memoryShell.ts';
import { ScriptedModel } from '../../support/ports/scriptedModel.ts';
import { testAgent } from '../../support/testAgent.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'pal-three-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const folders = ['web', 'server', 'docs'].map((name) => ({ name, path: join(root, name) }));
const { signal } = new AbortController();
let files: Files;

beforeAll(async () => {
  for (const { name, path } of folders) {
    mkdirSync(path);
    writeFileSync(join(path, 'AGENTS.md'), `Rules of ${name}.\n`);
    writeFileSync(join(path, `${name}.txt`), name);
  }
  files = await openWorkspaceFiles(optionsFor(folders));
});

const optionsFor = (open: typeof folders) => ({
  folders: open,
  denied: [],
  unsaved: { text: () => null, replace: async () => undefined },
  ripgrep: async () => null,
});

const list = async (path: string, depth = 1) =>
  (await (await listFiles.prepare({ path, depth }, { files } as never)).run({ signal } as never)).text;

test('the top lists the names of the folders, and each has its own files', async () => {
  expect(await list('.')).toBe('web/\nserver/\ndocs/');
  expect(await list('.', 2)).toBe(
    'web/\n  AGENTS.md\n  web.txt\nserver/\n  AGENTS.md\n  server.txt\ndocs/\n  AGENTS.md\n  docs.txt',
  );
  expect(await list('server')).toBe('AGENTS.md\nserver.txt');
});

test('memory files of each are told, and for what they are', async () => {
  const items = await readMemoryFiles(files, null, ['server/server.txt'], 8_000);
  expect(items.map(({ origin }) => origin)).toEqual(['web/AGENTS.md', 'server/AGENTS.md', 'docs/AGENTS.md']);
  expect(items.map(({ text }) => /, for what is in (\w+):/.exec(text)?.[1])).toEqual(['web', 'server', 'docs']);
});

async function prepare(cwd: string | undefined, open = files) {
  const shell = createChildShell({ folder: folders[0]?.path ?? null, environment: process.env });
  const input = { command: 'node -e "console.log(process.cwd())"', timeout_seconds: 60, background: false };
  return runCommand.prepare({ ...input, ...(cwd === undefined ? {} : { cwd }) }, { files: open, shell } as never);
}

test('a command runs in the folder that it names, and the question shows which', async () => {
  for (const [cwd, name] of [
    [undefined, 'web'],
    ['server', 'server'],
    ['docs/', 'docs'],
  ] as const) {
    const call = await prepare(cwd);
    expect(call.approval?.detail).toMatchObject({ cwd: join(root, name) });
    const { text } = await call.run({ onOutput: () => undefined, signal } as never);
    expect(text).toBe(`exit code 0\n${join(root, name)}`);
  }
});

test('the folder that a command runs in decides whether its shell would run it', async () => {
  const [near, far] = ['C:\\near', '\\\\server\\far'];
  const cmd = { kind: 'cmd', name: 'cmd', file: 'C:\\Windows\\System32\\cmd.exe' } as const;
  for (const [first, second] of [
    [near, far],
    [far, near],
  ] as const) {
    const open = [
      { name: 'one', path: first },
      { name: 'two', path: second },
    ];
    const shell = createChildShell({ folder: first, environment: {}, shell: () => cmd });
    const ports = { files: { root: first, folders: open, resolve: async () => ({}) }, shell } as never;
    const asked = (cwd: string) => runCommand.prepare(runCommand.input.parse({ command: 'npm test', cwd }), ports);
    const [allowed, refused] = first === near ? ['one', 'two'] : ['two', 'one'];
    expect((await asked(allowed)).approval?.detail).toMatchObject({ cwd: near });
    await expect(asked(refused)).rejects.toThrow('cannot work in a folder of the network');
  }
});

test('one line of the header names the folders, and there is none with one folder', async () => {
  const told = async (open: Files) => {
    const model = new ScriptedModel(['Done.']);
    const workspace = { files: open, trust: () => 'untrusted' as const, shell: createMemoryShell() };
    const { agent } = await testAgent(model.choice(), { workspace });
    await agent.send('Go.', signal);
    const [first] = model.requests[0]?.messages ?? [];
    return /^Several folders are open.*$/m.exec(first?.role === 'system' ? first.text : '')?.[0];
  };
  expect(await told(files)).toBe(
    'Several folders are open: web, server, docs. Begin each path with the name of its folder. Commands run in web unless cwd names another one.',
  );
  expect(await told(await openWorkspaceFiles(optionsFor(folders.slice(0, 1))))).toBeUndefined();
});

test('a hook runs in the first folder and is told all of them', async () => {
  const script = join(root, 'hook.mjs');
  const said = join(root, 'said.json');
  writeFileSync(
    script,
    `import { readFileSync, writeFileSync } from 'node:fs';
    const { folder, folders } = JSON.parse(readFileSync(0, 'utf8'));
    writeFileSync(process.argv[2], JSON.stringify({ folder, folders, cwd: process.cwd() }));`,
  );
  const { agent } = await testAgent(new ScriptedModel(['Done.']).choice(), {
    workspace: {
      files,
      trust: () => 'trusted',
      shell: createMemoryShell(),
      hooks: createHookRunner({ folder: files.root, environment: process.env }),
    },
    hooks: [{ on: 'beforeTurn', command: `node "${script}" "${said}"`, tools: [], timeout: 60 }],
  });
  await agent.send('Go.', signal);
  expect(JSON.parse(readFileSync(said, 'utf8'))).toEqual({ folder: files.root, folders, cwd: files.root });
});

test('a server that a folder names works in that folder and is told the others, your own works in the first', {
  tags: ['long'],
}, async () => {
  const entry = { command: process.execPath, args: [FILESYSTEM, '${workspaceFolder}'] };
  for (const name of ['server', 'docs'])
    writeFileSync(join(root, name, '.mcp.json'), JSON.stringify({ mcpServers: { [name]: entry } }));
  const paths = folders.map(({ path }) => path);
  const started = startServers({ own: entry }, { folders: paths, onDisk: true });
  try {
    await started.servers.refresh();
    for (const { server } of started.servers.listed) await started.decisions.decideStart(server, true);
    await started.offer();
    const { listed } = started.servers;
    expect(listed.map(({ server, standing }) => [server.name, standing.kind])).toEqual([
      ['own', 'ready'],
      ['server', 'ready'],
      ['docs', 'ready'],
    ]);
    for (const [at, name] of ['own', 'server', 'docs'].entries()) {
      const { run } = await started.servers.use(name, signal);
      const call = { timeoutMs: 60_000, signal, onProgress: () => undefined };
      const own = paths[at] ?? '';
      // It asks for the folders when it runs already.
      await expect
        .poll(async () =>
          readMcpResult(await run.call('list_allowed_directories', {}, call))
            .text.split('\n')
            .slice(1),
        )
        .toEqual([own, ...paths.filter((path) => path !== own)]);
    }
  } finally {
    await started.stop();
  }
});

test('a folder that is not open is refused with the names of those that are', async () => {
  await expect(prepare('server/src')).rejects.toThrow('cwd must be one of web, server, docs.');
  const one = await openWorkspaceFiles(optionsFor(folders.slice(0, 1)));
  expect(one.folders).toBeUndefined();
  await expect(prepare('server', one)).rejects.toThrow('Only one folder is open: leave cwd out.');
});

test('a file of MCP servers is named with its folder where several are open', () => {
  const file = { folder: join(root, 'server'), path: '.mcp.json' };
  expect(nameFile(file, ['/one'])).toBe('.mcp.json');
  expect(nameFile(file, ['/one', '/two'])).toBe('server/.mcp.json');
});
