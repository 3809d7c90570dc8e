import { expect, test } from 'vitest';
import { type ShowProgress, slowWork } from '../../../src/host/notices/notify.ts';
import { HandTimers } from '../../support/ports/handTimers.ts';

function start(act: (signal: AbortSignal) => Promise<string>, keeps = false) {
  const timers = new HandTimers();
  const shown: Parameters<ShowProgress>[] = [];
  const work = slowWork(act, { show: (...progress) => shown.push(progress), timers, afterMs: 1_000, keeps });
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

test('half an answer of what was cancelled is none, unless it counts', async () => {
  for (const keeps of [false, true]) {
    const { promise, resolve } = Promise.withResolvers<string>();
    const { work, timers, shown } = start(() => promise, keeps);
    timers.elapse();
    shown[0]?.[0]();
    resolve('half of it');
    if (keeps) expect(await work).toBe('half of it');
    else await expect(work).rejects.toMatchObject({ name: 'AbortError' });
  }
});
