import { expect, test } from 'vitest';
import { decodeToHost, decodeToPanel } from '../../../src/protocol/decode.ts';

const kinds = (values: readonly unknown[]) => values.map((value) => decodeToHost(value).kind);

test('what the panel may say is taken, everything else refused', () => {
  expect(
    kinds([
      { type: 'ready', count: 60 },
      { type: 'send', text: 'hello' },
      { type: 'answer', approvalId: 'a', hash: 'h', answer: 'allow' },
    ]),
  ).toEqual(['ok', 'ok', 'ok']);
  expect(
    kinds([
      null,
      'send',
      { type: 'ready', count: 100_000 },
      { type: 'send' },
      { type: 'send', text: 'x'.repeat(1_000_001) },
      { type: 'answer', approvalId: 'a', hash: 'h', answer: 'always' },
      { type: 'workbench.action.terminal.new' },
      { type: 'openLink', href: 'https://example.org/'.padEnd(5_000, 'x') },
      { type: 'unheardOf' },
    ]),
  ).toEqual(Array(9).fill('refused'));
});

test('fields that are not in the schema do not get through', () => {
  expect(decodeToHost({ type: 'send', text: 'a', approve: true })).toEqual({
    kind: 'ok',
    value: { type: 'send', text: 'a' },
  });
});

test('one bad message refuses its frame', () => {
  const good = { type: 'removeRows', ids: ['m1'] };
  expect([
    decodeToPanel([good]).kind,
    decodeToPanel([good, { type: 'rows', rows: [{ id: 'm1' }] }]).kind,
    decodeToPanel(good).kind,
  ]).toEqual(['ok', 'refused', 'refused']);
});
