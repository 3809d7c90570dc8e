import { describe, expect, test } from 'vitest';
import { ModelError, type ModelErrorFacts, type ModelErrorKind } from '../../../src/core/errors.ts';
import type { ModelClient, ModelEvent, ModelRequest } from '../../../src/core/model/modelClient.ts';
import { verbatim } from '../../../src/core/words.ts';
import { DEFAULT_RETRY_POLICY, decideRetry, type RetryNotice, withRetries } from '../../../src/providers/retry.ts';
import { HandTimers } from '../../support/ports/handTimers.ts';

const failure = (kind: ModelErrorKind, facts: ModelErrorFacts = {}) => new ModelError(kind, `${kind}!`, facts);
const busy = (retryAfterMs?: number) =>
  failure('rateLimit', { status: 429, retryable: true, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });

describe('decideRetry', () => {
  const decide = (error: ModelError, more: { attempt?: number; shown?: boolean; chance?: number } = {}) =>
    decideRetry({ error, attempt: 1, shown: false, chance: 1, ...more }, DEFAULT_RETRY_POLICY);

  test.each([
    ['first retry', 1, 1, 1_000],
    ['doubled', 2, 1, 2_000],
    ['doubled again', 4, 1, 8_000],
    ['spread', 1, 0, 750],
  ])('%s', (_name, attempt, chance, waitMs) => {
    expect(decide(busy(), { attempt, chance })).toEqual({ kind: 'retry', waitMs });
  });

  test.each([
    ['shorter than our own wait: the first time', busy(200), 1, 200],
    ['longer than our own wait', busy(20_000), 1, 20_000],
    ['shorter, but it did not help before', busy(200), 3, 4_000],
    ['zero', busy(0), 1, 0],
  ])('Retry-After is honoured: %s', (_name, error, attempt, waitMs) => {
    expect(decide(error, { attempt })).toEqual({ kind: 'retry', waitMs });
  });

  test.each([
    ['not worth it', failure('auth', { status: 401, retryable: false }), {}],
    ['overflow', failure('overflow', { status: 400 }), {}],
    ['aborted', failure('aborted'), {}],
    ['something was shown', failure('interrupted', { retryable: true }), { shown: true }],
    ['attempts used up', busy(), { attempt: DEFAULT_RETRY_POLICY.attempts }],
    ['asked to wait an hour', busy(3_600_000), {}],
  ])('gives up: %s', (_name, error, more) => {
    expect(decide(error, more)).toEqual({ kind: 'giveUp' });
  });
});

describe('withRetries', () => {
  const request: ModelRequest = { model: 'm', messages: [], tools: [] };
  const hello: ModelEvent = { type: 'text', delta: 'Hi' };
  const done: ModelEvent = { type: 'done', text: 'Hi', toolCalls: [], finish: 'stop', usage: null };

  /** Each attempt is a list of events, an error as its last. */
  function client(attempts: readonly (readonly (ModelEvent | Error)[])[]): ModelClient & { asked(): number } {
    const left = [...attempts];
    return {
      endpoint: 'test:',
      asked: () => attempts.length - left.length,
      async *stream() {
        for (const event of left.shift() ?? []) {
          if (event instanceof Error) throw event;
          yield event;
        }
      },
    };
  }

  async function run(inner: ModelClient, signal = new AbortController().signal, timers = new HandTimers()) {
    const notices: RetryNotice[] = [];
    const onRetry = (notice: RetryNotice) => {
      notices.push(notice);
      setImmediate(() => timers.elapse());
    };
    const events: ModelEvent[] = [];
    const retried = withRetries(inner, { onRetry, timers, random: () => 1 });
    try {
      for await (const event of retried.stream(request, signal)) events.push(event);
      return { events, notices, error: null };
    } catch (error) {
      return { events, notices, error };
    }
  }

  test('each wait is told before it begins', async () => {
    expect(await run(client([[busy(5_000)], [failure('network', { retryable: true })], [hello, done]]))).toEqual({
      events: [hello, done],
      notices: [
        { attempt: 2, attempts: 5, waitMs: 5_000, reason: verbatim('rateLimit!'), now: expect.any(Function) },
        { attempt: 3, attempts: 5, waitMs: 2_000, reason: verbatim('network!'), now: expect.any(Function) },
      ],
      error: null,
    });
  });

  test('a wait can be ended: the attempt follows at once', async () => {
    const timers = new HandTimers();
    const retried = withRetries(client([[busy(60_000)], [hello, done]]), {
      onRetry: ({ now }) => setImmediate(now),
      timers,
      random: () => 1,
    });
    const events: ModelEvent[] = [];
    for await (const event of retried.stream(request, new AbortController().signal)) events.push(event);
    expect(events).toEqual([hello, done]);
  });

  test('the last error is the one that is thrown', async () => {
    const inner = client(Array.from({ length: 9 }, () => [busy()]));
    const { notices, error } = await run(inner);
    expect([inner.asked(), notices.length, error]).toEqual([5, 4, busy()]);
  });

  test('what was shown is never asked for again', async () => {
    const inner = client([
      [hello, failure('interrupted', { retryable: true })],
      [hello, done],
    ]);
    const { events, notices } = await run(inner);
    expect({ events, notices, asked: inner.asked() }).toEqual({ events: [hello], notices: [], asked: 1 });
  });

  test('a bug is not retried', async () => {
    const bug = new TypeError('a bug');
    expect(await run(client([[bug], [done]]))).toEqual({ events: [], notices: [], error: bug });
  });

  test('stopping ends the wait at once and leaves no timer', async () => {
    const stop = new AbortController();
    const timers = new HandTimers();
    const retried = withRetries(client([[busy()], [done]]), {
      timers,
      onRetry: () => setImmediate(() => stop.abort()),
    });
    const next = retried.stream(request, stop.signal)[Symbol.asyncIterator]().next();
    await expect(next).rejects.toMatchObject({ kind: 'aborted', message: 'Stopped while waiting to try again.' });
    expect([timers.set.length, timers.pending]).toEqual([1, []]);
  });
});
