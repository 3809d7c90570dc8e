/** The SDK's own example servers as real programs and over real HTTP on this machine. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readImage } from '../../../../src/core/context/imageFacts.ts';
import { readMcpResult } from '../../../../src/core/mcp/mcpResult.ts';
import type { Question, QuestionAnswer, Questioner } from '../../../../src/core/tools/question.ts';
import { inEnglish, type Words } from '../../../../src/core/words.ts';
import { Questions } from '../../../../src/node/session/questions.ts';
import { nodeCrypto } from '../../../../src/node/storage/disk/fileBlobStore.ts';
import { sendableSchema } from '../../../../src/providers/sendableSchema.ts';
import {
  EVERYTHING,
  FILESYSTEM,
  hostile,
  type StartedServers,
  startServers,
} from '../../../support/mcp/startServers.ts';
import { freePort } from '../../../support/modelServer/freePort.ts';
import { findSchemaViolations } from '../../../support/modelServer/toolSchemaRules.ts';

let open: StartedServers | null = null;
afterEach(async () => {
  await open?.stop();
  open = null;
});
const start = (...given: Parameters<typeof startServers>) => {
  open = startServers(...given);
  return open;
};
const node = process.execPath;

test('a program: its tools under names of their own, and what a call gives back as text', async () => {
  const { offer, call } = start({ 'every thing': { command: node, args: [EVERYTHING] } });
  const tools = await offer();
  expect(tools.map(({ name }) => name)).toContain('mcp__every_thing__echo');
  expect(tools.find(({ tool }) => tool === 'get-sum')).toMatchObject({
    server: 'every thing',
    parameters: { type: 'object', properties: { a: { type: 'number' } }, required: ['a', 'b'] },
  });
  expect(readMcpResult(await call('get-sum', { a: 2, b: 40 })).text).toBe('The sum of 2 and 40 is 42.');
  const picture = await call('get-tiny-image');
  expect(readMcpResult(picture).text).toMatch(/\[image image\/png, \d+ KB, which cannot be shown/);
  const { text, images = [] } = readMcpResult(picture, { images: true });
  expect(text).toContain('[image 1]');
  expect(images.map(({ bytes }) => readImage(bytes)?.mime)).toEqual(['image/png']);
  expect(readMcpResult(await call('get-resource-links', { count: 2 })).text).toContain('[resource ');
  expect(readMcpResult(await call('get-structured-content', { location: 'Chicago' })).text).toContain('temperature');
  // What the server refuses is an error of the call, not of the server.
  expect(readMcpResult(await call('get-sum', { a: 'two' }))).toMatchObject({ isError: true });
});

test('their schemas go out as they are, in a form that every provider takes', async () => {
  const { offer } = start({
    every: { command: node, args: [EVERYTHING] },
    files: { command: node, args: [FILESYSTEM, tmpdir()] },
  });
  const tools = await offer();
  expect(tools.length).toBeGreaterThan(20);
  for (const { name, parameters } of tools) {
    const sent = sendableSchema(parameters);
    expect([name, findSchemaViolations(sent.parameters)]).toEqual([name, []]);
    expect(sent).toEqual({ parameters, note: '' });
  }
});

test('a program gets the environment of commands and what is configured, and no secret of the editor', async () => {
  const environment = { PATH: process.env.PATH ?? '', OPENAI_API_KEY: 'sk-0123456789', VSCODE_PID: '1' };
  const entry = { command: node, args: [EVERYTHING], env: { GREETING: 'hello ${secret:NAME}', PLACE: '${env:PATH}' } };
  const { call } = start({ s: entry }, { environment, secrets: { NAME: 'a secret of mine' } });
  const got = JSON.parse(readMcpResult(await call('get-env')).text) as Record<string, string>;
  expect(got).toMatchObject({ GREETING: 'hello a secret of mine', PLACE: environment.PATH, NO_COLOR: '1' });
  expect(Object.keys(got)).not.toContain('OPENAI_API_KEY');
  expect(Object.keys(got)).not.toContain('VSCODE_PID');
});

test('progress is told as it comes, and a call that is stopped ends at once', { tags: ['long'] }, async () => {
  const { call } = start({ s: { command: node, args: [EVERYTHING] } });
  await stopAtProgress(call);
  // The server is none the worse for it.
  expect(readMcpResult(await call('echo', { message: 'again' })).text).toBe('Echo: again');
});

test('a program asks the person during a call, field by field, and gets their answers', async () => {
  const { call } = start({ s: { command: node, args: [EVERYTHING] } }, { callMs: 5_000 });
  const asked: string[] = [];
  const answers: Record<string, string[]> = {
    name: ['Ada'],
    Boolean: ['Yes'],
    Integer: ['many', '7'],
    hero: ['Superman'],
  };
  const ask = async ({ text, choices }: { text: Words | string; choices: readonly { label: string }[] }) => {
    const sentence = typeof text === 'string' ? text : inEnglish(text);
    asked.push([sentence, ...choices.map(({ label }) => label)].join(' | '));
    const given = Object.entries(answers)
      .find(([part]) => sentence.includes(part))?.[1]
      .shift();
    return given === undefined ? { kind: 'refuse' as const, reason: '' } : { kind: 'answer' as const, text: given };
  };
  const questions = { ask } as unknown as Questioner;
  const { text } = readMcpResult(await call('trigger-elicitation-request', {}, { questions }));
  expect(text).toContain('"name": "Ada"');
  expect(text).toContain('"check": true');
  expect(text).toContain('"integer": 7');
  expect(text).toContain('"titledSingleSelectEnum": "hero-1"');
  expect(text).not.toContain('email":');
  expect(asked[0]).toBe(
    'The MCP server s asks: Please provide inputs for the following fields: — String: Your full, legal name Your answer goes to the server, not to the model.',
  );
  expect(asked[1]).toMatch(/Agree to the terms.* \| Yes \| No$/);
  expect(asked.filter((each) => each.includes('The last answer did not fit.'))).toHaveLength(1);
  // A required field without an answer declines, and without anybody to ask the server learns that.
  const refuses = { ask: async () => ({ kind: 'refuse', reason: '' }) } as unknown as Questioner;
  expect(readMcpResult(await call('trigger-elicitation-request', {}, { questions: refuses })).text).toContain(
    'declined',
  );
  expect(readMcpResult(await call('trigger-elicitation-request')).text).toContain('cancelled');
});

test('a second question of a program waits until the person has answered the first', async () => {
  const { call } = start({ s: hostile('asksTwice') }, { callMs: 5_000 });
  const person = new Questions<Question, QuestionAnswer>(nodeCrypto, { kind: 'refuse', reason: '' }, () => undefined);
  const done = call('act', {}, { questions: person });
  for (const nth of ['first', 'second']) {
    await expect.poll(() => person.pending && JSON.stringify(person.pending.text)).toContain(`The ${nth}`);
    person.answer(person.pending?.id ?? '', { kind: 'answer', text: `${nth} answer` });
  }
  expect(readMcpResult(await done).text).toBe(
    ['first', 'second'].map((nth) => `${nth}: {"action":"accept","content":{"answer":"${nth} answer"}}`).join('\n'),
  );
});

test('two programs that ask at the same time are answered one after the other', async () => {
  const { call } = start({ one: hostile('asksTwice'), two: hostile('asksTwice') }, { callMs: 5_000 });
  const person = new Questions<Question, QuestionAnswer>(nodeCrypto, { kind: 'refuse', reason: '' }, () => undefined);
  const calls = ['mcp__one__act', 'mcp__two__act'].map((name) => call(name, {}, { questions: person }));
  const asked = new Set<string>();
  for (let nth = 1; nth <= 4; nth++) {
    await expect.poll(() => person.pending && asked.has(person.pending.id)).toBe(false);
    asked.add(person.pending?.id ?? '');
    person.answer(person.pending?.id ?? '', { kind: 'answer', text: `answer ${nth}` });
  }
  const results = (await Promise.all(calls)).map((result) => readMcpResult(result).text);
  for (const text of results) expect(text.match(/"action":"accept"/g)).toHaveLength(2);
});

test('a program that asks the model is refused in words', async () => {
  const { servers, call } = start({ s: hostile('samples') });
  expect(readMcpResult(await call('act')).text).toMatch(/User rejected sampling request/);
  const [listed] = servers.listed;
  const log = listed?.standing.kind === 'ready' ? listed.standing.run.log : [];
  expect(log.some((line) => line.includes('model'))).toBe(true);
});

test('a program is told the folder that is open, and works in it', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-')));
  writeFileSync(join(folder, 'milk.txt'), 'remember the milk');
  const { call } = start({ files: { command: node, args: [FILESYSTEM, '.'] } }, { folder });
  expect(readMcpResult(await call('list_allowed_directories')).text).toContain(folder);
  expect(readMcpResult(await call('read_text_file', { path: join(folder, 'milk.txt') })).text).toContain('the milk');
  expect(readMcpResult(await call('read_text_file', { path: '/etc/passwd' }))).toMatchObject({ isError: true });
});

describe('over streamable HTTP', () => {
  let server: ChildProcess;
  let port = 0;
  beforeAll(async () => {
    port = await freePort();
    server = spawn(node, [EVERYTHING, 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await new Promise<void>((resolve, reject) => {
      server.stderr?.on('data', (text) => String(text).includes('listening') && resolve());
      server.once('exit', () => reject(new Error('the server did not start')));
    });
  });
  afterAll(() => void server.kill());

  test('tools, calls and progress', async () => {
    const { offer, call } = start({ remote: { url: `http://127.0.0.1:${port}/mcp` } });
    expect((await offer()).map(({ name }) => name)).toContain('mcp__remote__echo');
    expect(readMcpResult(await call('echo', { message: 'hi' })).text).toBe('Echo: hi');
    expect(readMcpResult(await call('get-roots-list')).text).toContain(pathToFileURL(process.cwd()).href);
    await stopAtProgress(call);
  });

  test('an address that is not there is named, and tried again', async () => {
    const { servers } = start({ gone: { url: `http://127.0.0.1:${await freePort()}/mcp` } });
    const { tools, notices } = await servers.prepare(new AbortController().signal);
    expect(tools).toEqual([]);
    expect(JSON.stringify(notices)).toMatch(/gone.*cannot be reached.*ECONNREFUSED.*It is started again/s);
  });

  test.each(['http://example.com/mcp', 'ftp://127.0.0.1/x', 'https://user:pass@example.com/', 'nowhere'])(
    'nothing is sent to %s',
    async (url) => {
      const { servers } = start(
        { bad: { url, headers: { Authorization: 'Bearer ${secret:KEY}' } } },
        { secrets: { KEY: 'k' } },
      );
      const { notices } = await servers.prepare(new AbortController().signal);
      expect(JSON.stringify(notices)).toMatch(/Its address/);
      expect(JSON.stringify(notices)).not.toContain('user:pass');
    },
  );
});

/** The first step of a call that would take an hour is told, and it ends when it is stopped there. */
async function stopAtProgress(call: StartedServers['call']): Promise<void> {
  const stop = new AbortController();
  const told: string[] = [];
  const onProgress = (text: string) => {
    told.push(text);
    stop.abort();
  };
  const running = call(
    'trigger-long-running-operation',
    { duration: 3_600, steps: 36_000 },
    { signal: stop.signal, onProgress },
  );
  await expect(running).rejects.toThrow(/abort/i);
  expect(told[0]).toBe('1/36000');
}
