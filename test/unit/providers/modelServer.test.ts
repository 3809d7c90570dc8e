/** The test server must fail when a test is wrong, and its endless script must speak the protocol. */

import { afterEach, describe, expect, test } from 'vitest';
import type { ChatMessage, ModelRequest } from '../../../src/core/model/modelClient.ts';
import { createEndpointClient } from '../../../src/providers/endpointClient.ts';
import { type ModelServer, startModelServer } from '../../support/modelServer/modelServer.ts';
import { findViolations } from '../../support/modelServer/modelServerRules.ts';
import { startScriptedModel } from '../../support/modelServer/modelServerScript.ts';

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const TOOLS: ModelRequest['tools'] = [{ name: 'read_file', description: '', parameters: {} }];

async function answer(server: ModelServer, messages: readonly ChatMessage[], tools = TOOLS) {
  const client = createEndpointClient({ baseUrl: server.baseUrl, key: async () => undefined });
  for await (const event of client.stream({ model: 'm', messages, tools }, new AbortController().signal)) {
    if (event.type === 'done') return event;
  }
  throw new Error('no end');
}

describe('the script', () => {
  test('an exhausted script fails, then and at the end', async () => {
    const server = await startModelServer({ script: [{ kind: 'answer', text: 'One' }] });
    servers.push(server);
    const messages: ChatMessage[] = [{ role: 'user', text: 'Hi' }];
    expect((await answer(server, messages)).text).toBe('One');
    server.assertDone();
    await expect(answer(server, messages)).rejects.toThrow('the script is exhausted at request 2');
    expect(() => server.assertDone()).toThrow('the script is exhausted at request 2');
  });

  test('replies that nobody asked for fail at the end', async () => {
    const server = await startModelServer({ script: [{ kind: 'answer', text: 'One' }] });
    servers.push(server);
    expect(() => server.assertDone()).toThrow('1 replies of the script were never asked for');
  });

  test('a request that breaks a rule is refused and remembered', async () => {
    const server = await startModelServer({ script: [{ kind: 'answer', text: 'One' }] });
    servers.push(server);
    await expect(answer(server, [{ role: 'tool', toolCallId: 'x', text: 'orphan' }])).rejects.toThrow(
      'no call before it',
    );
    expect(server.failures[0]).toContain("messages[0]: a result for 'x'");
  });
});

describe('rules', () => {
  const call = (id: string, args = '{}') => ({ id, type: 'function', function: { name: 'f', arguments: args } });
  const asks = (...ids: string[]) => ({ role: 'assistant', content: null, tool_calls: ids.map((id) => call(id)) });
  const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' });
  const user = { role: 'user', content: 'Hi' };

  test.each<readonly [string, readonly object[], RegExp | null]>([
    ['valid', [{ role: 'system', content: 's' }, user, asks('a', 'b'), result('b'), result('a'), user], null],
    ['unanswered call', [user, asks('a', 'b'), result('a'), user], /calls b are not answered/],
    ['unanswered at the end', [user, asks('a')], /not answered at the end/],
    ['orphan result', [user, result('a')], /which no call before it waits for/],
    ['result twice', [user, asks('a'), result('a'), result('a')], /which no call before it waits for/],
    ['result after another user message', [user, asks('a'), user, result('a')], /not answered/],
    ['id twice', [user, asks('a'), result('a'), asks('a'), result('a')], /'a' is used twice/],
    ['id too long', [user, asks('a'.repeat(41)), result('a'.repeat(41))], /over 40 characters/],
    ['system in the middle', [user, { role: 'system', content: 's' }, user], /not the first/],
    ['empty text beside calls', [user, { ...asks('a'), content: '' }, result('a')], /empty text beside calls/],
    ['empty assistant', [user, { role: 'assistant', content: null }, user], /without content and calls/],
    ['malformed arguments', [user, { ...asks('a'), tool_calls: [call('a', '{"')] }, result('a')], /no JSON object/],
    ['half a surrogate pair', [{ role: 'user', content: 'a\ud83d' }], /half a surrogate pair/],
    ['ends with the assistant', [user, { role: 'assistant', content: 'x' }], /last message has the role 'assistant'/],
    ['nothing', [], /messages are missing/],
  ])('%s', (_name, messages, expected) => {
    const found = findViolations({ model: 'm', stream: true, messages }).join('\n');
    if (expected) expect(found).toMatch(expected);
    else expect(found).toBe('');
  });
});

describe('the endless script', () => {
  test.each<readonly [string, readonly (readonly [string, object])[]]>([
    ['Hello there', []],
    ['Please read src/queue.js', [['read_file', { path: 'src/queue.js' }]]],
    ['read it', [['read_file', { path: 'README.md' }]]],
    [
      'List the folder, then search for "waitAfter"',
      [
        ['list_files', { path: '.' }],
        ['search_text', { pattern: 'waitAfter' }],
      ],
    ],
    [
      'read src/a.js and edit src/a.js replace "one" with "two", then run `npm test`',
      [
        ['read_file', { path: 'src/a.js' }],
        ['edit_file', { path: 'src/a.js', old_string: 'one', new_string: 'two' }],
        ['run_command', { command: 'npm test' }],
      ],
    ],
    ['write notes.md "hello"', [['write_file', { path: 'notes.md', content: 'hello' }]]],
    ['call read_file {"path":"x y.md","limit":3}', [['read_file', { path: 'x y.md', limit: 3 }]]],
  ])('%s', async (asked, expected) => {
    const server = await startScriptedModel();
    servers.push(server);
    const messages: ChatMessage[] = [{ role: 'user', text: asked }];
    const called: [string, unknown][] = [];
    for (;;) {
      const { text, toolCalls } = await answer(server, messages);
      if (toolCalls.length === 0) break;
      messages.push({ role: 'assistant', text, toolCalls });
      for (const { id, name, arguments: input } of toolCalls) {
        called.push([name, JSON.parse(input)]);
        messages.push({ role: 'tool', toolCallId: id, text: 'ok' });
      }
    }
    expect(called).toEqual(expected);
    server.assertDone();
  });

  test('a request without tools gets a summary, in the tags it asks for', async () => {
    const server = await startScriptedModel();
    servers.push(server);
    const prompt = 'Answer with <current_focus>…</current_focus>\n<conversation>\n[user]\nFix it\n</conversation>';
    const { text } = await answer(server, [{ role: 'user', text: prompt }], []);
    expect(text).toMatch(/^<current_focus>\nScripted model: [\s\S]*- Fix it/);
  });

  test('its window is enforced and listed', async () => {
    const server = await startScriptedModel({ window: 500 });
    servers.push(server);
    const long: ChatMessage[] = [{ role: 'user', text: 'word '.repeat(1000) }];
    await expect(answer(server, long)).rejects.toMatchObject({ kind: 'overflow', facts: { learnedWindow: 500 } });
  });
});
