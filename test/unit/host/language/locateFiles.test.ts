import { describe, expect, test } from 'vitest';
import { locateFiles } from '../../../../src/node/files/locateFiles.ts';

const one = locateFiles([{ name: 'app', path: '/projects/app' }]);
const two = locateFiles([
  { name: 'app', path: '/projects/app' },
  { name: 'lib', path: '/projects/app/lib' },
]);

describe.skipIf(process.platform === 'win32')('paths of language features', () => {
  test.each([
    [one, '/projects/app/src/a.ts', 'src/a.ts'],
    [two, '/projects/app/src/a.ts', 'app/src/a.ts'],
    [two, '/projects/app/lib/a.ts', 'lib/a.ts'],
  ])('%# one is made of the other', (locate, absolute, shown) => {
    expect(locate.shownOf(absolute)).toBe(shown);
    expect(locate.absoluteOf(shown)).toBe(absolute);
  });

  test.each(['/projects/application/a.ts', '/etc/passwd', null])('%s lies outside', (absolute) => {
    expect(one.shownOf(absolute)).toBeNull();
  });

  test('there is no folder, or none of that name', () => {
    expect(() => locateFiles([]).absoluteOf('a.ts')).toThrow(/No folder is open/);
    expect(() => two.absoluteOf('other/a.ts')).toThrow(/No workspace folder is named "other"/);
  });
});
