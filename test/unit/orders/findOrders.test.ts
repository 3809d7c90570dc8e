import { describe, expect, test } from 'vitest';
import { findOrders } from '../../../src/core/instructions/findOrders.ts';
import { FRESH_NONE, FRESH_ORDERS } from './freshSentences.ts';
import { NONE, ORDERS } from './labelledSentences.ts';

const found = (sentence: string) => findOrders(sentence).length > 0;

describe.each([
  { kind: 'labelled', orders: ORDERS, none: NONE, recall: 0.95 },
  { kind: 'fresh', orders: FRESH_ORDERS, none: FRESH_NONE, recall: 0.92 },
])('$kind sentences', ({ orders, none, recall }) => {
  test('the demands are found, and of what is found at least 95 % are demands', { tags: ['B14'] }, () => {
    expect(orders.length + none.length).toBeGreaterThanOrEqual(200);
    const missed = orders.filter((sentence) => !found(sentence));
    const wrong = none.filter(found);
    const right = orders.length - missed.length;
    const told = `missed ${JSON.stringify(missed, null, 1)}, wrong ${JSON.stringify(wrong, null, 1)}`;
    expect(right / orders.length, told).toBeGreaterThanOrEqual(recall);
    expect(right / (right + wrong.length), told).toBeGreaterThanOrEqual(0.95);
  });
});
