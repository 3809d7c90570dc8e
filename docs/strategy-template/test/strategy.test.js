// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepTests } from '../strategy.js';

/** What the strategy makes of one tool result, with results of 10 characters and more hidden. @param {string} text */
async function left(text) {
  const message = { role: 'tool', id: 'm1', text };
  const context = { history: [message], hide: () => ({ ...message, text: 'hidden' }) };
  const strategy = keepTests.create({ log: () => {}, settings: () => ({ longest: 10 }) });
  const result = await strategy.compact(/** @type {any} */ (context));
  return result && /** @type {any} */ (result)[0].text;
}

test('hides long results', async () => {
  assert.equal(await left('a result of no interest'), 'hidden');
});

test('keeps short results, and what failing tests printed', async () => {
  assert.equal(await left('short'), null);
  assert.equal(await left('FAIL src/retry.test.ts'), null);
});
