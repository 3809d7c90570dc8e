import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BlobStore } from '../../../src/core/journal/blobStore.ts';
import { cutText, type TruncationDirection, utf8Length } from '../../../src/core/tools/text/cutText.ts';
import { TRUNCATION_DEFAULTS } from '../../../src/core/tools/toolSettings.ts';
import { truncateOutput } from '../../../src/core/tools/truncateOutput.ts';
import { memoryBlobs } from '../../support/ports/memoryStore.ts';

const DIRECTIONS: readonly TruncationDirection[] = ['head', 'tail', 'middle'];
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}`).join('\n');

describe('cutText', () => {
  test('2000 lines and 50 KB, from the head', { tags: ['N1'] }, () => {
    expect(TRUNCATION_DEFAULTS).toEqual({ maxLines: 2000, maxBytes: 51_200, direction: 'head' });
    expect(cutText(numbered(2000), TRUNCATION_DEFAULTS)).toBeNull();
    expect(cutText(`${numbered(2000)}\n`, TRUNCATION_DEFAULTS)).toBeNull();
    expect(cutText(numbered(2001), TRUNCATION_DEFAULTS)).toMatchObject({ lines: 2001, firstCut: 2001, lastCut: 2001 });
    expect(cutText('x'.repeat(51_200), TRUNCATION_DEFAULTS)).toBeNull();
    expect(cutText('x'.repeat(51_201), TRUNCATION_DEFAULTS)).toMatchObject({ head: 'x'.repeat(51_200), firstCut: 1 });
  });

  test.each([
    ['head', { head: '1\n2\n3\n4', tail: '', firstCut: 5, lastCut: 9 }],
    ['tail', { head: '', tail: '6\n7\n8\n9', firstCut: 1, lastCut: 5 }],
    ['middle', { head: '1\n2', tail: '8\n9', firstCut: 3, lastCut: 7 }],
  ] as const)('direction %s', { tags: ['N1'] }, (direction, cut) => {
    expect(cutText(`${numbered(9)}\n`, { maxLines: 4, maxBytes: 1000, direction })).toEqual({
      ...cut,
      lines: 9,
      bytes: 18,
    });
  });

  test.each([
    ['head', '😀😀', ''],
    ['tail', '', '😀😀'],
    ['middle', '😀', '😀'],
  ] as const)('one long line is cut between characters, direction %s', (direction, head, tail) => {
    expect(cutText('😀'.repeat(9), { maxLines: 10, maxBytes: 10, direction })).toMatchObject({ head, tail });
  });

  test('whatever the text, what is kept fits, is a part of it, and is well-formed', () => {
    const limits = fc.record({
      maxLines: fc.integer({ min: 2, max: 12 }),
      maxBytes: fc.integer({ min: 8, max: 80 }),
      direction: fc.constantFrom(...DIRECTIONS),
    });
    const unit = fc.constantFrom('a', 'é', '漢', '😀', '\n', '\n', ' ');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 120 }), limits, (text, limit) => {
        const cut = cutText(text, limit);
        if (!cut) return;
        expect(text.startsWith(cut.head)).toBe(true);
        expect(text.replace(/\n$/, '').endsWith(cut.tail)).toBe(true);
        expect(utf8Length(cut.head) + utf8Length(cut.tail)).toBeLessThanOrEqual(limit.maxBytes);
        expect(cut.head.split('\n').length + cut.tail.split('\n').length).toBeLessThanOrEqual(limit.maxLines + 1);
        expect((cut.head + cut.tail).isWellFormed()).toBe(true);
        expect(cut.firstCut).toBeLessThanOrEqual(cut.lastCut);
      }),
      { numRuns: 400 },
    );
  });

  test('bytes are counted as UTF-8 has them', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0x10ffff), { maxLength: 30 }), (points) => {
        const text = String.fromCodePoint(...points);
        expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
      }),
      { numRuns: 100 },
    );
    expect(utf8Length('\uD800')).toBe(3);
  });
});

describe('truncateOutput', () => {
  const limits = { maxLines: 2, maxBytes: 1000, direction: 'head' } as const;

  test('what a tool cut itself is not cut again', { tags: ['C11'] }, async () => {
    const outcome = {
      text: numbered(9),
      truncation: { by: 'formatter', direction: 'head', originalLines: 99, originalBytes: 999 },
    } as const;
    expect(await truncateOutput(outcome, limits, 'n', memoryBlobs())).toEqual(outcome);
  });

  test('the record tells what was there and where it is', { tags: ['C11'] }, async () => {
    const blobs = memoryBlobs();
    const { truncation } = await truncateOutput({ text: numbered(9), isError: true }, limits, 'n', blobs);
    expect(truncation).toMatchObject({ by: 'formatter', direction: 'head', originalLines: 9, originalBytes: 17 });
    expect(new TextDecoder().decode((await blobs.get(truncation?.blob ?? '')) ?? undefined)).toBe(numbered(9));
  });

  test('what fits is left alone, and nothing is kept', async () => {
    const blobs = memoryBlobs();
    const outcome = { text: '1\n2' };
    expect(await truncateOutput(outcome, limits, 'n', blobs)).toEqual(outcome);
    expect(blobs.blobs.size).toBe(0);
  });

  test('a full disk costs the rest of the output, and the text says so', async () => {
    const full: BlobStore = { put: () => Promise.reject(new Error('the disk is full')), get: async () => null };
    const { text, truncation } = await truncateOutput({ text: numbered(4) }, limits, 'n', full);
    expect(text).toBe(
      '1\n2\n[palimpsest:n cut here: lines 3-4 of 4 (7 bytes in all); the full output could not be kept: the disk is full]',
    );
    expect(truncation).toEqual({ by: 'formatter', direction: 'head', originalLines: 4, originalBytes: 7 });
  });
});
