/** Streams that fail, fall silent or are stopped. */

import { afterEach, describe, expect, test } from 'vitest';
import { choiceChunk, type Reply, sse } from '../../../support/modelServer/modelServerReply.ts';
import { HandTimers } from '../../../support/ports/handTimers.ts';
import {
  answered,
  ask,
  calls,
  closeServers,
  DONE,
  END,
  failed,
  raw,
  refuse,
  says,
  serve,
  serveWith,
  text,
} from './askServer.ts';

afterEach(closeServers);

describe('streams that fail', () => {
  test('cut before anything was shown: retried by itself', async () => {
    const server = await serve({ kind: 'raw', pieces: [], end: 'cut' }, raw(sse(text('Hi'), END)));
    expect(await ask(server)).toEqual({ ...answered('Hi'), retries: 1 });
    server.assertDone();
  });

  test('cut in the middle of the text: interrupted, not retried', async () => {
    const server = await serve({ kind: 'raw', pieces: [sse(text('Half'))], end: 'cut' });
    expect(await ask(server)).toEqual(
      failed('interrupted', /^The answer from test-model was cut off/, { shown: 'Half', retryable: true }),
    );
    server.assertDone();
  });

  test('closed without a finish reason: interrupted, not retried', async () => {
    const server = await serve(raw(sse(text('Half'))));
    expect(await ask(server)).toEqual(
      failed('interrupted', /closed the connection before the end/, { shown: 'Half', retryable: true }),
    );
  });

  test('[DONE] without a finish reason inside a call: interrupted', async () => {
    const half = calls({ index: 0, id: 'call_a', function: { name: 'read_file', arguments: '{"path":"a' } });
    const server = await serve(raw(sse(text('Half'), half, DONE)));
    expect(await ask(server)).toEqual(failed('interrupted', /was cut off/, { shown: 'Half', retryable: true }));
  });

  test('a call cut in the middle is never handed on', async () => {
    const half = calls({ index: 0, id: 'call_a', function: { name: 'read_file', arguments: '{"path":"a"}' } });
    const server = await serve(raw(sse(half)));
    expect(await ask(server)).toEqual(failed('interrupted', /was cut off/, { retryable: true }));
    server.assertDone();
  });

  test('200 and nothing: retried until the attempts are used up', async () => {
    const server = await serve(raw(), raw(), raw());
    expect(await ask(server)).toEqual(
      failed('interrupted', /answered with status 200 but sent nothing/, { retryable: true, retries: 2 }),
    );
    server.assertDone();
  });

  test('200 with HTML: no endpoint, no retry', async () => {
    const page = '<!DOCTYPE html><html><head><title>Sign in</title></head><body>Welcome</body></html>';
    const server = await serve({ kind: 'raw', headers: { 'content-type': 'text/html' }, pieces: [page] });
    expect(await ask(server)).toEqual(failed('notFound', /a web page, not .*“Sign in Welcome”$/));
  });

  test('200 with a JSON error', async () => {
    const body = JSON.stringify(says('Incorrect API key provided', { code: 'invalid_api_key' }));
    const server = await serve({ kind: 'raw', headers: { 'content-type': 'application/json' }, pieces: [body] });
    expect(await ask(server)).toEqual(failed('auth', /API key is missing, wrong/));
  });

  test('LM Studio: 200 with an overflow as a string', async () => {
    const body = JSON.stringify({ error: 'tokens to keep from the initial prompt is greater than the context length' });
    const server = await serve(raw(body));
    expect(await ask(server)).toEqual(failed('overflow', /longer than the context window/));
  });

  test('an error object inside the stream', async () => {
    const server = await serve(raw(sse(says('The model crashed', { type: 'server_error' }))));
    server.push(raw(sse(text('Hi'), END)));
    expect(await ask(server)).toEqual({ ...answered('Hi'), retries: 1 });
  });

  test('OpenRouter: an SSE error event with an overflow after 200', async () => {
    const error = says("This endpoint's maximum context length is 131072 tokens.", { code: 400 });
    const server = await serve(raw(`: OPENROUTER PROCESSING\n\nevent: error\n${sse(error)}`));
    expect(await ask(server)).toEqual(failed('overflow', /131,072 tokens/));
  });

  test('an SSE error event in plain words', async () => {
    const server = await serve(
      raw('event: error\ndata: Rate limit exceeded, per minute\n\n'),
      raw(sse(text('Hi'), END)),
    );
    expect(await ask(server)).toEqual({ ...answered('Hi'), retries: 1 });
  });

  test('an error after text was shown is not retried', async () => {
    const server = await serve(raw(sse(text('Half'), says('Overloaded', { type: 'overloaded_error' }))));
    expect(await ask(server)).toEqual(
      failed('network', /unavailable or overloaded/, { shown: 'Half', retryable: true }),
    );
    server.assertDone();
  });

  test('finish reason `error`: shown, no blind retry', async () => {
    const server = await serve(raw(sse(text('Half'), choiceChunk({}, 'error'))));
    expect(await ask(server)).toEqual(failed('interrupted', /with the reason “error”/, { shown: 'Half' }));
    server.assertDone();
  });

  test('broken JSON in an event', async () => {
    const server = await serve(raw(`${sse(text('Half'))}data: {"choices": [\n\n`));
    expect(await ask(server)).toEqual(
      failed('interrupted', /broke off the answer/, { shown: 'Half', retryable: true }),
    );
  });
});

describe('silence', () => {
  /** The server holds still, and each request's time to the first byte passes once the server has it. */
  test.each<readonly [string, Reply]>([
    ['no headers', { kind: 'silence' }],
    ['headers, then nothing', { kind: 'raw', pieces: [], end: 'hold' }],
  ])('no first byte: %s', async (_name, reply) => {
    const timers = new HandTimers();
    const server = await serveWith({
      script: () => {
        setImmediate(() => timers.elapse());
        return reply;
      },
    });
    const outcome = await ask(server, { timers, onRetry: () => setImmediate(() => timers.elapse()) });
    expect(outcome).toEqual(failed('network', /sent nothing for 120 s/, { retryable: true, retries: 2 }));
    expect(server.requests.length).toBe(3);
  });

  test('silence in the middle: interrupted, not retried', async () => {
    const timers = new HandTimers();
    const server = await serve({ kind: 'raw', pieces: [sse(text('Half'))], end: 'hold' });
    const outcome = await ask(server, { timers, onText: () => timers.elapse() });
    expect(outcome).toEqual(failed('interrupted', /sent nothing for 90 s/, { shown: 'Half', retryable: true }));
    expect(server.requests.length).toBe(1);
  });

  test('an answer that ended leaves no timer behind', async () => {
    const timers = new HandTimers();
    const server = await serve(raw(sse(text('Hi'), END)));
    expect(await ask(server, { timers })).toEqual(answered('Hi'));
    expect(timers.pending).toEqual([]);
  });
});

describe('stop', () => {
  test('in the middle of the text', async () => {
    const stop = new AbortController();
    const server = await serve({ kind: 'raw', pieces: [sse(text('Half'))], end: 'hold' });
    const outcome = await ask(server, { signal: stop.signal, onText: () => stop.abort() });
    expect(outcome).toEqual(failed('aborted', /^Stopped/, { shown: 'Half' }));
  });

  test('before the first byte', async () => {
    const stop = new AbortController();
    const server = await serveWith({
      script: () => {
        stop.abort();
        return { kind: 'silence' };
      },
    });
    expect(await ask(server, { signal: stop.signal })).toEqual(failed('aborted', /^Stopped/));
  });

  test('before the request: nothing is sent', async () => {
    const server = await serve();
    expect(await ask(server, { signal: AbortSignal.abort() })).toEqual(failed('aborted', /^Stopped/));
    expect(server.requests).toEqual([]);
  });

  test('while a retry is waited for', async () => {
    const stop = new AbortController();
    const server = await serve(refuse(429, says('slow down'), { 'retry-after': '60' }));
    const outcome = await ask(server, { signal: stop.signal, onRetry: () => setImmediate(() => stop.abort()) });
    expect(outcome).toEqual(failed('aborted', /^Stopped while waiting/, { retries: 1 }));
    server.assertDone();
  });
});
