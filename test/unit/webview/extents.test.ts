import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Extents } from '../../../webview/page/rowWindow.ts';

function of(...sizes: number[]): Extents {
  const extents = new Extents();
  extents.reset(sizes);
  return extents;
}

describe('extents', () => {
  test('each entry begins where the one before it ends', () => {
    const extents = of(10, 20, 30);
    expect([0, 1, 2, 3].map((index) => extents.top(index))).toEqual([0, 10, 30, 60]);
    expect(extents.total).toBe(60);
  });

  test('a height finds its entry, and what lies outside the first or last one', () => {
    const extents = of(10, 20, 30);
    expect([-5, 0, 9, 10, 29, 30, 59, 60, 500].map((y) => extents.indexAt(y))).toEqual([0, 0, 0, 1, 1, 2, 2, 2, 2]);
    expect(of().indexAt(5)).toBe(0);
  });

  test('what is kept is chosen too, in order and once', () => {
    const extents = of(...Array<number>(100).fill(10));
    expect(extents.between(500, 520, [3, 51, 99, 100, -1])).toEqual([3, 50, 51, 52, 99]);
    expect(of().between(0, 100, [0])).toEqual([]);
  });

  test('an entry that takes another size moves those after it and no other', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(500), { minLength: 1, maxLength: 60 }),
        fc.array(fc.tuple(fc.nat(70), fc.nat(500)), { maxLength: 30 }),
        (sizes, changes) => {
          const extents = of(...sizes);
          const plain = [...sizes];
          for (const [index, size] of changes) {
            expect(extents.resize(index, size)).toBe(index < plain.length && plain[index] !== size);
            if (index < plain.length) plain[index] = size;
            const at = index % (plain.length + 1);
            expect(extents.top(at)).toBe(plain.slice(0, at).reduce((sum, each) => sum + each, 0));
          }
          expect(extents.total).toBe(plain.reduce((sum, each) => sum + each, 0));
        },
      ),
      { numRuns: 200, seed: 11 },
    );
  });
});
