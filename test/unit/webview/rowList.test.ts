import { expect, test } from 'vitest';
import type { Row } from '../../../src/protocol/rows.ts';
import { RowList } from '../../../webview/page/rowList.ts';
import { assistant, notice, READY, show, tool, user } from '../../support/panelScenes.ts';

function listOf(...ids: string[]): RowList {
  const list = new RowList();
  list.apply(
    show(
      READY,
      ids.map((id) => user(id, id)),
      true,
    ),
  );
  return list;
}

const ids = (list: RowList) => list.all.map((row) => row.id);

test('changed rows stay in place, new ones come at the end', () => {
  const list = listOf('m1', 'm2');
  list.apply({ type: 'rows', rows: [user('m1', 'changed'), user('m3', 'new')] });
  expect([ids(list), list.get('m1')]).toEqual([['m1', 'm2', 'm3'], user('m1', 'changed')]);
});

test('older rows are taken only when they join what is held', () => {
  const list = listOf('m5', 'm6');
  list.apply({ type: 'olderRows', beforeId: 'm9', rows: [user('m8', '')], more: false });
  expect([ids(list), list.more]).toEqual([['m5', 'm6'], true]);
  list.apply({ type: 'olderRows', beforeId: 'm5', rows: [user('m3', ''), user('m4', '')], more: false });
  expect([ids(list), list.more]).toEqual([['m3', 'm4', 'm5', 'm6'], false]);
});

test('deltas grow answers and outputs, and nothing else', () => {
  const list = new RowList();
  list.apply(show(READY, [user('m1', 'q'), assistant('live', 'a'), tool('t', 'run_command', 'x', { result: '1' })]));
  for (const rowId of ['m1', 'live', 't', 'gone']) list.apply({ type: 'delta', rowId, text: '!', reasoning: '?' });
  expect(
    list.all.map((row) =>
      row.type === 'tool' ? row.result : row.type === 'assistant' ? row.text + row.reasoning : row.id,
    ),
  ).toEqual(['m1', 'a!?', '1!']);
});

test('a complete answer takes the place of the row that streamed it', () => {
  const list = new RowList();
  list.apply(show(READY, [user('m1', 'q'), { ...assistant('live', 'a'), live: true } as Row]));
  list.apply({ type: 'rows', rows: [notice('e2', 'info', 'n'), assistant('m3', 'ab')] });
  list.apply({ type: 'removeRows', ids: ['live'] });
  expect(ids(list)).toEqual(['m1', 'm3', 'e2']);
});

test('rows that leave are gone, and their places closed', () => {
  const list = listOf('m1', 'm2', 'm3');
  list.apply({ type: 'removeRows', ids: ['m2', 'm7'] });
  list.apply({ type: 'rows', rows: [user('m3', 'still found')] });
  expect([ids(list), list.get('m3')]).toEqual([['m1', 'm3'], user('m3', 'still found')]);
});
