import { describe, expect, it } from 'vitest';
import { findNames, pathName } from '../../../../src/core/compaction/strategies/layered/names.ts';
import { Reads } from '../../../../src/core/compaction/strategies/layered/replacedReads.ts';
import { seededRandom } from '../../../../src/core/seededRandom.ts';

/** Names by expressions that say what they are: slow, and easy to check. */
function namesByExpression(text: string): string[] {
  const names: string[] = [];
  for (const [run] of text.matchAll(/[\w$@~./\\+-]{6,}/g)) {
    if (run.length > 400) continue;
    const path = /[\\/]/.test(run) ? pathName(run) : null;
    if (path) names.push(path);
    for (const [word] of run.matchAll(/[\w$]{6,}/g)) {
      if (/[A-Za-z0-9]_[A-Za-z0-9]|[a-z][A-Z]|[A-Za-z]\d/.test(word) && /[A-Za-z]/.test(word)) names.push(word);
    }
  }
  return names;
}

function namesIn(text: string): string[] {
  const names: string[] = [];
  findNames(text, (name) => names.push(name));
  return names;
}

describe('findNames', () => {
  it('finds identifiers and paths by their last two segments', () => {
    expect(namesIn('see src/core/a.ts: readFile(some_name), v1234567, plain words, 12_345_678')).toEqual([
      'core/a.ts',
      'readFile',
      'some_name',
      'v1234567',
    ]);
    expect(namesIn('')).toEqual([]);
    expect(namesIn(`x${'aB'.repeat(300)}`)).toEqual([]);
  });

  it('finds in random text what plain expressions find', () => {
    const random = seededRandom(7);
    const pieces = [
      'a',
      'B',
      '_',
      '$',
      '9',
      '/',
      '\\',
      '.',
      '-',
      '+',
      '@',
      '~',
      ' ',
      '(',
      'é',
      '\t',
      'ſ',
      '1',
      'z',
      'Q',
    ];
    for (let round = 0; round < 3000; round++) {
      const length = Math.floor(random() * 60);
      const text = Array.from({ length }, () => pieces[Math.floor(random() * pieces.length)]).join('');
      expect(namesIn(text), text).toEqual(namesByExpression(text));
    }
  });
});

describe('Reads', () => {
  interface Read {
    readonly source: { superseded: boolean };
    readonly asked: string;
    readonly lines: { readonly first: number; readonly last: number } | null;
  }
  const read = (asked: string, first?: number, last = first): Read => ({
    source: { superseded: false },
    asked,
    lines: first === undefined ? null : { first, last: last ?? first },
  });

  it('a later read replaces those of the same request, and those whose lines it returned', () => {
    const reads = new Reads();
    const [part, other, plain] = [read('a', 10, 20), read('b', 15, 40), read('c')];
    for (const each of [part, other, plain]) reads.add('x.ts', each);
    reads.add('y.ts', read('y', 1, 100));
    expect([part, other, plain].map(({ source }) => source.superseded)).toEqual([false, false, false]);
    reads.add('x.ts', read('d', 5, 30));
    expect([part, other, plain].map(({ source }) => source.superseded)).toEqual([true, false, false]);
    reads.add('x.ts', read('c'));
    expect([other, plain].map(({ source }) => source.superseded)).toEqual([false, true]);
  });

  it('marks what a comparison with every earlier read marks', () => {
    const random = seededRandom(11);
    const below = (most: number) => Math.floor(random() * most);
    const all: Read[] = [];
    const expected: boolean[] = [];
    const reads = new Reads();
    for (let i = 0; i < 2000; i++) {
      const first = 1 + below(200);
      const next = random() < 0.2 ? read(`p${below(30)}`) : read(`n${below(500)}`, first, first + below(60));
      for (const [at, older] of all.entries()) {
        if (expected[at]) continue;
        const isInside =
          next.lines && older.lines && next.lines.first <= older.lines.first && next.lines.last >= older.lines.last;
        if (next.asked === older.asked || isInside) expected[at] = true;
      }
      all.push(next);
      expected.push(false);
      reads.add('x.ts', next);
    }
    expect(all.map(({ source }) => source.superseded)).toEqual(expected);
  });

  it('looks at few of the reads of a file: a later one costs no more than an early one', () => {
    let looked = 0;
    const counted = (i: number): Read => ({
      source: { superseded: false },
      asked: `part ${i}`,
      get lines() {
        looked++;
        return { first: 10 * i + 1, last: 10 * i + 9 };
      },
    });
    const reads = new Reads();
    const add = (from: number, to: number) => {
      looked = 0;
      for (let i = from; i < to; i++) reads.add('x.ts', counted(i));
      return looked;
    };
    const early = add(0, 500);
    add(500, 8000);
    expect(add(8000, 8500)).toBeLessThan(3 * early);
  });
});
