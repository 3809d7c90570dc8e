import { expect, test } from 'vitest';
import { findOrders } from '../../../src/core/orders/findOrders.ts';
import { NONE, ORDERS } from './labelledSentences.ts';

const found = (sentence: string) => findOrders(sentence).length > 0;

test('B14: at least 95 % of the demands are found, and of what is found at least 95 % are demands', () => {
  expect(Math.min(ORDERS.length, NONE.length)).toBeGreaterThanOrEqual(100);
  const missed = ORDERS.filter((sentence) => !found(sentence));
  const wrong = NONE.filter(found);
  const right = ORDERS.length - missed.length;
  const told = `missed ${JSON.stringify(missed, null, 1)}, wrong ${JSON.stringify(wrong, null, 1)}`;
  expect(right / ORDERS.length, told).toBeGreaterThanOrEqual(0.95);
  expect(right / (right + wrong.length), told).toBeGreaterThanOrEqual(0.95);
});
