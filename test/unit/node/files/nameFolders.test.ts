/** Names of workspace folders: each is one segment of a path, and no two are the same. */

import { expect, test } from 'vitest';
import { nameFolders } from '../../../../src/node/files/nameFolders.ts';

test('folders are told apart by names that can stand in a path', () => {
  const names = ['app', 'App', 'my/app', '..', 'a: \u202Eb ', ''];
  expect(nameFolders(names.map((name, at) => ({ name, path: `/${at}` })))).toEqual([
    { name: 'app', path: '/0' },
    { name: 'App-2', path: '/1' },
    { name: 'my-app', path: '/2' },
    { name: 'folder', path: '/3' },
    { name: 'a- -b', path: '/4' },
    { name: 'folder-2', path: '/5' },
  ]);
});
