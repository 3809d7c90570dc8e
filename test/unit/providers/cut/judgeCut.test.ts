import { describe, expect, it } from 'vitest';
import { type CutEvidence, type CutVerdict, judgeCut } from '../../../../src/providers/cut/judgeCut.ts';

const HERE: CutEvidence = {
  counted: 5_000,
  expected: { tokens: 5_000, least: 2_500, most: 15_000, grown: 0 },
  window: null,
  counts: null,
  local: true,
  midTurn: false,
};
const tight = { tokens: 9_000, least: 8_000, most: 10_000, grown: 8_800 };
const cut = (held: number): CutVerdict => ({ kind: 'cut', held });

describe('B17: a count of few tokens', () => {
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
      { counted: 300, expected: tight, counts: 'fresh' },
      { kind: 'fresh' },
    ],
    ['the same of one that counts everything', { counted: 4_000, expected: tight, counts: 'whole' }, cut(4_000)],
    ['less than the request before', { counted: 8_100, expected: tight, midTurn: true }, { kind: 'unsure' }],
    ['less than before in a new turn', { counted: 8_100, expected: tight }, { kind: 'whole' }],
    ['more than the window that was known', { counted: 6_000, window: 4_096 }, { kind: 'whole' }],
  ])('%s', (_, evidence, verdict) => {
    expect(judgeCut({ ...HERE, ...evidence })).toEqual(verdict);
  });
});
