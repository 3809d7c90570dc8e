import { describe, expect, it } from 'vitest';
import { type CutEvidence, type CutVerdict, isDoubtful, judgeCut } from '../../../../src/providers/judgeCut.ts';

const HERE: CutEvidence = {
  counted: 5_000,
  expected: { tokens: 5_000, least: 2_500, most: 15_000, grown: 0 },
  window: null,
  isFresh: false,
  added: { behind: 200, withAnswer: 300 },
  readUpTo: 9_000,
  local: true,
  midTurn: false,
};
const tight = { tokens: 9_000, least: 8_000, most: 10_000, grown: 8_800 };
const cut = (window: number): CutVerdict => ({ kind: 'cut', window });

describe('a count of few tokens', { tags: ['B17'] }, () => {
  it.each<[string, Partial<CutEvidence>, CutVerdict]>([
    ['what was expected', {}, { kind: 'whole' }],
    ['more than was expected', { counted: 14_000 }, { kind: 'whole' }],
    ['the window filled to its last token', { counted: 4_095, window: 4_096 }, cut(4_096)],
    ['half of the window, where more was sent', { counted: 2_050, window: 4_096 }, cut(4_096)],
    ['half of a window into which all of it fits', { counted: 4_100, window: 32_768 }, { kind: 'whole' }],
    // The estimate may be too high, so what it says alone is not enough.
    ['fewer than expected, and all may have fitted', { counted: 3_500, window: 4_096 }, { kind: 'unsure' }],
    ['fewer, by a server elsewhere', { counted: 3_500, window: 4_096, local: false }, { kind: 'whole' }],
    ['far fewer, and it cannot have fitted', { counted: 3_000, expected: tight, window: 4_096 }, cut(4_096)],
    ['far fewer, and it fits for sure', { counted: 300, expected: tight, window: 32_000 }, { kind: 'fresh' }],
    ['far fewer, and nothing is said of a window', { counted: 300, expected: tight }, { kind: 'unsure' }],
    [
      'the same of one that counts without its cache',
      { counted: 300, expected: tight, isFresh: true },
      { kind: 'fresh' },
    ],
    [
      'more than was added, by one that counts without its cache',
      { counted: 4_000, expected: tight, isFresh: true, readUpTo: 8_900 },
      { kind: 'unsure' },
    ],
    [
      'what was added, by one whose prompts grew by half since anybody looked',
      { counted: 300, expected: tight, isFresh: true, readUpTo: 5_900 },
      { kind: 'unsure' },
    ],
    [
      'the same, and so much was read whole before',
      { counted: 4_000, expected: tight, isFresh: true },
      { kind: 'fresh' },
    ],
    ['less than the request before', { counted: 8_100, expected: tight, midTurn: true }, { kind: 'unsure' }],
    ['less than before in a new turn', { counted: 8_100, expected: tight }, { kind: 'whole' }],
    ['more than the window that was known', { counted: 6_000, window: 4_096 }, { kind: 'whole' }],
  ])('%s', (_, evidence, verdict) => {
    expect(judgeCut({ ...HERE, ...evidence })).toEqual(verdict);
  });
});

describe('a small count of a server elsewhere that cannot be asked', { tags: ['B17'] }, () => {
  const added = { behind: 2_000, withAnswer: 2_500 };
  const long = { tokens: 60_000, least: 30_000, most: 180_000, grown: 0 };
  const given: CutEvidence = { ...HERE, local: false, expected: long, counted: 2_600, added };
  const before = { counted: 2_600, expected: { ...long, tokens: 57_000 }, added: { behind: 900, withAnswer: 1_200 } };

  it.each<[string, boolean, Partial<CutEvidence>, Parameters<typeof isDoubtful>[1], boolean]>([
    ['what was added, by one that counts without its cache', false, {}, null, true],
    ['fewer than what was sent for the first time', true, { added: { behind: 9_000, withAnswer: 9_000 } }, null, true],
    ['the same, sent again after it failed', false, { added: { behind: 9_000, withAnswer: 9_000 } }, null, false],
    ['just what many servers hold', true, { counted: 8_192 }, null, true],
    ['one less', true, { counted: 16_383 }, null, true],
    ['two less', false, { counted: 16_382 }, null, true],
    ['the same again, although as much was not added', true, {}, before, true],
    ['the same again, because as much was added', false, {}, { ...before, added }, true],
    ['a handful: neither what was read from its cache nor what was written to it', false, { counted: 4 }, null, true],
  ])('%s: %s', (_, doubtful, evidence, earlier, isNew) => {
    expect(isDoubtful({ ...given, ...evidence }, earlier, isNew)).toBe(doubtful);
  });
});
