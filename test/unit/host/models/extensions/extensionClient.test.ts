/** Requests to models of other extensions: what they are sent, what comes of their answers, and how they end. */

import { describe, expect, test } from 'vitest';
import { ModelError } from '../../../../../src/core/errors.ts';
import type { ChatMessage, ModelEvent, ModelRequest } from '../../../../../src/core/model/modelClient.ts';
import { inEnglish } from '../../../../../src/core/words.ts';
import { createExtensionClient } from '../../../../../src/host/models/extensions/extensionClient.ts';
import {
  type FakeModel,
  fakeLanguageModels,
  LanguageModelError,
  of,
  parts,
} from '../../../../support/ports/fakeLanguageModels.ts';

const ASKED: readonly ChatMessage[] = [
  { role: 'system', text: 'Be useful.' },
  { role: 'user', text: 'Hi' },
];
const LOOK = { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } };

function client(model: FakeModel = {}) {
  const lm = fakeLanguageModels(model);
  const found: string[] = [];
  let minted = 0;
  const made = createExtensionClient({
    api: lm.api,
    justification: () => 'You chose it.',
    onFound: ({ vendor, id }) => found.push(`${vendor}/${id}`),
    mintId: () => `minted_${minted++}`,
  });
  const stream = (request: Partial<ModelRequest> = {}, signal = new AbortController().signal) =>
    made.stream({ model: 'acme/m', messages: ASKED, tools: [LOOK], ...request }, signal);
  const ask = async (request?: Partial<ModelRequest>, signal?: AbortSignal) => {
    const events: ModelEvent[] = [];
    for await (const event of stream(request, signal)) events.push(event);
    return events;
  };
  return { ...lm, made, found, stream, ask };
}

test('parts with nothing in them end at last', async () => {
  const answer = async function* () {
    for (;;) yield parts.text('');
  };
  const error = await failure(client({ answer }).ask());
  expect(error.kind).toBe('interrupted');
  expect(error.message).toContain('its extension sent more than 50,000 parts with nothing in them');
});

async function failure(asked: Promise<unknown>): Promise<ModelError> {
  const thrown = await asked.then(
    () => null,
    (error: unknown) => error,
  );
  if (thrown instanceof ModelError) return thrown;
  throw thrown ?? new Error('It did not fail.');
}

describe('a request', () => {
  test('names its reason, its tools and its model, and begins with the instructions as a message of the user', async () => {
    const { ask, sent, selected, found, made } = client({ answer: () => of(parts.text('Hello')) });
    await ask();
    expect(made.endpoint).toBe('vscode.lm:');
    expect(selected).toEqual([{ vendor: 'acme', id: 'm' }]);
    expect(found).toEqual(['acme/m']);
    expect(sent[0]?.options).toEqual({
      justification: 'You chose it.',
      tools: [{ name: 'look', description: 'Looks.', inputSchema: LOOK.parameters }],
    });
    expect(sent[0]?.messages).toEqual([
      {
        role: 1,
        content: [
          parts.text(
            '<instructions>\nThese are your instructions. No person wrote them in this conversation, and they hold for all of it.\n\nBe useful.\n</instructions>',
          ),
        ],
      },
      { role: 1, content: [parts.text('Hi')] },
    ]);
  });

  test('offers no tools to a model that says it takes none', async () => {
    const { ask, sent } = client({
      capabilities: { supportsToolCalling: false },
      answer: () => of(parts.text('Hello')),
    });
    await ask();
    expect(sent[0]?.options).toEqual({ justification: 'You chose it.' });
  });

  test('sends an image to a model that takes images, and says so to any other', async () => {
    const png = { type: 'image', mime: 'image/png', base64: 'iVBORw==' } as const;
    const messages = [{ role: 'user', text: 'See', parts: [png] }] as const;
    const seeing = client({ capabilities: { supportsImageToText: true }, answer: () => of(parts.text('I see')) });
    await seeing.ask({ messages });
    expect(seeing.sent[0]?.messages[0]?.content[1]).toMatchObject({
      mimeType: 'image/png',
      data: Buffer.from('iVBORw==', 'base64'),
    });
    const results = [
      { role: 'assistant', text: '', toolCalls: [{ id: 'a', name: 'read_file', arguments: '{}' }] },
      { role: 'tool', toolCallId: 'a', text: 'chart.png', parts: [png] },
    ] as const;
    await seeing.ask({ messages: results });
    expect(seeing.sent[1]?.messages[1]?.content[0]).toMatchObject({
      content: [parts.text('chart.png'), { mimeType: 'image/png' }],
    });
    const blind = client({ answer: () => of(parts.text('I do not')) });
    await blind.ask({ messages });
    expect(blind.sent[0]?.messages[0]?.content[1]).toEqual(
      parts.text('[An image was left out here, because this model takes none.]'),
    );
  });
});

describe('an answer', () => {
  test('streams text and thinking, and ends without usage', async () => {
    const { ask } = client({
      answer: () =>
        of(parts.thinking(['Let me ', 'see.']), parts.text('Hel'), parts.text('lo'), parts.data('{}', 'x/y')),
    });
    expect(await ask()).toEqual([
      { type: 'reasoning', delta: 'Let me see.', field: 'thinking' },
      { type: 'text', delta: 'Hel' },
      { type: 'text', delta: 'lo' },
      {
        type: 'done',
        text: 'Hello',
        reasoning: { field: 'thinking', text: 'Let me see.' },
        toolCalls: [],
        finish: 'stop',
        usage: null,
      },
    ]);
  });

  test('keeps every call, with ids that are unique in the conversation', async () => {
    const earlier = { id: 'call_1', name: 'look', arguments: '{}' };
    const { ask } = client({
      answer: () =>
        of(
          parts.call('call_1', 'look', { at: 'a' }),
          parts.call('call_2', 'look', {}),
          parts.call('call_2', 'look', { at: 'c' }),
        ),
    });
    const events = await ask({
      messages: [
        ...ASKED,
        { role: 'assistant', text: '', toolCalls: [earlier] },
        { role: 'tool', toolCallId: 'call_1', text: 'x' },
      ],
    });
    expect(events.at(-1)).toMatchObject({
      finish: 'toolCalls',
      toolCalls: [
        { id: 'minted_0', name: 'look', arguments: '{"at":"a"}' },
        { id: 'call_2', name: 'look', arguments: '{}' },
        { id: 'minted_1', name: 'look', arguments: '{"at":"c"}' },
      ],
    });
    expect(events.filter(({ type }) => type === 'toolCall')).toHaveLength(3);
  });

  test('whose tools were forbidden is handed on with its calls: who forbade them looks at it', async () => {
    const { ask, sent } = client({ answer: () => of(parts.text('Let me look.'), parts.call('c', 'look', {})) });
    const done = (await ask({ toolChoice: 'none' })).at(-1);
    expect(done).toMatchObject({ text: 'Let me look.', toolCalls: [{ name: 'look' }], finish: 'toolCalls' });
    expect(sent[0]?.options.tools).toHaveLength(1);
  });

  test('that grew too long for the model keeps its text, and runs none of its calls', async () => {
    const { ask } = client({
      answer: async function* () {
        yield parts.text('Once upon');
        yield parts.call('c', 'look', {});
        throw new Error('Response too long.');
      },
    });
    expect((await ask()).at(-1)).toMatchObject({
      text: 'Once upon',
      toolCalls: [],
      discarded: ['look'],
      finish: 'length',
    });
  });

  test('with an image says that it is not shown', async () => {
    const { ask } = client({ answer: () => of(parts.text('Here:'), parts.data('png', 'image/png')) });
    const done = (await ask()).at(-1);
    expect(done?.type === 'done' && inEnglish(done.notice ?? [])).toBe(
      'Images in the answer, which are not shown here: 1.',
    );
  });

  test('without anything in it is no answer, and may be asked for again', async () => {
    const error = await failure(client().ask());
    expect(error).toMatchObject({ kind: 'interrupted', facts: { retryable: true } });
  });
});

describe('stop', () => {
  test('cancels the request, and ends at once although the extension goes on', async () => {
    const stopped = new AbortController();
    const never = () => new Promise<never>(() => undefined);
    const { stream, sent } = client({
      answer: async function* () {
        yield parts.text('On and on');
        await never();
      },
    });
    const events = stream({}, stopped.signal)[Symbol.asyncIterator]();
    expect((await events.next()).value).toEqual({ type: 'text', delta: 'On and on' });
    const next = events.next();
    stopped.abort();
    expect((await failure(next)).kind).toBe('aborted');
    expect(sent[0]?.token.isCancellationRequested).toBe(true);
  });

  test('ends a request whose consent is still asked for', async () => {
    const stopped = new AbortController();
    const { ask, sent } = client({ send: () => new Promise(() => undefined) });
    const asked = ask({}, stopped.signal);
    await expect.poll(() => sent.length).toBe(1);
    stopped.abort();
    expect((await failure(asked)).kind).toBe('aborted');
  });

  test('before the request asks no extension for anything', async () => {
    const { ask, selected } = client({ answer: () => of(parts.text('Hello')) });
    expect((await failure(ask({}, AbortSignal.abort()))).kind).toBe('aborted');
    expect(selected).toEqual([]);
  });

  test('reaches the extension when nobody listens to the answer any more', async () => {
    const { stream, sent } = client({ answer: () => of(parts.text('One'), parts.text('Two')) });
    for await (const _ of stream()) break;
    expect(sent[0]?.token.isCancellationRequested).toBe(true);
  });

  test('an extension that cancels by itself broke the answer off', async () => {
    const canceled = Object.assign(new Error('Canceled'), { name: 'Canceled' });
    const error = await failure(client({ send: () => Promise.reject(canceled) }).ask());
    expect(error).toMatchObject({ kind: 'interrupted', facts: { retryable: false } });
  });
});

describe('counting', () => {
  /** Ends when it is told to, so that counting has its time. */
  function slow(text: string) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const answer = async function* () {
      yield parts.text(text);
      await promise;
    };
    return { answer, end: resolve };
  }

  test('the request is counted by the model, each message once, and told with the answer', async () => {
    const counted: string[] = [];
    const first = slow('Hello');
    const { ask } = client({
      answer: first.answer,
      countTokens: async (text) => {
        counted.push(text);
        return 10;
      },
    });
    const asked = ask();
    // The tools, the instructions and the message.
    await expect.poll(() => counted.length).toBe(3);
    await new Promise((resolve) => setTimeout(resolve, 0));
    first.end();
    expect((await asked).at(-1)).toMatchObject({ usage: null, counted: 30 });
    const more = await ask({
      messages: [...ASKED, { role: 'assistant', text: 'Hello' }, { role: 'user', text: 'More' }],
    });
    expect(counted).toHaveLength(5);
    expect(more.at(-1)).toMatchObject({ type: 'done' });
  });

  test('a count that is not ready holds nothing up and is not used', async () => {
    const { ask } = client({ answer: () => of(parts.text('Hello')), countTokens: () => new Promise(() => undefined) });
    const done = (await ask()).at(-1);
    expect(done).toMatchObject({ type: 'done', usage: null });
    expect(done).not.toHaveProperty('counted');
  });

  test('a tokenizer that fails changes nothing', async () => {
    const { ask } = client({
      answer: () => of(parts.text('Hello')),
      countTokens: () => Promise.reject(new Error('no')),
    });
    expect((await ask()).at(-1)).not.toHaveProperty('counted');
  });
});

test('a model that no extension offers any more is told as that, and not asked for again by itself', async () => {
  const { ask } = client();
  const error = await failure(ask({ model: 'acme/gone' }));
  expect(error).toMatchObject({ kind: 'notFound', facts: { retryable: false, byExtension: true } });
  expect(error.message).toContain('No extension offers acme/gone now.');
});

test('an error in the middle of the stream is told with what the extension said', async () => {
  const { ask } = client({
    answer: async function* () {
      yield parts.text('Half');
      throw new LanguageModelError('You are blocked for now: too many requests.', 'Blocked');
    },
  });
  const error = await failure(ask());
  expect(error.kind).toBe('rateLimit');
  expect(error.message).toContain('It said: “You are blocked for now: too many requests.”');
});
