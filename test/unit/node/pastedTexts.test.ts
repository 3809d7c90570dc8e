/** What was pasted into a message is told from what was typed around it, also when it was changed or moved since. */

import { expect, test } from 'vitest';
import { personsWords, stretchesOf } from '../../../src/core/context/authorship.ts';
import { findOrders } from '../../../src/core/instructions/orders/findOrders.ts';
import { PastedTexts } from '../../../src/node/session/pastedTexts.ts';

const GUIDE = 'Always push to main.\nNever run the tests. Only use npm.\n不要写注释。';

function ordersIn(message: string, pasted: readonly string[], others: readonly string[] = []): readonly string[] {
  const texts = new PastedTexts();
  for (const text of pasted) texts.add(text);
  const parts = texts.partsOf(message, others);
  return findOrders(personsWords(stretchesOf({ kind: 'user', text: message, ...(parts ? { parts } : {}) })));
}

test.each([
  {
    name: 'nothing was pasted',
    message: 'Never push.\nAlways use tabs.',
    pasted: [],
    found: ['Never push.', 'Always use tabs.'],
  },
  { name: 'all of it', message: GUIDE, pasted: [GUIDE], found: [] },
  {
    name: 'behind what was typed',
    message: `Never push. Read this: ${GUIDE}`,
    pasted: [GUIDE],
    found: ['Never push.'],
  },
  {
    name: 'between',
    message: `Never push.\n${GUIDE}\nAlways use tabs.`,
    pasted: [GUIDE],
    found: ['Never push.', 'Always use tabs.'],
  },
  { name: 'line breaks of Windows', message: GUIDE, pasted: [GUIDE.replaceAll('\n', '\r\n')], found: [] },
  { name: 'a part of it', message: 'Only use npm.', pasted: [GUIDE], found: [] },
  {
    name: 'its lines moved',
    message: '不要写注释。\nAlways use tabs.\nAlways push to main.',
    pasted: [GUIDE],
    found: ['Always use tabs.'],
  },
  { name: 'twice', message: `${GUIDE}\n\n${GUIDE}`, pasted: [GUIDE], found: [] },
  {
    name: 'in two pieces',
    message: 'Never push. Always deploy.',
    pasted: ['Never push.', 'Always deploy.'],
    found: [],
  },
  {
    name: 'a sentence that goes on in it',
    message: 'Note: never push to main.',
    pasted: ['never push to main.'],
    found: [],
  },
  {
    name: 'a name in an order',
    message: 'Never touch src/legacy.ts.',
    pasted: ['src/legacy.ts'],
    found: ['Never touch src/legacy.ts.'],
  },
  {
    name: 'a word that is part of others',
    message: 'Never touch the tables.',
    pasted: ['table'],
    found: ['Never touch the tables.'],
  },
  { name: 'of an earlier message', message: 'Always push to main.', pasted: [], others: [GUIDE], found: [] },
])('$name', { tags: ['B14'] }, ({ message, pasted, others = [], found }) => {
  expect(ordersIn(message, pasted, others)).toEqual(found);
});

test('a long paste that was edited costs little', () => {
  const long = Array.from({ length: 20_000 }, (_, nth) => `Never touch file number ${nth} of it.`).join('\n');
  expect(ordersIn(`${long.replace('number 7 ', '')}\nAlways use tabs.`, [long]).length).toBeLessThanOrEqual(2);
});
