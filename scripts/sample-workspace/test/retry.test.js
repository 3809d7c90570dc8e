import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestClock } from '../src/clock.js';
import { retry, waitAfter } from '../src/retry.js';

test('waits twice as long after each failure', () => {
  assert.deepEqual([1, 2, 3, 4].map(waitAfter), [100, 200, 400, 800]);
});

test('never waits longer than five seconds', () => {
  assert.equal(waitAfter(50), 5_000);
});

test('gives up after the limit', async () => {
  const clock = new TestClock();
  const fail = async () => {
    throw new Error('no route');
  };
  await assert.rejects(retry(fail, { limit: 3, clock }), /no route/);
  assert.equal(clock.sleeps.length, 2);
});
