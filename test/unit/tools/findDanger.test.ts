/** What a person should see at a glance in a command line, and what is ordinary. */

import { expect, test } from 'vitest';
import { findDanger } from '../../../src/core/tools/builtIn/runCommand.ts';
import { inEnglish } from '../../../src/core/words.ts';

test.each([
  ['rm -rf src', 'It deletes: rm -rf src'],
  ['npm run build && rm -r dist', 'It deletes: rm -r dist'],
  ['for f in a b; do rm "$f"; done', 'It deletes: rm "$f"'],
  ['echo $(rm x)', 'It deletes: rm x'],
  ['ls | xargs -n 1 rm', 'It deletes: xargs -n 1 rm'],
  ['sudo rm x', 'It deletes: sudo rm x'],
  ['git clean -fdx', 'It deletes: git clean -fdx'],
  ['git reset --hard HEAD', 'It deletes: git reset --hard HEAD'],
  ['git push --force', 'It deletes: git push --force'],
  ['find . -name x -delete', 'It deletes: find . -name x -delete'],
  ['cp a ../b', 'It names a place outside this folder: ../b'],
  ['echo x > /etc/hosts', 'It names a place outside this folder: /etc/hosts'],
  ['cd ~/other && make', 'It names a place outside this folder: ~/other'],
])('%j is pointed out', (line, said) => {
  expect(inEnglish(findDanger(line, '/srv'))).toContain(said);
});

test.each([
  'echo rm',
  'npm test',
  'git commit -m "rm x"',
  'cat /srv/a.txt',
  'ls > /dev/null',
  'node -e "1"',
  'git reset HEAD a',
  'grep -rn rm src',
  'git push',
  'cd sub && make clean',
  'rm'.slice(2),
  '(',
])('%j is ordinary', (line) => {
  expect(findDanger(line, '/srv')).toEqual([]);
});

test('both are said', () => {
  expect(inEnglish(findDanger('rm -rf ../other', '/srv'))).toMatch(
    /It deletes: rm -rf \.\.\/other.*outside this folder/s,
  );
});

test('a folder of Windows is the same in the form of any shell', () => {
  for (const word of ['/c/Work/app/x', 'C:/work/APP/x', 'c:/work/app', '/cygdrive/c/work/app/x', '"C:\\work\\app\\x"'])
    expect(findDanger(`ls ${word}`, 'c:\\work\\app'), word).toEqual([]);
  for (const word of ['/c/work/app2/x', '/d/work/app/x', '/tmp/x', 'C:/work'])
    expect(inEnglish(findDanger(`ls ${word}`, 'c:\\work\\app')), word).toContain('outside this folder');
});
