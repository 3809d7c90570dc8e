/** Three folders are open: the model knows their names, and each of them has its files, its memory and its commands. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readMemoryFiles } from '../../../src/core/instructions/memoryFiles.ts';
import type { Files } from '../../../src/core/ports.ts';
import { listFiles } from '../../../src/core/tools/builtIn/findFiles.ts';
import { runCommand } from '../../../src/core/tools/builtIn/runCommand.ts';
import { openWorkspaceFiles } from '../../../src/host/files/workspaceFiles.ts';
import { nameFile } from '../../../src/host/mcp/serverConfig.ts';
import { createChildShell } from '../../../src/host/shell/runChild.ts';

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
