import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestClock } from '../src/clock.js';
import { deliverAll } from '../src/delivery.js';
import { Queue } from '../src/queue.js';

test('delivers what can be delivered and keeps the reason for the rest', async () => {
  const queue = new Queue();
  for (const body of ['a', 'b', 'c']) queue.add(body);
  const send = async (body) => {
    if (body === 'b') throw new Error('unknown address');
  };
  const result = await deliverAll(queue, send, { clock: new TestClock() });
  assert.deepEqual(result, { delivered: 2, abandoned: [{ id: 2, reason: 'unknown address' }] });
});
