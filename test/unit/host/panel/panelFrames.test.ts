import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { PanelChange } from '../../../../src/host/panel/panelChanges.ts';
import { PanelFrames } from '../../../../src/host/panel/panelFrames.ts';
import type { ToPanel } from '../../../../src/protocol/messages.ts';
import { READY, user } from '../../../support/panelScenes.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A session of `count` rows that can be changed, and what is posted about it. */
function panelOf(count: number) {
  const rows = Array.from({ length: count }, (_, n) => user(`m${n}`, `q${n}`));
  const posted: (readonly ToPanel[])[] = [];
  const frames = new PanelFrames(
    {
      state: () => READY,
      row: (id) => rows.find((row) => row.id === id) ?? null,
      kept: () => null,
      rows: (beforeId, most) => {
        const end = beforeId === null ? rows.length : rows.findIndex((row) => row.id === beforeId);
        const start = Math.max(0, end - most);
        return { rows: rows.slice(start, end), more: start > 0 };
      },
    },
    (frame) => posted.push(frame),
  );
  const tell = (...changes: PanelChange[]) => {
    posted.length = 0;
    for (const change of changes) frames.take(change);
    vi.advanceTimersByTime(16);
    return posted.map((frame) => frame.map(brief));
  };
  return { rows, posted, frames, tell };
}

const brief = (message: ToPanel) => {
  const ids = 'rows' in message ? message.rows.map((row) => row.id) : 'ids' in message ? message.ids : [];
  return ids.length > 4 ? `${message.type} ${ids[0]}…${ids.at(-1)}` : [message.type, ...ids].join(' ');
};

test('everything of one frame crosses together, each row once', () => {
  const { tell } = panelOf(3);
  const row = { kind: 'rows', ids: ['m2'] } as const;
  expect(tell(row, { kind: 'state' }, row, { kind: 'state' })).toEqual([['rows m2', 'state']]);
});

test('deltas are added up, and dropped when the whole row crosses', () => {
  const { tell, posted } = panelOf(1);
  const delta = (text: string): PanelChange => ({ kind: 'delta', rowId: 'live', text, reasoning: '' });
  tell(delta('a'), delta('b'));
  expect(posted).toEqual([[{ type: 'delta', rowId: 'live', text: 'ab', reasoning: '' }]]);
  expect(tell(delta('a'), { kind: 'rows', ids: ['m0', 'live'] }, delta('b'))).toEqual([['rows m0']]);
});

test('a row that left is removed once, after the one that took its place came', () => {
  const { tell, rows, frames } = panelOf(1);
  rows.push(user('live', ''));
  frames.show(60);
  rows.splice(1, 1, user('m9', 'whole'));
  expect(tell({ kind: 'rows', ids: ['live', 'm9'] })).toEqual([['rows m9', 'removeRows live']]);
  expect(tell({ kind: 'rows', ids: ['live'] })).toEqual([]);
});

test('rows that differ are sent as far back as the panel holds them, and new ones', () => {
  const { tell, rows, frames } = panelOf(200);
  const told = { kind: 'rows', ids: ['m119', 'm139', 'm140', 'm199', 'e200'] } as const;
  frames.show(60);
  rows.push(user('e200', 'compacted'));
  expect(tell(told)).toEqual([['rows m140 m199 e200']]);
  frames.older('m140', 20);
  expect(tell({ ...told, ids: ['m119', 'm139', 'e200'] })).toEqual([['rows m139 e200']]);
  frames.older('m120', 200);
  expect(tell({ ...told, ids: ['m0', 'm119'] })).toEqual([['rows m0 m119']]);
});

test('another session with fewer rows is followed from its first', () => {
  const { tell, rows, frames } = panelOf(200);
  frames.show(60);
  rows.splice(0, rows.length);
  tell({ kind: 'replaced' });
  rows.push(user('m1', 'first'));
  expect(tell({ kind: 'rows', ids: ['m1'] })).toEqual([['rows m1']]);
});

test('another session is drawn from the start', () => {
  const { tell } = panelOf(100);
  expect(tell({ kind: 'rows', ids: ['m1'] }, { kind: 'replaced' })).toEqual([['show m40…m99']]);
});

test('what streams comes last, whenever it began within the frame', () => {
  const { rows, frames, tell } = panelOf(1);
  frames.show(60);
  rows.push(user('e2', 'checkpoint'), user('live', ''));
  expect(tell({ kind: 'rows', ids: ['live'] }, { kind: 'rows', ids: ['e2'] })).toEqual([['rows e2 live']]);
});

test('what is added to a message before the page has started comes with its first frame', () => {
  const { tell, frames, posted } = panelOf(1);
  expect(tell({ type: 'insertText', text: '@a.ts ' })).toEqual([]);
  expect(tell({ kind: 'replaced' }).flat()).not.toContain('insertText');
  posted.length = 0;
  frames.show(60);
  expect(posted.map((frame) => frame.map(brief))).toEqual([['show m0', 'insertText']]);
});

test('a text that was posted to a page that was gone is given to the next one, once', () => {
  const { frames, posted, tell } = panelOf(1);
  tell({ kind: 'compose', text: 'half a thought' });
  frames.keep(posted.at(-1) ?? []);
  posted.length = 0;
  frames.show(60);
  frames.show(60);
  const composed = posted.map((frame) => frame.flatMap((each) => (each.type === 'compose' ? [each.text] : [])));
  expect(composed).toEqual([['half a thought'], []]);
});
