/** Silence is measured in bytes: what counts, and what it leaves behind. */

import { expect, test } from 'vitest';
import { watchFetch } from '../../../src/providers/endpointFetch.ts';
import { HandTimers } from '../../support/ports/handTimers.ts';

function watched(timers: HandTimers, body: ReadableStream<Uint8Array>) {
  const access = {
    baseUrl: 'https://host.example/v1',
    key: async () => 'k',
    fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    timers,
    limits: { firstByteMs: 1_000, betweenBytesMs: 100 },
    now: () => 0,
  };
  return watchFetch(access, 'm');
}

test('every piece restarts the clock, a comment too; the end of the answer stops it', async () => {
  const timers = new HandTimers();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given;
    },
  });
  const call = await watched(timers, body);
  const response = await call.fetch('https://host.example/v1/chat/completions');
  const reader = response.body?.getReader();
  expect(timers.pending).toEqual([1_000]);
  for (const piece of [': ping\n\n', ': ping\n\n', 'data: {}\n\n']) {
    controller?.enqueue(new TextEncoder().encode(piece));
    await reader?.read();
    expect(timers.pending).toEqual([100]);
  }
  expect(timers.set).toEqual([1_000, 100, 100, 100]);
  call.end();
  expect(timers.pending).toEqual([]);
  expect(call.fault()).toBeNull();
  expect(call.hasBegun()).toBe(true);
});

test('silence aborts the request and says how long it lasted', async () => {
  const timers = new HandTimers();
  const call = await watched(timers, new ReadableStream());
  await call.fetch('https://host.example/v1/chat/completions?key=secret');
  timers.elapse();
  expect(call.signal.aborted).toBe(true);
  expect(call.fault()).toMatchObject({
    kind: 'network',
    message: expect.stringMatching(/^https:\/\/host\.example\/v1\/chat\/completions sent nothing for 1 s/),
  });
});
