/** The processes of Windows, as its list tells them: numbers are used again, and parents end before their children. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findTree, readProcesses, type WindowsProcess } from '../../../../src/node/shell/windowsTree.ts';

const each = (id: number, parent: number, created: number, name = `p${id}`): WindowsProcess => ({
  id,
  parent,
  created,
  name,
});
const ids = (found: readonly WindowsProcess[]) => found.map(({ id }) => id).sort((a, b) => a - b);

test('the list is read, with names of several words', () => {
  const printed = '0 0  \r\n4312 880 133800000000000000 My Server.exe\r\n5000 4312 133800000010000000 node.exe\r\n';
  expect(readProcesses(printed)).toEqual([
    each(4312, 880, 1_735_526_400_000, 'My Server.exe'),
    each(5000, 4312, 1_735_526_401_000, 'node.exe'),
  ]);
});

test('a tree whose root has ended is found, and no process that only has its number', () => {
  const all = [
    each(10, 9, 1_000, 'earlier child of another 10'),
    each(11, 10, 500, 'child of an earlier 10'),
    each(12, 10, 5_100, 'ours'),
    each(13, 12, 5_200, 'ours too'),
    each(14, 13, 5_300),
    each(15, 14, 4_000, 'older than its parent'),
  ];
  expect(ids(findTree(all, { id: 10, since: 5_000, runs: false }))).toEqual([12, 13, 14]);
  const reused = [...all.slice(1), each(10, 3, 6_000, 'another 10'), each(16, 10, 6_500, 'its child')];
  expect(ids(findTree(reused, { id: 10, since: 5_000, runs: false }))).toEqual([12, 13, 14]);
});

test('of any family exactly the root’s is found, however the list is sorted', () => {
  const family = fc
    .array(fc.nat(), { minLength: 1, maxLength: 30 })
    .map((parents) => parents.map((nth, at) => each(100 + at, at === 0 ? 1 : 100 + (nth % at), 10_000 + at * 200)));
  fc.assert(
    fc.property(family, fc.nat(), fc.boolean(), fc.infiniteStream(fc.nat()), (all, nth, runs, order) => {
      const root = all[nth % all.length] as WindowsProcess;
      const isOurs = ({ id, parent }: WindowsProcess): boolean => {
        if (id === root.id) return true;
        const above = all.find((other) => other.id === parent);
        return above !== undefined && isOurs(above);
      };
      const expected = ids(all.filter(isOurs)).filter((id) => runs || id !== root.id);
      const listed = all.filter(({ id }) => runs || id !== root.id);
      const shuffled = listed.map((one) => ({ one, key: order.next().value ?? 0 })).sort((a, b) => a.key - b.key);
      const found = findTree(
        shuffled.map(({ one }) => one),
        { id: root.id, since: root.created, runs },
      );
      expect(ids(found)).toEqual(expected);
    }),
  );
});
