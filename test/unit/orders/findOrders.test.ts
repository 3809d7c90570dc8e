import { describe, expect, test } from 'vitest';
import { findOrders } from '../../../src/core/instructions/orders/findOrders.ts';
import { DEVELOPMENT } from './developmentMessages.ts';
import { FRESH_NONE, FRESH_ORDERS } from './freshSentences.ts';
import { HELD_OUT } from './heldOutMessages.ts';
import { judge, messagesOf, precisionOf, recallOf } from './labelledMessages.ts';
import { NONE, ORDERS } from './labelledSentences.ts';
import { LAST, LATER } from './laterMessages.ts';
import { REQUIREMENTS, WRITTEN_ORDERS } from './requirements.ts';

const found = (sentence: string) => findOrders(sentence).length > 0;

test.each([
  { kind: 'labelled', orders: ORDERS, none: NONE },
  { kind: 'fresh', orders: FRESH_ORDERS, none: FRESH_NONE },
  { kind: 'written', orders: WRITTEN_ORDERS, none: REQUIREMENTS },
])(
  'of the $kind sentences all demands are found, and nothing else',
  {
    tags: ['B14'],
  },
  ({ orders, none }) => {
    expect({ missed: orders.filter((sentence) => !found(sentence)), wrong: none.filter(found) }).toEqual({
      missed: [],
      wrong: [],
    });
  },
);

/** Measured when the detector was last changed, as shares; `least` is that of the weakest language. */
describe.each([
  { set: 'development', messages: messagesOf(DEVELOPMENT), recall: 0.99, precision: 0.99, least: 0.95 },
  { set: 'later', messages: messagesOf(LATER), recall: 0.98, precision: 0.98, least: 0.8 },
  { set: 'last', messages: messagesOf(LAST), recall: 0.95, precision: 0.98, least: 0.8 },
  { set: 'held out', messages: messagesOf(HELD_OUT), recall: 0.97, precision: 0.98, least: 0.88 },
])('the $set messages', ({ messages, recall, precision, least }) => {
  test('of all languages together', { tags: ['B14'] }, () => {
    const judged = judge(messages, findOrders);
    expect(recallOf(judged), `missed: ${judged.missed.join(' | ')}`).toBeGreaterThanOrEqual(recall);
    expect(precisionOf(judged), `wrong: ${judged.wrong.join(' | ')}`).toBeGreaterThanOrEqual(precision);
  });

  test.each([...new Set(messages.map(({ language }) => language))])('of %s', { tags: ['B14'] }, (language) => {
    const judged = judge(
      messages.filter((each) => each.language === language),
      findOrders,
    );
    expect(recallOf(judged), `missed: ${judged.missed.join(' | ')}`).toBeGreaterThanOrEqual(least);
    expect(precisionOf(judged), `wrong: ${judged.wrong.join(' | ')}`).toBeGreaterThanOrEqual(least);
  });
});
