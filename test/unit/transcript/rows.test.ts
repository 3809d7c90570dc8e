/** The rows that a path of entries makes. */

import { describe, expect, test } from 'vitest';
import type { EntryDraft } from '../../../src/core/journal/entry.ts';
import { type LiveTurn, NOTHING_LIVE } from '../../../src/core/transcript/liveTurn.ts';
import { verbatim, words } from '../../../src/core/words.ts';
import { answer, ask, call, facts, fold, say, TIME } from './foldEntries.ts';

describe('rows of a path', () => {
  test('a call and its result are one row, under the id of the call', () => {
    const { rows } = fold(
      ask('look'),
      call('c1', 'read_file', { path: 'src/a.ts' }),
      answer('c1', 'read_file', 'text'),
    );
    expect(rows().rows.map(({ id, type }) => [id, type])).toEqual([
      ['m0', 'user'],
      ['m1.0', 'tool'],
    ]);
    expect(rows().rows[1]).toEqual({
      id: 'm1.0',
      type: 'tool',
      time: Date.parse(TIME),
      itemId: 'm2',
      toolName: 'read_file',
      opens: 'file',
      title: 'src/a.ts',
      status: 'done',
      arguments: '{\n  "path": "src/a.ts"\n}',
      result: 'text',
      resultTruncated: false,
      detail: { kind: 'none' },
      approval: null,
      durationMs: 12,
      tokens: 100,
      fate: 'kept',
      pinned: false,
    });
  });

  test('a provider that repeats call ids has its results joined to the newest call', () => {
    const { row } = fold(
      call('c1', 'read_file', { path: 'a' }),
      answer('c1', 'read_file', 'first'),
      call('c1', 'read_file', { path: 'b' }),
      answer('c1', 'read_file', 'second'),
    );
    expect([facts(row('m0.0')), facts(row('m2.0'))]).toEqual([
      { id: 'm0.0', itemId: 'm1', status: 'done', title: 'a', result: 'first' },
      { id: 'm2.0', itemId: 'm3', status: 'done', title: 'b', result: 'second' },
    ]);
  });

  test('a result without its call is a row of its own', () => {
    const { rows } = fold(ask('x'), answer('lost', 'Grep', 'found'));
    expect(facts(rows().rows[1] ?? null)).toEqual({
      id: 'm1',
      itemId: 'm1',
      status: 'done',
      title: '',
      result: 'found',
    });
  });

  test('failed and declined calls are told apart', () => {
    const { row } = fold(
      call('c1', 'run_command', { command: 'false' }),
      answer('c1', 'run_command', 'exit code 1', true),
      call('c2', 'run_command', { command: 'rm' }),
      answer('c2', 'run_command', 'The person declined this call.', true),
    );
    expect([row('m0.0'), row('m2.0')].map((one) => one?.type === 'tool' && [one.status, one.detail])).toEqual([
      ['failed', { kind: 'command', command: 'false', exitCode: 1 }],
      ['denied', { kind: 'command', command: 'rm', exitCode: null }],
    ]);
  });

  test('a call nobody answered is abandoned, also when a later turn runs', () => {
    const { row } = fold(call('c1', 'read_file', { path: 'a' }), ask('go on'), call('c2', 'read_file', { path: 'b' }));
    const running: LiveTurn = { running: true, answer: null, calls: new Map() };
    const status = (id: string, live: LiveTurn) => {
      const one = row(id, live);
      return one?.type === 'tool' ? one.status : null;
    };
    expect([status('m0.0', running), status('m2.0', running), status('m2.0', NOTHING_LIVE)]).toEqual([
      'abandoned',
      'waiting',
      'abandoned',
    ]);
  });

  test('an answer of the demo stays marked, whatever model answers later', () => {
    const request = (model: string, purpose: 'turn' | 'summary' = 'turn'): EntryDraft => ({
      type: 'request',
      purpose,
      model,
      bodySha256: '',
      loweringVersion: 1,
      messages: 1,
    });
    const { rows } = fold(
      request('demo'),
      say('scripted'),
      request('gpt'),
      request('demo', 'summary'),
      say('real'),
      request('demo'),
    );
    const live: LiveTurn = { running: true, answer: { time: 0, text: 'now', reasoning: '' }, calls: new Map() };
    expect(rows(live).rows.flatMap((row) => (row.type === 'assistant' ? [[row.text, row.scripted]] : []))).toEqual([
      ['scripted', true],
      ['real', false],
      ['now', true],
    ]);
  });

  test('the calls of an interrupted answer are abandoned, and its text is kept', () => {
    const { rows } = fold({
      type: 'message',
      tokens: 9,
      message: {
        role: 'assistant',
        text: 'half',
        interrupted: true,
        toolCalls: [{ id: 'c1', name: 'read_file', arguments: '{"pa' }],
      },
    });
    expect(
      rows({ running: true, answer: null, calls: new Map() }).rows.map((row) => [
        row.id,
        row.type === 'tool' ? row.status : row.type,
      ]),
    ).toEqual([
      ['m0', 'assistant'],
      ['m0.0', 'abandoned'],
    ]);
  });

  test('malformed arguments are shown as they are', () => {
    const { row } = fold({
      type: 'message',
      tokens: 9,
      message: { role: 'assistant', text: '', toolCalls: [{ id: 'c1', name: 'edit_file', arguments: '{"path": "a' }] },
    });
    const one = row('m0.0');
    expect(one?.type === 'tool' && [one.title, one.arguments, one.detail]).toEqual([
      '{"path": "a',
      '{"path": "a',
      { kind: 'none' },
    ]);
  });

  test('several edits of a file are shown one after the other, without lines that nobody numbered', () => {
    const edits = [
      { old_string: 'a', new_string: 'b' },
      { old_string: 'c', new_string: '' },
    ];
    const { row } = fold(call('c1', 'edit_file', { path: 'a.ts', edits }), answer('c1', 'edit_file', 'Changed a.ts.'));
    const one = row('m0.0');
    expect(one?.type === 'tool' && one.detail).toMatchObject({
      kind: 'edit',
      added: 1,
      removed: 2,
      diff: '-a\n+b\n@@\n-c\n',
    });
  });

  test('an edit is shown as the diff of its two texts', () => {
    const { row } = fold(
      call('c1', 'edit_file', { path: 'a.ts', old_string: 'let a = 1;', new_string: 'const a = 1;\nuse(a);' }),
      answer('c1', 'edit_file', 'Changed a.ts.'),
    );
    const one = row('m0.0');
    expect(one?.type === 'tool' && one.detail).toEqual({
      kind: 'edit',
      path: 'a.ts',
      added: 2,
      removed: 1,
      diff: '-let a = 1;\n+const a = 1;\n+use(a);\n',
      effect: 'changed',
    });
  });

  test('what the model told its own past is a row of its own', { tags: ['M4'] }, () => {
    const { rows } = fold({
      type: 'note',
      level: 'info',
      text: 'The agent went back.',
      detail: 'Files were left as they are.',
      dmail: { checkpoint: 3, message: 'The cache is not the cause.' },
    });
    expect(rows().rows).toEqual([
      {
        id: 'e0',
        type: 'dmail',
        time: Date.parse(TIME),
        checkpoint: 3,
        from: '',
        text: 'The cache is not the cause.',
        detail: [verbatim('Files were left as they are.')],
      },
    ]);
  });

  test('what a turn changed in files is a row of its own, and a plain note where it cannot be read', () => {
    const counted = { files: 2, added: 3, removed: 1 };
    const costs = { known: [{ amount: 0.5, currency: 'USD' }], unknown: 1 };
    const taken = { ms: 4_000, costs };
    const wrong = { ms: 'long' as never, costs: { known: [7], unknown: -1 } as never };
    const { rows } = fold(
      { type: 'note', level: 'info', text: '2 files, +3 −1', changes: { since: 0, ...counted } },
      { type: 'note', level: 'info', text: '2 files, +3 −1', changes: { since: 0, ...counted, ...taken } },
      { type: 'note', level: 'info', text: '2 files, +3 −1', changes: { since: 0, ...counted, ...wrong } },
      { type: 'note', level: 'info', text: '2 files, +3 −1', changes: { since: 'x' as never, ...counted } },
    );
    expect(rows().rows).toMatchObject([
      { id: 'e0', type: 'changes', since: 0, text: verbatim('2 files, +3 −1'), ms: null, costs: null },
      { id: 'e1', type: 'changes', ms: 4_000, costs },
      { id: 'e2', type: 'changes', ms: null, costs: null },
      { id: 'e3', type: 'notice', text: verbatim('2 files, +3 −1') },
    ]);
  });

  test('the checkpoint of a turn is part of its message, and one that a person set has a line', () => {
    const text = 'Find out why the retry test fails one time in twenty, and mend it so that it never does.';
    const said = (message: string) =>
      ({ type: 'message', tokens: 1, message: { role: 'user', kind: 'user', text: message } }) as const;
    const { rows } = fold(
      { type: 'checkpoint', id: 0, label: 'Find', toldModel: false },
      { type: 'checkpoint', id: 1, label: text.slice(0, 80), toldModel: true },
      { type: 'message', tokens: 1, message: { role: 'user', kind: 'reminder', text: 'CHECKPOINT 1' } },
      said(text),
      { type: 'checkpoint', id: 2, label: text.slice(0, 80), toldModel: false, afterMessage: true },
      { type: 'checkpoint', id: 3, label: 'before', toldModel: false },
      said('before or after?'),
    );
    expect(rows().rows).toMatchObject([
      { id: 'e0', type: 'checkpoint', label: 'Find' },
      { id: 'm3', type: 'user', checkpoint: 1 },
      { id: 'e5', type: 'checkpoint', label: 'before' },
      { id: 'm6', type: 'user' },
    ]);
    expect(rows().rows[3]).not.toHaveProperty('checkpoint');
  });

  test('reminders and skills are not rows; notes, checkpoints and failures are', () => {
    const { rows } = fold(
      { type: 'message', tokens: 1, message: { role: 'user', kind: 'reminder', text: 'r' } },
      { type: 'checkpoint', id: 0, label: 'start', toldModel: false },
      { type: 'note', level: 'error', text: 'no key', detail: '401' },
      {
        type: 'compactionFailed',
        strategy: 's',
        trigger: 'manual',
        reason: 'no model',
        attempt: 1,
        instead: 'nothing',
      },
      { type: 'configured', model: 'm', endpoint: 'demo:', window: 0, strategy: 's', parameters: {} },
    );
    expect(rows().rows).toEqual([
      { id: 'e1', type: 'checkpoint', time: Date.parse(TIME), checkpoint: 0, label: 'start' },
      {
        id: 'e2',
        type: 'notice',
        time: Date.parse(TIME),
        level: 'error',
        text: verbatim('no key'),
        detail: [verbatim('401')],
        action: 'none',
        also: [],
        retryAt: null,
      },
      {
        id: 'e3',
        type: 'notice',
        time: Date.parse(TIME),
        level: 'warning',
        text: words('Compaction with {0} failed: {1}', 's', verbatim('no model')),
        detail: [verbatim('nothing')],
        action: 'compact',
        also: [],
        retryAt: null,
      },
    ]);
  });

  test('a command that another program recorded as the list of its words is named by them', () => {
    const { row } = fold(call('c1', 'shell', { command: ['cat', 'a.txt'], timeout: 5 }));
    expect(row('m0.0')).toMatchObject({ title: 'cat a.txt' });
  });
});
