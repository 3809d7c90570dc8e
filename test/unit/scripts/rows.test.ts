/** A row's path names what exists, and planned is what is not there. */

import { expect, test } from 'vitest';
import { checkPath, findJourneys } from '../../../scripts/rows/checkPaths.ts';

const row = { row: 'X1', text: 'A feature' };
const unit = { file: 'test/unit/a.test.ts', name: 'X1: works' };

test('settings, commands, words of the composer, tools, scripts and published names may be named', () => {
  const user = [
    '`palimpsest.compaction.auto`, `palimpsest.compact`, `/strategy selective`, `recall`, `npm run lab`',
    '`registerCompactionStrategy` and `createAgent`',
  ].join();
  expect(checkPath({ ...row, user }, [unit])).toEqual([]);
});

test.each(['palimpsest.compaction.automatic', 'palimpsest.manageTrust', '/shrink', 'npm run nothing', 'makeAgent'])(
  '%s is nothing that a person finds',
  (name) => {
    expect(checkPath({ ...row, user: `Use \`${name}\`` }, [unit])).toEqual([expect.stringContaining(name)]);
  },
);

test('what is built has a path, and what is planned has neither path nor test', () => {
  expect(checkPath(row, [unit])).toEqual(['X1 has no path by which a person reaches it']);
  expect(checkPath({ ...row, planned: true }, [])).toEqual([]);
  expect(checkPath({ ...row, planned: true }, [unit])).toEqual(['X1 is planned, and named by a test']);
  expect(checkPath({ ...row, planned: true, user: 'Do it' }, [])).toEqual(['X1 is planned and has a path']);
});

test('a unit test takes no path', () => {
  const journey = { file: 'test/e2e/compaction/a.e2e.ts', name: 'X1: is used' };
  expect(findJourneys([unit, journey])).toEqual([journey]);
});
