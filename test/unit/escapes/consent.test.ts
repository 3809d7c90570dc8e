/**
 * Everything by which the entry of a folder could hide what would be started: it is shown first and whole, or it cannot be
 * started, with what to do.
 */

import { expect, test } from 'vitest';
import { inEnglish } from '../../../src/core/words.ts';
import { readForeignServer, showStart } from '../../../src/node/mcp/serverConfig.ts';

const LONG = 'x'.repeat(3_000);
const SPACES = ' '.repeat(2_000);

const CASES: readonly [name: string, entry: object, shown: readonly string[] | null][] = [
  [
    'a variable before the program',
    { command: 'sh', args: ['-c', 'evil'], env: { A: 'x'.repeat(500) } },
    ['sh -c evil'],
  ],
  ['a long variable', { command: 'sh', args: ['-c', 'evil'], env: { A: LONG } }, null],
  ['a long name of a variable', { command: 'sh', env: { [`A${'_'.repeat(400)}`]: LONG } }, null],
  [
    'many variables',
    { command: 'sh', env: Object.fromEntries(Array.from({ length: 700 }, (_, n) => [`V${n}`, '1'])) },
    null,
  ],
  ['a long first argument', { command: 'sh', args: [LONG, '-c', 'evil'] }, null],
  ['many arguments', { command: 'sh', args: Array.from({ length: 500 }, () => '--quiet') }, null],
  ['a long program', { command: `${LONG}x` }, null],
  ['a long folder', { command: 'sh', args: ['-c', 'evil'], cwd: LONG }, null],
  ['a long address', { url: `https://a.example/${LONG}` }, null],
  ['a long header', { url: 'https://a.example/', headers: { Cookie: LONG } }, null],
  ['blanks before the argument', { command: 'sh', args: [`${SPACES}-c`] }, ['sh "⟨2000 spaces⟩-c"']],
  ['line breaks before the argument', { command: 'sh', args: ['\n\n-c'] }, ['sh "\\n\\n-c"']],
  ['letters that cannot be seen', { command: 'sh', args: ['a\u202Eb\u200B'] }, ['⟨U+202E⟩', '⟨U+200B⟩']],
  ['an argument that looks like two', { command: 'sh', args: ['a b'] }, ['sh "a b"']],
  [
    'a name of a variable that looks like a program',
    { command: 'sh', env: { 'A=1 npx good': '1' } },
    ['"A=1 npx good"=1'],
  ],
];

test.each(CASES)('%s', (_, entry, shown) => {
  const { config } = readForeignServer('server', entry, { path: '.mcp.json', folder: '/work' });
  if (shown === null) {
    expect(config.kind === 'unusable' && inEnglish(config.reason)).toMatch(
      /^What would be started is too long to be shown whole \([\d,]+ characters, at most 3,000\).+ in your own settings\.$/u,
    );
    return;
  }
  if (config.kind === 'unusable') throw new Error(inEnglish(config.reason));
  const { first, folder, given } = showStart(config);
  for (const part of shown) expect([first, folder, given].join('\n')).toContain(part);
  expect(first).toMatch(/^sh\b/u);
});
