/** Orders that differ in little are two, and what is pasted or asked politely is read for what it is. */

import { expect, test } from 'vitest';
import { findOrders } from '../../../src/core/instructions/orders/findOrders.ts';
import { findRemarks } from '../../../src/core/instructions/orders/remarks.ts';
import { wordingOf } from '../../../src/core/instructions/orders/subjects.ts';

test.each([
  ['Never touch a.ts.', 'Never touch b.ts.'],
  ['Never use C.', 'Never use C++.'],
  ['Never use C++.', 'Never use C#.'],
  ['Always do A before B.', 'Always do B before A.'],
  ['Never write to tmp.', 'Never write from tmp.'],
  ['Always compile with -e.', 'Always compile with -E.'],
  ['Never edit src/a.', 'Never edit src-a.'],
  ['不要动A。', '不要动B。'],
])('%s does not take the place of %s', (one, other) => {
  expect(wordingOf(one)).not.toBe(wordingOf(other));
});

test.each([
  ['Always use tabs.', 'always use tabs!'],
  ['Never use tabs.', 'From now on, never ever use tabs'],
  ['Do not use “tabs”.', 'Don’t use tabs'],
  ['Please always run the tests.', 'Be sure to always run the test.'],
  ['不要动文件', '请不要动文件。'],
])('%s and %s are one', (one, other) => {
  expect(wordingOf(one)).toBe(wordingOf(other));
});

test('a comment of a program, over several lines, is nobody’s order', () => {
  const own = 'Always run the tests.';
  for (const pasted of [
    '/**\n * Never call this on the main thread.\n */\nfoo();',
    '/*\nNever call this.\n*/',
    '<!--\nNever edit below.\n-->',
  ])
    expect(findOrders(`${own}\n${pasted}\n${own}`), pasted).toEqual([own]);
  expect(findOrders(`/* one line */\n${own}\n<!-- one line -->\n`)).toEqual([own]);
});

test('a request in the form of a question may take something back', () => {
  for (const said of [
    'Could you please not run the tests any more?',
    'Can you use spaces instead?',
    'Would you drop that rule?',
    '能不能不用制表符了？',
  ])
    expect(
      findRemarks(said).map(({ sign }) => sign),
      said,
    ).toEqual([expect.stringMatching(/^(?:open|sure)$/)]);
  for (const said of ['Should I use spaces instead?', 'Is that rule still on?']) expect(findRemarks(said)).toEqual([]);
});
