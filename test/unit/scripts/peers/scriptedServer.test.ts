/** The scripted model over loopback: what it counts, what its cache holds, and how it leads an agent through the session. */

import { afterEach, expect, test } from 'vitest';
import type { ScriptedServer, ServerOptions } from '../../../../scripts/peers/scriptedServer.ts';
import { startScriptedServer } from '../../../../scripts/peers/scriptedServer.ts';
import { writeSession } from '../../../../scripts/peers/session.ts';
import { openTokenizer } from '../../../../scripts/peers/tokenizer.ts';

const session = writeSession(1);
const tokens = openTokenizer();
const TOOLS = ['read', 'edit', 'bash'].map((name) => ({
  type: 'function',
  function: {
    name,
    parameters: {
      type: 'object',
      properties: { path: {}, oldText: {}, newText: {}, command: { type: 'string' } },
    },
  },
}));
const RESPONSES_TOOLS = [
  { type: 'function', name: 'exec_command', parameters: { type: 'object', properties: { cmd: { type: 'string' } } } },
  { type: 'custom', name: 'apply_patch' },
];

type Item = Readonly<Record<string, unknown>>;
// biome-ignore lint/suspicious/noExplicitAny: an answer as its reader takes it, whose shape the test checks
type Answer = any;
let server: ScriptedServer | undefined;
afterEach(() => server?.stop());

async function start(options: Partial<ServerOptions> = {}): Promise<ScriptedServer> {
  const isDone = () => true;
  server = await startScriptedServer({
    ...{ session, summaries: 'full', folder: '/w', tokens, window: 64_000, isDone },
    ...options,
  });
  return server;
}

async function post(path: string, body: Item): Promise<{ status: number; text: string; json: () => Answer }> {
  const response = await fetch(`${server?.url}/${path}`, { method: 'POST', body: JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, text, json: () => JSON.parse(text) };
}
const chat = (messages: readonly Item[], more: Item = { tools: TOOLS }) =>
  post('chat/completions', { messages, ...more });
const user = (content: string) => ({ role: 'user', content });
const firstPrompt = session.parts[0]?.prompt ?? '';

/** Goes on as an agent does whose tools return `result`. */
async function step(messages: Item[], result = 'done'): Promise<Answer> {
  const { json } = await chat(messages);
  const { message } = json().choices[0];
  messages.push(message);
  for (const call of message.tool_calls ?? []) messages.push({ role: 'tool', tool_call_id: call.id, content: result });
  return message;
}

test('a request is counted as the JSON of its tools and messages, and its cache has what begins alike', async () => {
  const { records } = await start();
  const messages: Item[] = [user(firstPrompt)];
  const size = () => [TOOLS, ...messages].reduce((sum, piece) => sum + tokens(JSON.stringify(piece)), 0);
  const first = size();
  await step(messages);
  const second = size();
  await step(messages);
  // Another message in the place of the first one: only the tools, and the start of this message, are in the cache.
  const other = `${firstPrompt.slice(0, 100)}!`;
  messages[0] = user(other);
  const third = size();
  await step(messages);
  expect(records.map((record) => record.tokens)).toEqual([first, second, third]);
  const own = JSON.stringify(messages[0]);
  const begun = own.slice(0, own.indexOf('!')).length;
  const shared = tokens(JSON.stringify(TOOLS)) + Math.floor((tokens(own) * begun) / own.length);
  expect(records.map(({ cached }) => cached)).toEqual([0, first, shared]);
  expect(records.map(({ gone }) => gone)).toEqual([0, 0, tokens(JSON.stringify(user(firstPrompt)))]);
});

test('the cache has the start of any earlier request, not only of the newest one', async () => {
  const { records } = await start();
  const messages: Item[] = [user(firstPrompt)];
  await step(messages);
  await chat([user('Write a title for this conversation.')], {});
  await step(messages);
  expect(records.map(({ kind }) => kind)).toEqual(['step', 'other', 'step']);
  expect(records[2]?.cached).toBe(records[0]?.tokens);
});

test('a request over the window is refused, costs nothing, and its step is still to come', async () => {
  const { records } = await start({ window: 3_000 });
  const refused = await chat([user(firstPrompt), user('x '.repeat(4_000))]);
  expect(refused.status).toBe(400);
  expect(refused.json().error.code).toBe('context_length_exceeded');
  expect(refused.json().error.message).toContain('maximum context length is 3000 tokens');
  expect((await step([user(firstPrompt)])).content).toBe('Step 1.');
  expect(records.map(({ kind, cached }) => [kind, cached])).toEqual([
    ['refused', 0],
    ['step', 0],
  ]);
});

test('the session goes on step by step, to the end of the part whose prompt was seen', async () => {
  const running = await start();
  const messages: Item[] = [user(firstPrompt)];
  const said = [];
  for (let count = 0; count < 22; count++) said.push((await step(messages)).content);
  expect(said).toEqual([...Array.from({ length: 21 }, (_, at) => `Step ${at + 1}.`), 'Part 1 is done.']);
  expect(running.steps).toBe(21);
  const calls = messages
    .flatMap(({ tool_calls }) => (tool_calls as Answer[] | undefined) ?? [])
    .map((call) => call.function);
  expect(calls.map(({ name }) => name)).toEqual(
    session.parts[0]?.steps.map(({ kind }) => ({ read: 'read', edit: 'edit', run: 'bash' })[kind]),
  );
  const edit = session.parts[0]?.steps.find((each) => each.kind === 'edit');
  expect(JSON.parse(calls.find(({ name }) => name === 'edit').arguments)).toEqual({
    path: `/w/${edit?.path}`,
    oldText: edit?.before,
    newText: edit?.after,
  });
  messages.push(user(session.parts[1]?.prompt ?? ''));
  expect((await step(messages)).content).toBe('Step 22.');
});

test('an edit that did not arrive is tried again after another look at the file, three times at most', async () => {
  const edits = session.parts.flatMap(({ steps }) => steps.filter((each) => each.kind === 'edit'));
  let tries = 0;
  // The first edit arrives at the second try, the second one never.
  const running = await start({ isDone: ({ path }) => path === edits[0]?.path && ++tries > 1 });
  const messages: Item[] = [user(firstPrompt)];
  while (running.steps < 21) await step(messages);
  const calls = messages.flatMap(({ tool_calls }) => (tool_calls as Answer[] | undefined) ?? []);
  const on = (path = '') =>
    calls.filter((call) => JSON.parse(call.function.arguments).path === `/w/${path}`).map((call) => call.function.name);
  expect(on(edits[0]?.path)).toEqual(['read', 'edit', 'read', 'edit']);
  expect(on(edits[1]?.path)).toEqual(['read', 'edit', 'read', 'edit', 'read', 'edit']);
});

test('what only changed did not go, and what went is counted where a new result hides that', async () => {
  const { records } = await start();
  const reminder = (text: string) => user(`${text}: ${'the folder holds many files. '.repeat(100)}`);
  const messages: Item[] = [reminder('Today is Monday'), user(firstPrompt)];
  await step(messages, 'a line of a result. '.repeat(400));
  messages[0] = reminder('Today is Tuesday, as far as anybody in this house can say with certainty');
  await step(messages, 'a line of another result. '.repeat(400));
  const old = messages.splice(3, 1);
  await step(messages);
  expect(records.map(({ gone }) => gone)).toEqual([0, 0, tokens(JSON.stringify(old[0]))]);
  expect(records[2]?.tokens).toBeGreaterThan(records[1]?.tokens ?? 0);
});

test.each(['full', 'half', 'empty'] as const)(
  'a %s summary holds its share of the facts it was shown',
  async (kind) => {
    const { records } = await start({ summaries: kind });
    const shown = session.facts.slice(0, 12);
    const unseen = session.facts.slice(12);
    const asked = [user(shown.map(({ text }) => text).join('\n')), user('Write a summary of all of this.')];
    const { json } = await chat(asked, {});
    const { content } = json().choices[0].message;
    const expected = { full: shown, half: shown.filter((_, at) => at % 2 === 0), empty: [] }[kind];
    expect(session.facts.filter(({ text }) => content.includes(text))).toEqual(expected);
    expect(unseen.some(({ text }) => content.includes(text))).toBe(false);
    expect(tokens(content)).toBeGreaterThan(890);
    expect(records[0]).toMatchObject({ kind: 'summary', gone: 0 });
    expect(records[0]?.facts).toEqual(shown);
  },
);

test('an agent that asks with its tools gets a summary, and one that hands it on gets the next step', async () => {
  const { records } = await start();
  const messages: Item[] = [user(firstPrompt)];
  await step(messages);
  const { json } = await chat([...messages, user('Write a compact handoff inside <summary> tags.')]);
  const summary: string = json().choices[0].message.content;
  expect(summary).toMatch(/^<summary>[\s\S]*<\/summary>$/);
  await step([user(`The conversation was compacted into this summary: ${summary}`)]);
  await step([user(firstPrompt), user(`${summary}\n${firstPrompt}`)]);
  expect(records.map(({ kind }) => kind)).toEqual(['step', 'summary', 'step', 'step']);
});

test('Responses carry the same session, with a free text for a tool that takes one', async () => {
  const { records } = await start();
  const input: Item[] = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: firstPrompt }] }];
  const items = [];
  for (let count = 0; count < 21; count++) {
    const more = { instructions: 'You are an agent.', tools: RESPONSES_TOOLS, stream: true };
    const { text } = await post('responses', { input, ...more });
    const done = [...text.matchAll(/^data: (.*)$/gm)].map(([, line = '']) => JSON.parse(line)).at(-1);
    expect(done.type).toBe('response.completed');
    expect(done.response.usage.input_tokens_details.cached_tokens).toBe(records[count]?.cached);
    const call = done.response.output[1];
    items.push(call);
    input.push(...done.response.output, { type: `${call.type}_output`, call_id: call.call_id, output: 'done' });
  }
  const edit = session.parts[0]?.steps.find((each) => each.kind === 'edit');
  expect(items.find(({ type }) => type === 'custom_tool_call').input).toBe(
    `*** Begin Patch\n*** Update File: ${edit?.path}\n@@\n-${edit?.before}\n+${edit?.after}\n*** End Patch`,
  );
  const read = session.parts[0]?.steps.find((each) => each.kind === 'read');
  expect(items.map((item) => item.arguments)).toContain(JSON.stringify({ cmd: `cat ${read?.path}` }));
  expect(records.every(({ kind }) => kind === 'step')).toBe(true);
});

test('an agent without a tool that runs commands is told apart from one that fails', async () => {
  const running = await start();
  const { status } = await chat([user(firstPrompt)], { tools: [{ type: 'function', function: { name: 'think' } }] });
  expect(status).toBe(500);
  expect(running.fault).toBe('none of its tools runs a command: think');
});
