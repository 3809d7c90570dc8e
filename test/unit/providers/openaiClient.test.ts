/** Properties of the client over any body a server may send, without a network. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ModelError } from '../../../src/core/errors.ts';
import type { ModelEvent, ModelRequest } from '../../../src/core/model/modelClient.ts';
import { inEnglish } from '../../../src/core/words.ts';
import { createEndpointClient } from '../../../src/providers/endpointClient.ts';
import { ToolCallAssembler } from '../../../src/providers/toolCallAssembler.ts';
import { choiceChunk, sse } from '../../support/modelServer/modelServerReply.ts';
import { HandTimers } from '../../support/ports/handTimers.ts';

const REQUEST: ModelRequest = { model: 'm', messages: [{ role: 'user', text: 'Hi' }], tools: [] };

/** Sends `pieces` as the body, one read each. */
async function ask(pieces: readonly Uint8Array[], status = 200): Promise<readonly ModelEvent[] | ModelError> {
  const body = () =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece);
        controller.close();
      },
    });
  const client = createEndpointClient({
    baseUrl: 'https://host.example/v1',
    key: async () => 'the-key',
    fetch: async () => new Response(body(), { status }),
    timers: new HandTimers(),
    mintId: () => 'minted',
  });
  const events: ModelEvent[] = [];
  try {
    for await (const event of client.stream(REQUEST, new AbortController().signal)) events.push(event);
    return events;
  } catch (thrown) {
    if (thrown instanceof ModelError) return thrown;
    throw thrown;
  }
}

function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...cuts].map((from, at) => bytes.subarray(from, cuts[at] ?? bytes.length));
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

describe('any body', () => {
  const call = { index: 0, id: 'call_a', function: { name: 'read_file', arguments: '{"path":"naïve 漢字.md"}' } };
  const whole = bytesOf(
    sse(
      choiceChunk({ content: 'Grüße 🙂' }),
      choiceChunk({ tool_calls: [call] }),
      choiceChunk({}, 'tool_calls'),
      '[DONE]',
    ),
  );

  test('however a stream is cut into reads, the answer is the same', async () => {
    const expected = await ask([whole]);
    expect(expected).toMatchObject([
      { delta: 'Grüße 🙂' },
      { type: 'toolCall' },
      { type: 'done', finish: 'toolCalls' },
    ]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 12 }), async (places) => {
        expect(await ask(cutAt(whole, places))).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  test('a stream that ends before its finish reason never hands a call on', async () => {
    const finishAt = new TextDecoder().decode(whole).indexOf('"finish_reason":"tool_calls"');
    const end = bytesOf(new TextDecoder().decode(whole).slice(0, finishAt)).length;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: end }), async (length) => {
        expect(await ask([whole.subarray(0, length)])).toMatchObject({ kind: 'interrupted' });
      }),
      { numRuns: 60 },
    );
  });

  test('garbage ends in a ModelError, whatever the status', async () => {
    const garbage = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map(bytesOf),
      fc.json().map((json) => bytesOf(`data: ${json}\n\n`)),
      fc.json().map((json) => bytesOf(sse({ choices: [{ delta: JSON.parse(json) }] }))),
      fc.string().map((text) => bytesOf(`event: error\ndata: ${text}\n\n`)),
    );
    const status = fc.constantFrom(200, 200, 200, 400, 401, 404, 413, 429, 500);
    await fc.assert(
      fc.asyncProperty(garbage, status, async (bytes, given) => {
        expect(await ask([bytes], given)).toBeInstanceOf(ModelError);
      }),
      { numRuns: 200 },
    );
  });

  test('the key never shows, even when the server repeats it', async () => {
    const text = fc.string().map((around) => `${around} the-key ${around}`);
    await fc.assert(
      fc.asyncProperty(text, fc.constantFrom(200, 400, 401, 500), async (said, status) => {
        for (const body of [said, JSON.stringify({ error: { message: said } }), `event: error\ndata: ${said}\n\n`]) {
          const error = await ask([bytesOf(body)], status);
          expect(String(error)).not.toContain('the-key');
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('large answers', () => {
  const call = (index: number, name: string | undefined, text: string) => ({
    index,
    ...(name ? { id: `call_${index}` } : {}),
    function: { ...(name ? { name } : {}), arguments: text },
  });
  const stream = (chunks: readonly object[]) => bytesOf(sse(...chunks, choiceChunk({}, 'tool_calls'), '[DONE]'));
  const doneOf = (events: readonly ModelEvent[] | ModelError) =>
    events instanceof ModelError ? events : events.at(-1);

  // Joined and parsed again with each piece, these would take minutes.
  test('arguments in many small pieces are joined once', () => {
    const text = JSON.stringify({ text: '}{'.repeat(700_000), more: {} });
    const calls = new ToolCallAssembler([], () => 'minted');
    calls.add(call(0, 'write_file', ''));
    for (let at = 0; at < text.length; at += 4) calls.add(call(0, undefined, text.slice(at, at + 4)));
    expect(calls.finish()).toEqual([{ id: 'call_0', name: 'write_file', arguments: text }]);
  });

  test('of thousands of calls in one answer the first are run, and the rest is told', async () => {
    const indexes = Array.from({ length: 20_000 }, (_, index) => index);
    const chunks = [
      choiceChunk({ tool_calls: indexes.map((index) => call(index, 'read_file', '')) }),
      choiceChunk({ tool_calls: indexes.map((index) => call(index, undefined, `{"path":"${index}"}`)) }),
    ];
    const done = doneOf(await ask([stream(chunks)]));
    expect(done).toMatchObject({ type: 'done', finish: 'toolCalls' });
    if (!done || done instanceof ModelError || done.type !== 'done') throw new Error('no answer');
    expect(done.toolCalls.map((each) => each.arguments)).toEqual(
      indexes.slice(0, 128).map((index) => `{"path":"${index}"}`),
    );
    expect(inEnglish(done.notice ?? [])).toContain('had 20,000 tool calls. Only the first 128');
  });

  test('calls without an index that come too late do not flow into the last one allowed', async () => {
    const chunks = Array.from({ length: 200 }, (_, index) => [
      choiceChunk({ tool_calls: [{ id: `call_${index}`, function: { name: 'read_file', arguments: '{"path":' } }] }),
      choiceChunk({ tool_calls: [{ function: { arguments: `"${index}"}` } }] }),
    ]).flat();
    const done = doneOf(await ask([stream(chunks)]));
    expect(done).toMatchObject({ type: 'done', toolCalls: { length: 128, 127: { arguments: '{"path":"127"}' } } });
  });

  test('an answer without end is ended, and what came is kept and told', async () => {
    const piece = sse(choiceChunk({ content: 'x'.repeat(100_000) }));
    const answer = ask(Array.from({ length: 21 }, () => bytesOf(piece)));
    expect(await answer).toMatchObject({ kind: 'interrupted', facts: { retryable: false } });
    expect((await answer) as ModelError).toHaveProperty('message', expect.stringContaining('more than 2,000,000'));
  });

  test('one event without end is not read further', async () => {
    const pieces = Array.from({ length: 300 }, () => bytesOf(`${'x'.repeat(65_535)}\n`));
    const answer = await ask([bytesOf('data: "'), ...pieces]);
    expect(answer).toMatchObject({ kind: 'interrupted', message: expect.stringContaining('more than 4 MB in one') });
  });
});
