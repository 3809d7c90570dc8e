/** Whole turns of the agent over the real client, against mock servers of other projects. */

import { type ChatCompletionRequest, LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Agent } from '../../../../src/core/agent/agent.ts';
import type { Message } from '../../../../src/core/context/message.ts';
import { createEndpointClient } from '../../../../src/providers/endpointClient.ts';
import { withRetries } from '../../../../src/providers/retry.ts';
import { testAgent } from '../../../support/testAgent.ts';
import { type OpenaiMockApi, startOpenaiMockApi } from './startOpenaiMockApi.ts';

const QUESTION = 'Compare the two files.';
const ANSWER = 'One says one, the other says two.';
const read = (path: string) => ({ name: 'read_file', arguments: JSON.stringify({ path }) });
const call = (id: string, path: string) => ({ id, type: 'function' as const, function: read(path) });

const aimock = new LLMock({ port: 0, host: '127.0.0.1', chunkSize: 8 });
let other: OpenaiMockApi;
beforeAll(async () => {
  await aimock.start();
  other = await startOpenaiMockApi({
    asked: QUESTION,
    answer: { content: 'Reading both.', tool_calls: [call('call_1', 'one.md'), call('call_2', 'two.md')] },
    last: { content: ANSWER },
  });
});
afterAll(async () => {
  await aimock.stop();
  await other.stop();
});

async function agentAt(baseUrl: string, dialect: 'chat' | 'responses') {
  const made = createEndpointClient({ baseUrl, dialect, key: async () => 'test-key-123' });
  const client = withRetries(made, { policy: { firstWaitMs: 1 } });
  const files = { 'one.md': 'one\n', 'two.md': 'two\n' };
  const { agent } = await testAgent({ client, model: 'gpt-4', window: 100_000 }, { files });
  return agent;
}

const send = (agent: Agent) => agent.send({ role: 'user', kind: 'user', text: QUESTION }, new AbortController().signal);

/** What was said, in order, with the ids of calls and results named alike. */
function story({ journal }: Agent): string[] {
  const names = new Map<string, string>();
  const nameOf = (id: string) => names.get(id) ?? names.set(id, `call ${names.size + 1}`).get(id);
  const tell = (message: Message): string => {
    switch (message.role) {
      case 'user':
        return `user: ${message.text}`;
      case 'assistant': {
        const calls = (message.toolCalls ?? []).map(({ id, name }) => ` + ${nameOf(id)} ${name}`);
        return `assistant: ${message.text}${calls.join('')}${message.interrupted ? ' (interrupted)' : ''}`;
      }
      case 'tool':
        return `${nameOf(message.toolCallId)}: ${/\b(one|two)$/m.exec(message.text)?.[0]}`;
    }
  };
  return journal.path().flatMap((entry) => (entry.type === 'message' ? [tell(entry.message)] : []));
}

const WHOLE = [
  `user: ${QUESTION}`,
  'assistant: Reading both. + call 1 read_file + call 2 read_file',
  'call 1: one',
  'call 2: two',
  `assistant: ${ANSWER}`,
];

test.each(['chat', 'responses'] as const)(
  'aimock, %s: calls, results and an answer, after a passing failure',
  async (dialect) => {
    aimock.reset();
    const error = { message: 'The engine is overloaded. Please try again later.' };
    aimock.on({ sequenceIndex: 0 }, { error, status: 503 });
    aimock.on({ hasToolResult: false }, { content: 'Reading both.', toolCalls: [read('one.md'), read('two.md')] });
    aimock.on({ hasToolResult: true }, { content: ANSWER });
    const agent = await agentAt(`${aimock.url}/v1`, dialect);
    expect(await send(agent)).toMatchObject({ kind: 'done' });
    expect(story(agent)).toEqual(WHOLE);
    // The server was given both results under the ids that it had made, and the system prompt in its own place.
    const sent = aimock.getRequests();
    expect(sent).toHaveLength(3);
    const messages = (sent.at(-1)?.body as ChatCompletionRequest | undefined)?.messages ?? [];
    expect(messages[0]?.role).toBe('system');
    const made = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
    expect(made).toHaveLength(2);
    expect(messages.filter(({ role }) => role === 'tool').map(({ tool_call_id }) => tool_call_id)).toEqual(made);
  },
);

test.each(['chat', 'responses'] as const)(
  'aimock, %s: an answer that is cut is kept as that, and the turn says so',
  async (dialect) => {
    aimock.reset();
    const cut = { latency: 20, truncateAfterChunks: 8 };
    aimock.on({}, { content: 'This answer is cut somewhere near its end, which never comes.' }, cut);
    const agent = await agentAt(`${aimock.url}/v1`, dialect);
    expect(await send(agent)).toMatchObject({ kind: 'failed', error: { kind: 'interrupted' } });
    expect(story(agent).at(-1)).toMatch(/^assistant: This .*\(interrupted\)$/);
    expect(aimock.getRequests()).toHaveLength(1);
  },
);

test('openai-mock-api: calls without an index, results and an answer', async () => {
  const agent = await agentAt(other.baseUrl, 'chat');
  expect(await send(agent)).toMatchObject({ kind: 'done' });
  expect(story(agent)).toEqual(WHOLE);
  // It reports nothing in a stream, and that is not taken for no tokens at all.
  const usages = agent.journal.path().flatMap((entry) => (entry.type === 'usage' ? [entry] : []));
  expect(usages).toHaveLength(2);
  for (const { estimated, usage } of usages) expect(estimated && usage.input > 0).toBe(true);
});
