import { expect, test } from 'vitest';
import { nameFolder } from '../../../../src/node/files/nameFolder.ts';

test('a folder is named by its last part, and by more where others end alike', () => {
  const open = ['/home/me/shop/web', '/home/me/bank/web', '/home/me/api'];
  expect(open.map((path) => nameFolder(path, open))).toEqual(['shop/web', 'bank/web', 'api']);
  expect(nameFolder('C:\\work\\Mein Ördner', ['C:\\work\\other'])).toBe('Mein Ördner');
  expect(nameFolder('/web', ['/srv/web'])).toBe('/web');
});
