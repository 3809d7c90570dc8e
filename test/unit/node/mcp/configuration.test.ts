/** Which servers there are, which may start, and what they get. */

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { readSection, type SettingProblem } from '../../../../src/core/setting.ts';
import { inEnglish, words } from '../../../../src/core/words.ts';
import { fillIn, secretsIn, variablesIn } from '../../../../src/node/mcp/fillIn.ts';
import { MCP, readForeignServer, readServerFiles, type ServerConfig } from '../../../../src/node/mcp/serverConfig.ts';
import { ServerFault } from '../../../../src/node/mcp/transport/serverFault.ts';
import { type StartedServers, startServers } from '../../../support/mcp/startServers.ts';

const folderOf = (files: Readonly<Record<string, string>>) => {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
};

test('the setting: an entry that cannot be used is left out and named, the others are in force', () => {
  const problems: SettingProblem[] = [];
  const servers = { good: { command: 'a' }, bad: { command: 1 }, typo: { comand: 'a' }, remote: { url: 'https://a/' } };
  const read = (key: string) => ({ value: key === 'mcp.servers' ? servers : undefined, explicit: true });
  expect(readSection(MCP, read, problems).servers).toEqual({ good: { command: 'a' }, remote: { url: 'https://a/' } });
  expect(problems.map(({ message }) => inEnglish(message))).toEqual([
    expect.stringContaining('{"bad":{"command":1}}'),
    expect.stringContaining('"typo"'),
  ]);
});

test('files of other programs: each form, with comments, and nothing of what is broken', async () => {
  const folder = folderOf({
    '.mcp.json': '{ "mcpServers": { "a": { "command": "x", "args": ["1"], "ownField": true } } }',
    '.vscode/mcp.json': '{ // a comment\n "servers": { "b": { "type": "http", "url": "https://b/" }, }, "inputs": [] }',
    '.cursor/mcp.json': '{ "mcpServers": { "c": { "type": "sse", "url": "https://c/" }, "d": 5, " ": {} } }',
    '.roo/mcp.json': 'no json',
    '.amazonq/mcp.json': `{ "mcpServers": { "large": { "command": "${'x'.repeat(300_000)}" } } }`,
  });
  const found = await readServerFiles(folder);
  expect(found.map(({ name, file, config }) => [name, file?.path, config.kind])).toEqual([
    ['a', '.mcp.json', 'stdio'],
    ['b', '.vscode/mcp.json', 'http'],
    ['c', '.cursor/mcp.json', 'unusable'],
    ['d', '.cursor/mcp.json', 'unusable'],
    // What is too large stands there with the reason.
    ['.amazonq/mcp.json', '.amazonq/mcp.json', 'unusable'],
  ]);
  expect(await readServerFiles(join(folder, 'nowhere'))).toEqual([]);
});

test('a time limit in the file of another program is read in the unit of that program', async () => {
  const limited = (timeout: unknown) => JSON.stringify({ mcpServers: { s: { command: 'x', timeout } } });
  const folder = folderOf({
    '.mcp.json': limited(600_000),
    '.roo/mcp.json': limited(600),
    '.kilocode/mcp.json': limited('soon'),
    '.amazonq/mcp.json': limited(20),
  });
  const found = await readServerFiles(folder);
  expect(found.map(({ file, config, timeout }) => [file?.path, config.kind, timeout])).toEqual([
    ['.mcp.json', 'stdio', 600],
    ['.roo/mcp.json', 'stdio', 600],
    ['.kilocode/mcp.json', 'unusable', null],
    ['.amazonq/mcp.json', 'stdio', 1],
  ]);
});

describe('what is filled in', () => {
  const config: ServerConfig = {
    kind: 'stdio',
    command: '${workspaceFolder}/run',
    args: ['${userHome}', '${MODE:-fast}', '${env:MODE}', '$plain {x}'],
    env: { TOKEN: 'Bearer ${secret:token}', OTHER: '${input:other-key}', GITHUB: '${GITHUB_TOKEN}' },
    cwd: '${workspaceFolder}/sub',
  };
  const sources = (secrets: Readonly<Record<string, string>>) => ({
    secret: async (name: string) => secrets[name] ?? null,
    environment: { GITHUB_TOKEN: 'ghp_0123456789' },
    folder: '/w',
    home: '/home/me',
  });

  test('folders, variables and secrets; what must be hidden is known', async () => {
    const filled = await fillIn(config, sources({ token: 'one', 'other-key': 'two ${secret:token}' }));
    expect(filled.config).toEqual({
      kind: 'stdio',
      command: '/w/run',
      args: ['/home/me', 'fast', '', '$plain {x}'],
      // What a value holds is not filled in again.
      env: { TOKEN: 'Bearer one', OTHER: 'two ${secret:token}', GITHUB: 'ghp_0123456789' },
      cwd: '/w/sub',
    });
    expect(filled.secrets).toEqual(['one', 'two ${secret:token}', 'ghp_0123456789']);
  });

  test('a person is shown which variables and secrets it takes', () => {
    expect(variablesIn(config)).toEqual(['MODE', 'GITHUB_TOKEN']);
    expect(secretsIn(config)).toEqual(['token', 'other-key']);
  });

  test('a secret that was not given and a word that means nothing are named', async () => {
    await expect(fillIn(config, sources({}))).rejects.toThrow('The secret token was not given.');
    const strange: ServerConfig = { kind: 'http', url: 'https://a/${command:evil}', headers: {} };
    await expect(fillIn(strange, sources({}))).rejects.toThrow('has ${command:evil}, which is not known here');
  });
});

describe('servers of a folder', () => {
  let open: StartedServers | null = null;
  afterEach(async () => open?.stop());
  const inFiles = { '.mcp.json': { a: { command: 'x' }, b: { command: 'y' } } };
  const refuse = () => new ServerFault(words('not in this test'), 'byHand');
  const signal = new AbortController().signal;

  test('none is started before the person allowed it; they are told of once, and an answer holds for its contents', async () => {
    open = startServers({ mine: { command: 'z' } }, { inFiles, refuse });
    const { servers, started, undecided, decisions } = open;
    await servers.prepare(signal);
    await servers.prepare(signal);
    expect([started, undecided]).toEqual([['mine'], [['a', 'b']]]);
    const [a, b] = servers.listed.flatMap(({ server }) => (server.file ? [server] : []));
    if (!a || !b) throw new Error('not listed');
    await decisions.decideStart(a, true);
    await decisions.decideStart(b, false);
    await servers.prepare(signal);
    expect(started).toEqual(['mine', 'a']);
    expect(servers.listed.map(({ standing }) => standing.kind)).toEqual(['ready', 'ready', 'refused']);
    // Other contents, another folder, another file: asked again.
    const entry = { command: 'x', args: ['--evil'] };
    expect(decisions.mayStart(readForeignServer('a', entry, a.file))).toBe(null);
    expect(decisions.mayStart({ ...a, file: { path: '.mcp.json', folder: '/elsewhere' } })).toBe(null);
    expect(decisions.mayStart({ ...a, file: { path: '.cursor/mcp.json', folder: a.file?.folder ?? '' } })).toBe(null);
    expect(decisions.mayStart(a)).toBe(true);
    // What was allowed is listed with its name, and taken back.
    expect(decisions.allowed).toMatchObject([{ kind: 'server', name: 'a (.mcp.json)' }]);
    await decisions.withdraw(decisions.allowed[0]?.hash ?? '');
    expect([decisions.mayStart(a), decisions.mayStart(b), decisions.allowed]).toEqual([null, false, []]);
  });

  test('in a folder that is not trusted none is read, started or asked about, the person’s own included', async () => {
    let trusted = false;
    open = startServers({ mine: { command: 'z' } }, { inFiles, refuse, trusted: () => trusted });
    expect(await open.servers.prepare(signal)).toEqual({ tools: [], notices: [] });
    expect([open.started, open.undecided, open.servers.listed]).toEqual([[], [], []]);
    trusted = true;
    await open.servers.prepare(signal);
    expect([open.started, open.undecided]).toEqual([['mine'], [['a', 'b']]]);
  });

  test('the person’s own goes before one of a file with its name; one that is switched off is not started', async () => {
    open = startServers({ a: { command: 'z' }, c: { command: 'z', disabled: true } }, { inFiles, refuse });
    await open.servers.prepare(signal);
    expect(open.servers.listed.map(({ server, standing }) => [server.name, standing.kind])).toEqual([
      ['a', 'ready'],
      ['c', 'disabled'],
      ['a', 'shadowed'],
      ['b', 'undecided'],
    ]);
    const [own] = open.servers.listed;
    if (own) await open.decisions.switchTo(false, own.server);
    await open.servers.refresh();
    expect(open.servers.listed[0]?.standing.kind).toBe('disabled');
  });
});
