/** Resources and prompts of the SDK's own example server, run as a program, and of servers that fail. */

import { afterEach, expect, test } from 'vitest';
import { readMcpPrompt, readMcpResource } from '../../../../src/core/mcp/mcpResult.ts';
import { ServerContent } from '../../../../src/host/mcp/serverContent.ts';
import { EVERYTHING, hostile, type StartedServers, startServers } from '../../../support/mcp/startServers.ts';

let open: StartedServers | null = null;
afterEach(async () => {
  await open?.stop();
  open = null;
});

const going = new AbortController().signal;

function start(own: Record<string, object>) {
  const started = startServers(own);
  open = started;
  const changes: string[] = [];
  const logged: string[] = [];
  const content = new ServerContent({
    servers: started.servers,
    log: (_, text) => logged.push(text),
    onChange: () => changes.push('changed'),
  });
  return { content, changes, logged };
}

test('resources and prompts are listed, and read when they are asked for', async () => {
  const { content, changes } = start({ everything: { command: process.execPath, args: [EVERYTHING] } });
  expect(content.knows('everything')).toBe(false);
  await content.list();
  await content.list();
  expect(changes).toEqual(['changed']);
  expect(content.knows('everything')).toBe(true);
  const resource = content.resources.find(({ uri }) => uri.includes('features'));
  expect(resource).toMatchObject({ server: 'everything', uri: 'demo://resource/static/document/features.md' });
  expect(content.prompts.find(({ name }) => name === 'args-prompt')).toMatchObject({
    server: 'everything',
    parameters: [
      { name: 'city', required: true },
      { name: 'state', required: false },
    ],
  });
  const text = readMcpResource(await content.readResource('everything', resource?.uri ?? '', going));
  expect(text).toMatch(/^\[resource demo:.*\]\n# .*Everything/);
  const prompt = await content.getPrompt('everything', 'args-prompt', { city: 'Paris', state: 'Texas' }, going);
  expect(readMcpPrompt(prompt)).toContain('Paris, Texas');
});

test('what the server refuses names it, and it goes on', async () => {
  const { content } = start({ everything: { command: process.execPath, args: [EVERYTHING] } });
  await expect(content.readResource('everything', 'demo://nowhere', going)).rejects.toThrow(
    /^The MCP server "everything" gave no answer to resources\/read\. .*demo:\/\/nowhere/,
  );
  await expect(content.getPrompt('everything', 'none', {}, going)).rejects.toThrow(/"everything" .* prompts\/get/);
  await expect(content.readResource('other', 'demo://x', going)).rejects.toThrow('"other" is not set up');
  expect(readMcpPrompt(await content.getPrompt('everything', 'simple-prompt', {}, going))).not.toBe('');
});

test('a server that cannot be started has nothing, and is named when it is asked', async () => {
  const { content } = start({ gone: { command: '/nowhere/server' }, dies: hostile('exit') });
  await content.list();
  expect([content.resources, content.prompts]).toEqual([[], []]);
  await expect(content.readResource('gone', 'a:b', going)).rejects.toThrow('The MCP server "gone" does not run.');
});

test('what makes no sense as a prompt or a resource is nothing', () => {
  expect(readMcpResource({ contents: 'x' })).toBe('(no output)');
  expect(readMcpPrompt({ messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }] }, 7] })).toContain(
    '[user]\na',
  );
  expect(readMcpPrompt(null)).toBe('');
});
