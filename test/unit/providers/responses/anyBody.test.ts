/** Properties of the responses form over any body a server may send, without a network. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ModelError } from '../../../../src/core/errors.ts';
import type { ModelEvent } from '../../../../src/core/model/modelClient.ts';
import { createEndpointClient } from '../../../../src/providers/endpointClient.ts';
import { namedSse, responseEvents } from '../../../support/modelServer/responsesReply.ts';
import { HandTimers } from '../../../support/ports/handTimers.ts';

async function ask(pieces: readonly Uint8Array[]): Promise<readonly ModelEvent[] | ModelError> {
  const body = () =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece);
        controller.close();
      },
    });
  const client = createEndpointClient({
    baseUrl: 'https://host.example/v1',
    dialect: 'responses',
    key: async () => 'the-key',
    fetch: async () => new Response(body(), { status: 200 }),
    timers: new HandTimers(),
    mintId: () => 'minted',
  });
  const events: ModelEvent[] = [];
  try {
    const request = { model: 'm', messages: [{ role: 'user', text: 'Hi' }], tools: [] } as const;
    for await (const event of client.stream(request, new AbortController().signal)) events.push(event);
    return events;
  } catch (thrown) {
    if (thrown instanceof ModelError) return thrown;
    throw thrown;
  }
}

const EVENTS = responseEvents(
  {
    kind: 'answer',
    reasoning: { field: 'summary', text: 'Ich grüße 🙂' },
    encrypted: 'gAAAAA',
    text: 'Grüße 漢字 🙂',
    calls: [{ name: 'read_file', arguments: { path: 'naïve.md' } }],
  },
  { model: 'm', number: 1, inputTokens: 9, wantsUsage: true },
);
const bytesOf = (text: string) => new TextEncoder().encode(text);
const whole = bytesOf(EVENTS.map(namedSse).join(''));

test('however a stream is cut into reads, the answer is the same', async () => {
  const expected = await ask([whole]);
  expect((expected as readonly ModelEvent[]).at(-1)).toMatchObject({
    type: 'done',
    text: 'Grüße 漢字 🙂',
    finish: 'toolCalls',
    reasoning: {
      text: 'Ich grüße 🙂',
      items: [{ encrypted_content: 'gAAAAA' }, { length: 11 }, { call_id: 'call_1_0' }],
    },
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(), { maxLength: 12 }), async (places) => {
      const cuts = [...new Set(places.map((place) => place % (whole.length + 1)))].sort((a, b) => a - b);
      expect(await ask([0, ...cuts].map((from, at) => whole.subarray(from, cuts[at] ?? whole.length)))).toEqual(
        expected,
      );
    }),
    { numRuns: 60 },
  );
});

test('a stream that ends before it says how never hands a call on', async () => {
  const end = bytesOf(EVENTS.slice(0, -1).map(namedSse).join('')).length;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: end }), async (length) => {
      expect(await ask([whole.subarray(0, length)])).toMatchObject({ kind: 'interrupted' });
    }),
    { numRuns: 60 },
  );
});

test('events of any shape end in an answer or a ModelError', async () => {
  const types = [...new Set(EVENTS.map(({ type }) => type)), 'error', 'response.failed', 'response.incomplete'];
  const item = fc.record(
    { type: fc.constantFrom('message', 'reasoning', 'function_call', 'x', null) },
    { noNullPrototype: true },
  );
  const event = fc.record(
    {
      type: fc.constantFrom(...types),
      item: fc.oneof(item, fc.jsonValue()),
      delta: fc.oneof(fc.string(), fc.jsonValue()),
      output_index: fc.oneof(fc.nat(3), fc.jsonValue()),
      item_id: fc.oneof(fc.constantFrom('a', 'b'), fc.jsonValue()),
      response: fc.oneof(
        fc.record({ output: fc.oneof(fc.array(item), fc.jsonValue()), usage: fc.jsonValue() }),
        fc.jsonValue(),
      ),
    },
    { requiredKeys: ['type'] },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 8 }), async (events) => {
      const outcome = await ask([bytesOf(events.map(namedSse).join(''))]);
      if (!(outcome instanceof ModelError)) expect(outcome.at(-1)?.type).toBe('done');
    }),
    { numRuns: 300 },
  );
});

test('more items than any answer has are cut off, and cost time in proportion', { tags: ['long'] }, async () => {
  const many = Array.from({ length: 150_000 }, (_, i) =>
    namedSse({ type: 'response.output_item.added', item: { id: `i${i}`, type: 'x' } }),
  );
  expect(await ask([bytesOf(many.join(''))])).toMatchObject({
    kind: 'interrupted',
    message: expect.stringContaining('2,000,000'),
  });
});
