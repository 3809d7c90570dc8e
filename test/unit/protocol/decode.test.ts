import { expect, test } from 'vitest';
import { decodeToHost, decodeToPanel } from '../../../src/protocol/messages.ts';
import { COMMAND_APPROVAL, notice, user } from '../../support/panelScenes.ts';

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
    decodeToPanel([good, { type: 'rows', rows: 'm1' }]).kind,
    decodeToPanel(good).kind,
  ]).toEqual(['ok', 'refused', 'refused']);
});

test('a row that does not fit costs only itself, and what it asks is still asked', () => {
  const whole = user('m1', 'hello');
  const asking = { ...COMMAND_APPROVAL, status: 'unheardOf' };
  let deep: unknown = [];
  for (let depth = 0; depth < 20_000; depth++) deep = [{ text: '{0}', values: [deep] }];
  const endless = { ...notice('e3', 'info', ''), text: deep };
  const decoded = decodeToPanel([{ type: 'rows', rows: [whole, asking, { id: 'm9' }, endless, 7] }]);
  const [message] = decoded.kind === 'ok' ? decoded.value : [];
  const rows = message?.type === 'rows' ? message.rows : [];
  expect(rows.map(({ id, type }) => [id, type])).toEqual([
    ['m1', 'user'],
    [COMMAND_APPROVAL.id, 'tool'],
    ['m9', 'notice'],
    ['e3', 'notice'],
    ['unreadable4', 'notice'],
  ]);
  expect(rows[1]).toMatchObject({ status: 'approval', approval: { id: 'a2', hash: 'h2' } });
});
