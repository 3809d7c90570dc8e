/** MCP servers as people type and paste them. */

import { expect, test } from 'vitest';
import { inEnglish } from '../../../../src/core/words.ts';
import {
  readTypedServer,
  refuseVariables,
  takeSecrets,
  withAsked,
  withVariables,
} from '../../../../src/node/mcp/typedServer.ts';

test.each([
  [
    'npx -y @modelcontextprotocol/server-filesystem .',
    'filesystem',
    ['-y', '@modelcontextprotocol/server-filesystem', '.'],
  ],
  ['node /opt/server-everything/dist/index.js', 'everything', ['/opt/server-everything/dist/index.js']],
  ['uvx mcp-server-git@1.2 --repository "C:\\my repo"', 'git', ['mcp-server-git@1.2', '--repository', 'C:\\my repo']],
  [
    'docker run -i --rm ghcr.io/github/github-mcp-server',
    'github',
    ['run', '-i', '--rm', 'ghcr.io/github/github-mcp-server'],
  ],
  ['node ./tools/notes.mjs', 'notes', ['./tools/notes.mjs']],
])('the command %s is a server named %s', (typed, suggested, args) => {
  const [command] = typed.split(' ');
  expect(readTypedServer(typed)).toEqual({ kind: 'one', suggested, entry: { command, args, env: {} } });
});

test('variables before a command are its variables', () => {
  expect(readTypedServer('LEVEL=debug ./serve')).toMatchObject({
    entry: { command: './serve', env: { LEVEL: 'debug' } },
  });
});

test('an address is a server; one in plain text elsewhere is none', () => {
  expect(readTypedServer('https://mcp.linear.app/mcp')).toEqual({
    kind: 'one',
    suggested: 'linear',
    entry: { url: 'https://mcp.linear.app/mcp', headers: {} },
  });
  expect(readTypedServer('http://example.org/mcp').kind).toBe('unreadable');
});

const entry = { command: 'npx', args: ['-y', 'a'], env: {} };
test.each([
  [
    'Claude, Cursor, Cline',
    { mcpServers: { a: { command: 'npx', args: ['-y', 'a'], disabled: false, autoApprove: [] } } },
    entry,
  ],
  ['VS Code', { servers: { a: { type: 'stdio', command: 'npx', args: ['-y', 'a'] } }, inputs: [] }, entry],
  ['settings of VS Code', { mcp: { servers: { a: { command: 'npx', args: ['-y', 'a'] } } } }, entry],
  ['opencode', { mcp: { a: { type: 'local', command: ['npx', '-y', 'a'], enabled: true } } }, entry],
  ['Zed', { context_servers: { a: { command: { path: 'npx', args: ['-y', 'a'] } } } }, entry],
  ['a bare entry', { a: { command: 'npx', args: ['-y', 'a'] } }, entry],
  [
    'Windsurf',
    { mcpServers: { a: { serverUrl: 'https://a.example/mcp' } } },
    { url: 'https://a.example/mcp', headers: {} },
  ],
  [
    'Gemini',
    { mcpServers: { a: { httpUrl: 'https://a.example/mcp' } } },
    { url: 'https://a.example/mcp', headers: {} },
  ],
])('the JSON of %s is read', (_, json, expected) => {
  expect(readTypedServer(JSON.stringify(json, null, 2))).toEqual({
    kind: 'pasted',
    servers: [{ name: 'a', entry: expected }],
  });
});

test('a piece of JSON with comments, and an entry without a name, are read too', () => {
  const piece = '"a": { "command": "npx", /* so */ "args": ["-y", "a"] },';
  expect(readTypedServer(piece)).toEqual({ kind: 'pasted', servers: [{ name: 'a', entry }] });
  expect(readTypedServer('{"command":"uvx","args":["mcp-server-time"]}')).toMatchObject({
    servers: [{ name: 'time' }],
  });
});

test.each([
  ['{"mcpServers": {', 'The JSON is not complete.'],
  ['{"a": {"args": []}}', 'a names neither a command nor an address.'],
  [
    '{"a": {"type": "sse", "url": "https://a.example/sse"}}',
    'It uses the transport SSE of earlier versions of MCP. Use its address for streamable HTTP.',
  ],
  ['npx "open', 'A quote is not closed.'],
])('%s: %s', (typed, reason) => {
  const read = readTypedServer(typed);
  expect(read.kind === 'unreadable' && inEnglish(read.reason)).toBe(reason);
});

test('a variable without a value is a secret that is asked for, one with a secret name goes to the secret storage', () => {
  const named = withVariables({ name: 'my git', entry }, ' GITHUB_TOKEN, API_KEY=abc, LEVEL=debug');
  expect(named.entry).toMatchObject({
    env: { GITHUB_TOKEN: '${secret:my_git.GITHUB_TOKEN}', API_KEY: 'abc', LEVEL: 'debug' },
  });
  expect(takeSecrets(named)).toEqual({
    server: {
      name: 'my git',
      entry: {
        ...entry,
        env: { GITHUB_TOKEN: '${secret:my_git.GITHUB_TOKEN}', API_KEY: '${secret:my_git.API_KEY}', LEVEL: 'debug' },
      },
    },
    secrets: { 'my_git.API_KEY': 'abc' },
  });
  const remote = { name: 'r', entry: { url: 'https://a.example/mcp', headers: { Authorization: 'Bearer xyz' } } };
  expect(takeSecrets(remote)).toEqual({
    server: {
      name: 'r',
      entry: { url: remote.entry.url, headers: { Authorization: 'Bearer ${secret:r.Authorization}' } },
    },
    secrets: { 'r.Authorization': 'xyz' },
  });
  expect(
    withVariables({ name: 'r', entry: { url: 'https://a.example/mcp', headers: {} } }, 'Authorization').entry,
  ).toEqual({
    url: 'https://a.example/mcp',
    headers: { Authorization: 'Bearer ${secret:r.Authorization}' },
  });
  expect(refuseVariables('A, b=1')).toBeNull();
  expect(refuseVariables('A B=1')).not.toBeNull();
});

test('a variable typed without a value before a command is asked for', () => {
  const read = readTypedServer('API_KEY= LEVEL=debug npx -y some-server');
  const server = read.kind === 'one' ? withAsked({ name: read.suggested, entry: read.entry }) : null;
  expect(server).toMatchObject({ name: 'some', entry: { env: { API_KEY: '${secret:some.API_KEY}', LEVEL: 'debug' } } });
  expect(server && takeSecrets(server).secrets).toEqual({});
});
