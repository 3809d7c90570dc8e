import { expect, it } from 'vitest';
import { systemTimers } from '../../../src/providers/timers.ts';

it('calls back after nothing and after a while', async () => {
  const order: string[] = [];
  const late = Promise.withResolvers<void>();
  systemTimers.after(1, () => {
    order.push('timer');
    late.resolve();
  });
  for (const name of ['first', 'second']) {
    await new Promise<void>((resolve) => void systemTimers.after(0, resolve));
    order.push(name);
  }
  await late.promise;
  expect(order.sort()).toEqual(['first', 'second', 'timer']);
});

it('calls nothing that was taken back', async () => {
  let called = false;
  for (const ms of [0, 1]) systemTimers.after(ms, () => (called = true))();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(called).toBe(false);
});
