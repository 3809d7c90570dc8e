import { describe, expect, it } from 'vitest';
import type { ModelChoice } from '../../../src/core/model/modelChoice.ts';
import { forgetfulMemory, LearnedWindows, windowOf } from '../../../src/core/tokens/learnedWindows.ts';
import { calls, compactionHarness, going, says, user, words } from '../../support/compactionHarness.ts';
import { ScriptedModel } from '../../support/ports/scriptedModel.ts';
import { testClock } from '../../support/ports/testClock.ts';

const HERE = 'https://models.example';
const modelAt = (model: string, endpoint = HERE, facts: Partial<ModelChoice> = {}): ModelChoice => ({
  client: { endpoint, stream: (request, signal) => new ScriptedModel([]).stream(request, signal) },
  model,
  window: 128_000,
  windowFrom: 'default',
  ...facts,
});
const DAY = 24 * 3_600_000;

describe('learnt windows', () => {
  it('hold for one model at one endpoint, also after the editor was closed', () => {
    const memory = forgetfulMemory();
    const clock = testClock();
    new LearnedWindows(memory, clock).learn(modelAt('big'), 32_768);
    const later = new LearnedWindows(memory, clock);
    expect(later.of(modelAt('big'))).toBe(32_768);
    expect(later.of(modelAt('small'))).toBe(0);
    expect(later.of(modelAt('big', 'https://elsewhere.example'))).toBe(0);
  });

  it('are forgotten after a month, and when a longer request was taken', () => {
    const clock = testClock();
    const windows = new LearnedWindows(forgetfulMemory(), clock);
    windows.learn(modelAt('big'), 32_768);
    windows.disprove(HERE, 'big', 32_768);
    expect(windows.of(modelAt('big'))).toBe(32_768);
    windows.disprove(HERE, 'big', 32_769);
    expect(windows.of(modelAt('big'))).toBe(0);
    windows.learn(modelAt('big'), 32_768);
    clock.advance(30 * DAY);
    expect(windows.of(modelAt('big'))).toBe(0);
  });

  it.each([0, 1, 511, -4_000, 4_000.5, Number.NaN, Number.POSITIVE_INFINITY, 2e9])('are never %s', (window) => {
    const windows = new LearnedWindows(forgetfulMemory(), testClock());
    windows.learn(modelAt('big'), window);
    expect(windows.of(modelAt('big'))).toBe(0);
  });

  it('take nothing for granted that is read back', () => {
    const at = testClock().now();
    const key = `${HERE} big`;
    for (const value of [
      undefined,
      null,
      'x',
      [[key, { window: 9_000, at }]],
      { [key]: 9_000 },
      { [key]: { window: '9000', at } },
      { [key]: { window: 9_000 } },
      { [key]: { window: 9_000, at: at + DAY } },
      { [key]: { window: 12, at } },
    ]) {
      const windows = new LearnedWindows({ read: () => value, write: () => undefined }, testClock());
      expect(windows.of(modelAt('big'))).toBe(0);
      windows.learn(modelAt('other'), 9_000);
    }
  });

  it('are at most 200, the oldest forgotten first', () => {
    const clock = testClock();
    const windows = new LearnedWindows(forgetfulMemory(), clock);
    for (let i = 0; i < 201; i++) {
      clock.advance(1);
      windows.learn(modelAt(`m${i}`), 9_000);
    }
    expect([windows.of(modelAt('m0')), windows.of(modelAt('m1')), windows.of(modelAt('m200'))]).toEqual([
      0, 9_000, 9_000,
    ]);
  });

  it('never raise what we were told', () => {
    const windows = new LearnedWindows(forgetfulMemory(), testClock());
    windows.learn(modelAt('big'), 128_000);
    expect(windowOf(modelAt('big', HERE, { window: 8_000 }), windows)).toBe(8_000);
    expect(windowOf(modelAt('big', HERE, { window: 0 }), windows)).toBe(128_000);
  });

  it('hold beside what the person had set, and give way to what they set since', () => {
    const memory = forgetfulMemory();
    const windows = new LearnedWindows(memory, testClock());
    const set = (window: number) => modelAt('big', HERE, { window, windowFrom: 'settings' });
    windows.learn(set(100_000), 4_096);
    expect(windowOf(set(100_000), windows)).toBe(4_096);
    expect(windowOf(set(64_000), windows)).toBe(64_000);
    expect(windowOf(set(200_000), new LearnedWindows(memory, testClock()))).toBe(200_000);
    // What nobody has set changes nothing, whoever says it.
    expect(windowOf(modelAt('big'), windows)).toBe(4_096);
    expect(windowOf(modelAt('big', HERE, { window: 32_000, windowFrom: 'server' }), windows)).toBe(4_096);
    // Their number is learnt about in its turn.
    windows.learn(set(200_000), 131_072);
    expect(windowOf(set(200_000), windows)).toBe(131_072);
  });

  it('give way to a number that is set where none was, be it the one that was assumed', () => {
    const windows = new LearnedWindows(forgetfulMemory(), testClock());
    windows.learn(modelAt('big'), 4_096);
    expect(windowOf(modelAt('big'), windows)).toBe(4_096);
    expect(windowOf(modelAt('big', HERE, { windowFrom: 'settings' }), windows)).toBe(128_000);
  });

  it('give way to what is set also where an earlier version learnt them', () => {
    const clock = testClock();
    const memory = forgetfulMemory();
    memory.write({ [`${HERE} big`]: { window: 4_096, at: clock.now() } });
    const windows = new LearnedWindows(memory, clock);
    expect(windowOf(modelAt('big'), windows)).toBe(4_096);
    expect(windowOf(modelAt('big', HERE, { windowFrom: 'settings' }), windows)).toBe(128_000);
  });

  it('are in force for the next session, whose requests then fit', async () => {
    const windows = forgetfulMemory();
    const settings = { strategy: 'tool-result-hiding' };
    const history = [user('go'), ...Array.from({ length: 30 }, () => calls(['read_file', words(200)]))];
    const first = await compactionHarness({ history, settings, windows, window: 100_000 });
    await first.compactor.trigger.afterOverflow(6_000, going);
    const next = await compactionHarness({ history, settings, windows, window: 100_000 });
    expect(next.compactor.gauge.window).toBe(6_000);
    expect(await next.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'compacted' });
    // What cannot be true disproves nothing.
    await next.used({ input: 90_000, output: 1 });
    expect(next.compactor.gauge.window).toBe(6_000);
    await next.add(user(words(6_000)), says('yes'));
    await next.used({ input: 10_000, output: 1 });
    expect(next.compactor.gauge.window).toBe(100_000);
  });
});
