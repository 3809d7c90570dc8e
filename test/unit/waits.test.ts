/** Waits for foreign work that an abort ends: no rejection is lost, and none is left unhandled. */

import { expect, test } from 'vitest';
import { orAborted, untilAborted } from '../../src/core/sleep.ts';
import { within } from '../../src/node/strategyFiles/within.ts';

const never = new Promise<never>(() => undefined);

test('what the work gives, or that it was aborted, before or meanwhile', async () => {
  const stop = new AbortController();
  expect(await orAborted(Promise.resolve(1), stop.signal)).toEqual({ value: 1 });
  await expect(orAborted(Promise.reject(new Error('broken')), stop.signal)).rejects.toThrow('broken');
  const waiting = orAborted(never, stop.signal);
  stop.abort();
  expect(await waiting).toBe('aborted');
  expect(await orAborted(never, stop.signal)).toBe('aborted');
  await expect(untilAborted(never, stop.signal)).rejects.toBe(stop.signal.reason);
});

test('work that fails after it was given up is nobody’s error', async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  expect(await orAborted(promise, AbortSignal.abort())).toBe('aborted');
  // Vitest fails on a rejection that nobody handles.
  reject(new Error('too late'));
  await new Promise(setImmediate);
});

test('a time limit is no longer than the signal allows, also where that was aborted before', async () => {
  await expect(within(never, 600_000, AbortSignal.abort())).rejects.toThrow('it was stopped');
  await expect(within(never, 1, new AbortController().signal)).rejects.toThrow('it took longer than 0.001 seconds');
  expect(await within(Promise.resolve(1), 600_000, new AbortController().signal)).toBe(1);
});
