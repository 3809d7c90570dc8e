/** What the rows say of the context, and how they come: marks, pages, changes, and rows that cannot be made. */

import { describe, expect, test } from 'vitest';
import type { EntryDraft, TreeEntry } from '../../../src/core/journal/entry.ts';
import { type LiveTurn, NOTHING_LIVE } from '../../../src/core/transcript/liveTurn.ts';
import { verbatim, words } from '../../../src/core/words.ts';
import type { Row } from '../../../src/protocol/rows.ts';
import { answer, ask, call, fold, hide, say, TIME } from './foldEntries.ts';

describe('what the model still sees', () => {
  const path = [ask('look'), call('c1', 'read_file', { path: 'a' }), answer('c1', 'read_file', 'text'), say('done')];
  const fates = ({ rows }: ReturnType<typeof fold>) =>
    rows().rows.flatMap((row) => ('fate' in row ? [[row.id, row.fate, row.pinned]] : []));

  test('a compaction removes no row; it marks what it hid', () => {
    expect(fates(fold(...path, hide('m2', 3)))).toEqual([
      ['m0', 'kept', false],
      ['m1.0', 'hidden', false],
      ['m3', 'kept', false],
    ]);
  });

  test('undo, expand and pin give the mark back', () => {
    const before = fates(fold(...path));
    expect(fates(fold(...path, hide('m2', 3), { type: 'compactionUndone', target: 4 }))).toEqual(before);
    expect(fates(fold(...path, hide('m2', 3), { type: 'expanded', ids: ['m1', 'm2'] }))).toEqual(before);
    expect(fates(fold(...path, hide('m2', 3), { type: 'pinned', ids: ['m1', 'm2'] }))).toEqual([
      ['m0', 'kept', false],
      ['m1.0', 'kept', true],
      ['m3', 'kept', false],
    ]);
  });

  test('shortened and dropped are told apart', () => {
    const compaction: EntryDraft = {
      ...(hide('m2', 3) as Extract<EntryDraft, { type: 'compaction' }>),
      dropped: [[1, 'unread']],
      plan: [
        { op: 'drop', ids: ['m0'] },
        { op: 'insert', message: { role: 'user', kind: 'summary', text: 'in short' }, tokens: 3 },
        { op: 'replace', id: 'm2', by: { text: 'te…', tokens: 2 } },
      ],
    };
    const folded = fold(...path, compaction);
    const any = expect.any(Number);
    expect(fates(folded)).toEqual([
      ['m0', 'unread', false],
      ['m1.0', 'shortened', false],
      ['m3', 'kept', false],
    ]);
    expect(folded.row('e4')).toEqual({
      id: 'e4',
      type: 'compaction',
      time: Date.parse(TIME),
      strategy: 'tool-result-hiding',
      strategyName: verbatim('tool-result-hiding'),
      trigger: 'manual',
      triggerName: words('asked for by you'),
      asked: '',
      inPart: false,
      fates: [
        { fate: 'shortened', messages: 1, inPart: 0 },
        { fate: 'unread', messages: 1, inPart: 0 },
      ],
      lost: [
        { fate: 'shortened', kind: 'toolResult', messages: 1, inPart: 0, tokens: any, left: any },
        { fate: 'unread', kind: 'user', messages: 1, inPart: 0, tokens: any, left: 0 },
      ],
      added: any,
      read: null,
      tokensBefore: 200,
      tokensAfter: 104,
      durationMs: 3,
      summary: 'in short',
      repairs: [],
      reasons: [],
      changed: [],
      ledger: [],
      summaryModel: null,
      summaryTokens: null,
      preparedMs: null,
      cost: null,
      cache: null,
      state: 'active',
      canUndo: true,
      repeated: null,
      canRedo: false,
    });
  });

  test('only the newest active compaction can be undone, only the one undone last redone', () => {
    const folded = fold(...path, hide('m2', 3), say('more'), hide('m2', 5), { type: 'compactionUndone', target: 6 });
    const buttons = (id: string) => {
      const row = folded.row(id);
      return row?.type === 'compaction' && [row.state, row.canUndo, row.canRedo];
    };
    expect([buttons('e4'), buttons('e6')]).toEqual([
      ['active', true, false],
      ['undone', false, true],
    ]);
  });
});

describe('pages', () => {
  const questions = Array.from({ length: 10 }, (_, n) => ask(`q${n}`));
  const ids = ({ rows, more }: { rows: readonly Row[]; more: boolean }) => [rows.map((row) => row.id), more];

  test('newest first page, then older ones until none is left', () => {
    const { rows } = fold(...questions);
    expect([
      ids(rows(NOTHING_LIVE, null, 4)),
      ids(rows(NOTHING_LIVE, 'm6', 4)),
      ids(rows(NOTHING_LIVE, 'm2', 4)),
    ]).toEqual([
      [['m6', 'm7', 'm8', 'm9'], true],
      [['m2', 'm3', 'm4', 'm5'], true],
      [['m0', 'm1'], false],
    ]);
  });

  test('what streams is the last row of the newest page', () => {
    const { rows } = fold(ask('q'));
    const live: LiveTurn = { running: true, answer: { time: 1, text: 'hal', reasoning: '' }, calls: new Map() };
    expect(ids(rows(live))).toEqual([['m0', 'live'], false]);
  });

  test('an unknown row has nothing before it', () => {
    expect(ids(fold(...questions).rows(NOTHING_LIVE, 'm99', 4))).toEqual([[], false]);
  });
});

describe('what an entry touches', () => {
  test('an append its own rows, a compaction and its undo those of the messages that it names', () => {
    const { transcript } = fold(ask('q'));
    const next = (seq: number, draft: EntryDraft): readonly string[] =>
      transcript.apply({ seq, parent: seq - 1, time: TIME, ...draft } as TreeEntry);
    expect([
      next(1, call('c1', 'read_file', { path: 'a' })),
      next(2, answer('c1', 'read_file', 'text')),
      next(3, { type: 'usage', model: 'm', usage: { input: 1, cached: 0, output: 1, reasoning: 0 } }),
      next(4, hide('m2', 3)),
      next(5, { type: 'compactionUndone', target: 4 }),
      next(6, { type: 'compactionRedone', target: 4 }),
      next(7, hide('m0', 6)),
      next(8, { type: 'pinned', ids: ['m2'] }),
      next(9, { type: 'expanded', ids: ['m0'] }),
    ]).toEqual([
      ['m1.0'],
      ['m1.0'],
      [],
      // A result stands with its call.
      ['m1.0', 'e4'],
      ['e4', 'e4', 'm1.0'],
      ['e4', 'e4', 'm1.0'],
      // What could be undone until now cannot any more.
      ['e4', 'm0', 'e7'],
      ['m1.0'],
      ['m0'],
    ]);
  });

  test('a call without a result with its answer, and what was read with the message that mentions it', () => {
    const mention = { role: 'user', kind: 'mention', text: 'file', mention: 'a.ts' } as const;
    const { transcript } = fold(
      ask('q'),
      { type: 'message', tokens: 1, message: mention },
      call('c1', 'read_file', {}),
    );
    const compaction = hide('m1', 2);
    const both = {
      ...compaction,
      plan: [...('plan' in compaction ? compaction.plan : []), { op: 'drop', ids: ['m2'] }],
    };
    expect(transcript.apply({ seq: 3, parent: 2, time: TIME, ...both } as TreeEntry)).toEqual(['m0', 'm2.0', 'e3']);
  });
});

describe('rows that cannot be made', () => {
  const nested = (depth: number) => `{"command":"ls","x":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  const deepCall: EntryDraft = {
    type: 'message',
    tokens: 1,
    message: { role: 'assistant', text: '', toolCalls: [{ id: 'a', name: 'run_command', arguments: nested(5_000) }] },
  };

  test('arguments nested 5,000 deep are shown as they were written', () => {
    const { row } = fold(ask('q'), deepCall);
    expect(row('m1.0')).toMatchObject({ type: 'tool', detail: { kind: 'none' }, arguments: nested(5_000) });
  });

  test('brackets inside of a string nest nothing', () => {
    const input = { command: `echo "${'['.repeat(500)}"` };
    expect(fold(ask('q'), call('a', 'run_command', input)).row('m1.0')).toMatchObject({ detail: { kind: 'command' } });
  });

  test('a row that throws is told as a notice, and the others are shown', () => {
    let deep: unknown = [];
    for (let depth = 0; depth < 20_000; depth++) deep = [{ text: '{0}', values: [deep] }];
    const note = { type: 'note', level: 'info', text: 'x', words: deep } as unknown as EntryDraft;
    expect(
      fold(ask('q'), note, say('a'))
        .rows()
        .rows.map(({ id, type }) => [id, type]),
    ).toEqual([
      ['m0', 'user'],
      ['e1', 'notice'],
      ['m2', 'assistant'],
    ]);
  });
});
