import { expect, test } from 'vitest';
import { type ShowProgress, slowWork } from '../../../src/host/tell/notify.ts';
import { HandTimers } from '../../support/ports/handTimers.ts';

function start(act: (signal: AbortSignal) => Promise<string>) {
  const timers = new HandTimers();
  const shown: Parameters<ShowProgress>[] = [];
  const work = slowWork(act, { show: (...progress) => shown.push(progress), timers, afterMs: 1_000 });
  return { work, timers, shown };
}

test('what is quick shows nothing', async () => {
  const { work, timers, shown } = start(async () => 'done');
  expect(timers.pending).toEqual([1_000]);
  expect(await work).toBe('done');
  expect([timers.pending, shown]).toEqual([[], []]);
});

test('what is slow shows that it goes on, until it has ended', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const { work, timers, shown } = start(() => promise);
  timers.elapse();
  const [[, ended] = []] = shown;
  resolve('done');
  expect(await work).toBe('done');
  await ended;
  expect(shown).toHaveLength(1);
});

test('a person can cancel it, and what fails ends the progress too', async () => {
  const { work, timers, shown } = start(
    (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  );
  timers.elapse();
  const [[cancel, ended] = []] = shown;
  cancel?.();
  await expect(work).rejects.toMatchObject({ name: 'AbortError' });
  await ended;
});
