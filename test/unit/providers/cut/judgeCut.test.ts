import { describe, expect, it } from 'vitest';
import { type CutEvidence, type CutVerdict, judgeCut } from '../../../../src/providers/judgeCut.ts';

const HERE: CutEvidence = {
  counted: 5_000,
  expected: { tokens: 5_000, least: 2_500, most: 15_000, grown: 0 },
  window: null,
  added: 300,
  before: null,
  lowest: 3_000,
  local: true,
};
const tight = { tokens: 9_000, least: 8_000, most: 10_000, grown: 8_800 };
const cut = (window: number): CutVerdict => ({ kind: 'cut', window });
const long = { tokens: 60_000, least: 30_000, most: 180_000, grown: 0 };
/** The request before, which the server counted alike. */
const before = { counted: 5_000, expected: { ...long, tokens: 57_000 }, added: 1_200 };
const still: Partial<CutEvidence> = { expected: long, added: 2_500, before };

describe('a count of few tokens', { tags: ['B17'] }, () => {
  it.each<[string, Partial<CutEvidence>, CutVerdict]>([
    ['what was expected', {}, { kind: 'whole' }],
    ['more than was expected', { counted: 14_000 }, { kind: 'whole' }],
    ['the window filled to its last token', { counted: 4_095, window: 4_096 }, cut(4_096)],
    ['half of the window, where more was sent', { counted: 2_050, window: 4_096 }, cut(4_096)],
    ['half of a window into which all of it fits', { counted: 4_100, window: 32_768 }, { kind: 'whole' }],
    // The estimate may be too high, so what it says alone is not enough.
    ['fewer than expected, and all may have fitted', { counted: 3_500, window: 4_096 }, { kind: 'whole' }],
    ['far fewer, and it cannot have fitted', { counted: 3_000, expected: tight, window: 4_096 }, cut(4_096)],
    ['far fewer, and it fits for sure', { counted: 300, expected: tight, window: 32_000 }, { kind: 'fresh' }],
    ['what was added, by one that counts without its cache', { counted: 500, expected: tight }, { kind: 'fresh' }],
    ['less than the request before', { counted: 6_000, expected: tight }, cut(6_000)],
    ['less than before, and as much as estimated', { counted: 8_100, expected: tight }, { kind: 'whole' }],
    [
      'less than before, elsewhere, where a router may ask another server',
      { counted: 8_100, expected: tight, local: false },
      { kind: 'whole' },
    ],
    ['more than the window that was known', { counted: 6_000, window: 4_096 }, { kind: 'whole' }],
    ['the same again, although as much was not added', still, cut(5_000)],
    ['far fewer at first, and just what many servers hold', { counted: 2_048, expected: tight }, cut(2_048)],
    ['the same of a server that leaves half of what it holds', { counted: 2_050, expected: tight }, cut(2_050)],
    ['the same elsewhere', { counted: 2_048, expected: tight, local: false }, { kind: 'fresh' }],
    ['the same always', { ...still, lowest: 5_000 }, { kind: 'fresh' }],
    ['the same again, elsewhere', { ...still, local: false }, cut(5_000)],
    ['the same again, into a window that holds it for sure', { ...still, window: 200_000 }, { kind: 'fresh' }],
    ['the same again, because as much was added', { ...still, before: { ...before, added: 2_500 } }, { kind: 'fresh' }],
    ['the same again of the same prompt', { ...still, before: { ...before, expected: long } }, { kind: 'fresh' }],
    [
      'the same again, and more than was sent',
      { ...still, expected: { ...long, tokens: 5_900, estimated: 3_900, least: 2_000 } },
      { kind: 'whole' },
    ],
    [
      'a handful: what was neither read from its cache nor written to it',
      { ...still, counted: 4, before: { ...before, counted: 4 } },
      { kind: 'fresh' },
    ],
    [
      'the same again, and hardly more than the instructions',
      { ...still, expected: { ...long, fixed: 4_500 } },
      { kind: 'fresh' },
    ],
  ])('%s', (_, evidence, verdict) => {
    expect(judgeCut({ ...HERE, ...evidence })).toEqual(verdict);
  });
});
