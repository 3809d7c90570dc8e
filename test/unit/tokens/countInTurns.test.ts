/** Counting never holds the process up: what is counted between two turns of the event loop is bounded. */

import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Timers } from '../../../src/core/clock.ts';
import {
  countInTurns,
  countTokens,
  estimateInTurns,
  estimateMessage,
  slicesOf,
} from '../../../src/core/tokens/estimate.ts';
import { expectSent } from '../../../src/providers/expectPrompt.ts';
import { calls, compactionHarness, going, says, user, words } from '../../support/compactionHarness.ts';
import { turnHarness } from '../../support/turnHarness.ts';

const MEGABYTES = 5_000_000;
const SLICE = 65_536;

/** Characters that tokens were estimated of: the estimator begins by splitting a text. */
function watchCounting() {
  let [since, most, all] = [0, 0, 0];
  let watching = true;
  const { split } = String.prototype;
  const spy = vi.spyOn(String.prototype, 'split').mockImplementation(function (this: string, ...args: unknown[]) {
    if (args[0] instanceof RegExp) {
      since += this.length;
      all += this.length;
      most = Math.max(most, since);
    }
    return Reflect.apply(split, this, args) as string[];
  } as typeof split);
  const tick = () => {
    since = 0;
    if (watching) setImmediate(tick);
  };
  tick();
  return () => {
    watching = false;
    spy.mockRestore();
    return { most, all };
  };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('long texts', () => {
  const chinese = '修复了重试测试，时钟只读取一次。\n';
  it.each([
    ['English', words(20_000, 'retry')],
    ['code', 'const delay = (ms: number) => new Promise((r) => setTimeout(r, ms));\n\n  '.repeat(3_000)],
    ['Chinese with lines', chinese.repeat(9_000)],
    ['spaces', `a${' '.repeat(300)}\n`.repeat(1_000)],
  ])('%s: slices count the same as the whole', { tags: ['C15'] }, async (_what, text) => {
    const paused: number[] = [];
    const timers: Timers = {
      after: (ms, go) => {
        paused.push(ms);
        queueMicrotask(go);
        return () => undefined;
      },
    };
    const slices = [...slicesOf(text)];
    expect(slices.join('')).toBe(text);
    expect(Math.max(...slices.map(({ length }) => length))).toBeLessThanOrEqual(SLICE);
    const { estimateTokenCount } = await import('tokenx');
    expect(countTokens(text)).toBe(estimateTokenCount(text));
    expect(await countInTurns(text, timers)).toBe(countTokens(text));
    expect(paused).toEqual(Array(slices.length - 1).fill(0));
    const message = { role: 'user', kind: 'user', text } as const;
    expect(await estimateInTurns(message, timers)).toBe(estimateMessage(message));
  });

  it('one word of megabytes is cut at a whole character', { tags: ['C15'] }, () => {
    const slices = [...slicesOf('𝒳'.repeat(200_000))];
    expect(slices.every((slice) => slice.isWellFormed())).toBe(true);
    expect(slices.join('')).toHaveLength(400_000);
  });
});

describe('5 MB on the path of a turn', { tags: ['long'] }, () => {
  it('a message, an answer, its call and the result are counted in turns', { tags: ['C15'] }, async () => {
    const huge = words(MEGABYTES / 5);
    const turn = await turnHarness([{ text: huge, calls: [['look', { at: huge }]] }, 'Seen.']);
    const stop = watchCounting();
    await turn.send(huge);
    const { most, all } = stop();
    expect(all).toBeGreaterThan(3 * MEGABYTES);
    expect(most).toBeLessThan(4 * SLICE);
  });

  const results = Array.from({ length: 100 }, () => calls(['read_file', words(10_000)]));
  it.each([
    ['tool-result-hiding', {}],
    ['hiding-then-summary', {}],
    ['prune-then-summary', { 'pruneThenSummary.pruningEnabled': false }],
    ['llm-summary', {}],
  ])('compacted by %s it is not counted at once', { tags: ['C15'] }, async (strategy, more) => {
    const h = await compactionHarness({
      history: [user('go'), ...results, says('a'), says('b')],
      settings: { strategy, ...more },
      window: 2_000_000,
      summaries: ['notes', 'more notes'],
    });
    const stop = watchCounting();
    expect(await h.compactor.compact({ trigger: 'manual' }, going)).toMatchObject({ kind: 'compacted' });
    expect(stop().most).toBeLessThan(4 * SLICE);
  });

  it('what a server counted is compared with a sample of what was sent', { tags: ['C15'] }, () => {
    const messages = Array.from({ length: 100 }, () => ({ role: 'user' as const, text: words(10_000) }));
    const request = { model: 'm', messages, tools: [] };
    const stop = watchCounting();
    const { tokens, least, most } = expectSent(request);
    expect([tokens, least, most].map((each) => Math.round(each / 100_000))).toEqual([10, 5, 30]);
    expect(stop().all).toBeLessThan(3 * SLICE);
  });
});
