import { describe, expect, test } from 'vitest';
import { Projection } from '../../../src/core/context/projection.ts';
import type { EntryDraft, TreeEntry } from '../../../src/core/journal/entry.ts';
import { type LiveTurn, NOTHING_LIVE } from '../../../src/core/transcript/live.ts';
import { Transcript, type TranscriptChange } from '../../../src/core/transcript/transcript.ts';
import { verbatim, words } from '../../../src/core/words.ts';
import type { Row } from '../../../src/protocol/rows.ts';

const TIME = '2026-01-15T09:30:00.000Z';

/** A path of entries numbered from 0, folded into context and transcript. */
function fold(...drafts: EntryDraft[]) {
  const path = drafts.map(
    (draft, seq) => ({ seq, parent: seq === 0 ? null : seq - 1, time: TIME, ...draft }) as TreeEntry,
  );
  const context = Projection.of(path);
  const transcript = Transcript.of(path);
  const row = (id: string, live: LiveTurn = NOTHING_LIVE) => transcript.row(id, context, live);
  const rows = (live: LiveTurn = NOTHING_LIVE, before: string | null = null, count = 100) =>
    transcript.rows(context, live, before, count);
  return { transcript, context, row, rows };
}

const ask = (text: string): EntryDraft => ({
  type: 'message',
  tokens: 5,
  message: { role: 'user', kind: 'user', text },
});
const call = (id: string, name: string, input: unknown): EntryDraft => ({
  type: 'message',
  tokens: 20,
  message: { role: 'assistant', text: '', toolCalls: [{ id, name, arguments: JSON.stringify(input) }] },
});
const answer = (toolCallId: string, toolName: string, text: string, isError = false): EntryDraft => ({
  type: 'message',
  tokens: 100,
  message: { role: 'tool', toolCallId, toolName, text, durationMs: 12, ...(isError ? { isError } : {}) },
});
const say = (text: string, interrupted = false): EntryDraft => ({
  type: 'message',
  tokens: 10,
  message: { role: 'assistant', text, ...(interrupted ? { interrupted } : {}) },
});
const hide = (id: string, base: number): EntryDraft => ({
  type: 'compaction',
  base,
  plan: [{ op: 'replace', id, by: { text: '[hidden]', tokens: 4, hidden: true } }],
  strategy: 'tool-result-hiding',
  trigger: 'manual',
  tokensBefore: 200,
  tokensAfter: 104,
  durationMs: 3,
  attempt: 1,
});

const facts = (row: Row | null) =>
  row?.type === 'tool'
    ? { id: row.id, itemId: row.itemId, status: row.status, title: row.title, result: row.result }
    : row;

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
      title: 'src/a.ts',
      status: 'done',
      arguments: '{\n  "path": "src/a.ts"\n}',
      result: 'text',
      resultTruncated: false,
      detail: { kind: 'none' },
      approval: null,
      durationMs: 12,
      tokens: 100,
      fate: 'seen',
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

  test('an edit is shown as the diff of its two texts', () => {
    const { row } = fold(
      call('c1', 'edit_file', { path: 'a.ts', old_string: 'let a = 1;', new_string: 'const a = 1;\nuse(a);' }),
    );
    const one = row('m0.0');
    expect(one?.type === 'tool' && one.detail).toEqual({
      kind: 'edit',
      path: 'a.ts',
      added: 2,
      removed: 1,
      diff: '@@ -1,1 +1,2 @@\n-let a = 1;\n+const a = 1;\n+use(a);\n',
    });
  });

  test('M4: what the model told its own past is a row of its own', () => {
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
        text: 'The cache is not the cause.',
        detail: [verbatim('Files were left as they are.')],
      },
    ]);
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
      },
      {
        id: 'e3',
        type: 'notice',
        time: Date.parse(TIME),
        level: 'warning',
        text: words('Compaction with {0} failed: {1}', 's', verbatim('no model')),
        detail: [verbatim('nothing')],
        action: 'none',
      },
    ]);
  });

  test('a command that another program recorded as the list of its words is named by them', () => {
    const { row } = fold(call('c1', 'shell', { command: ['cat', 'a.txt'], timeout: 5 }));
    expect(row('m0.0')).toMatchObject({ title: 'cat a.txt' });
  });
});

describe('what the model still sees', () => {
  const path = [ask('look'), call('c1', 'read_file', { path: 'a' }), answer('c1', 'read_file', 'text'), say('done')];
  const fates = ({ rows }: ReturnType<typeof fold>) =>
    rows().rows.flatMap((row) => ('fate' in row ? [[row.id, row.fate, row.pinned]] : []));

  test('a compaction removes no row; it marks what it hid', () => {
    expect(fates(fold(...path, hide('m2', 3)))).toEqual([
      ['m0', 'seen', false],
      ['m1.0', 'hidden', false],
      ['m3', 'seen', false],
    ]);
  });

  test('undo, expand and pin give the mark back', () => {
    const before = fates(fold(...path));
    expect(fates(fold(...path, hide('m2', 3), { type: 'compactionUndone', target: 4 }))).toEqual(before);
    expect(fates(fold(...path, hide('m2', 3), { type: 'expanded', ids: ['m1', 'm2'] }))).toEqual(before);
    expect(fates(fold(...path, hide('m2', 3), { type: 'pinned', ids: ['m1', 'm2'] }))).toEqual([
      ['m0', 'seen', false],
      ['m1.0', 'seen', true],
      ['m3', 'seen', false],
    ]);
  });

  test('shortened and dropped are told apart', () => {
    const compaction: EntryDraft = {
      ...(hide('m2', 3) as Extract<EntryDraft, { type: 'compaction' }>),
      plan: [
        { op: 'drop', ids: ['m0'] },
        { op: 'insert', message: { role: 'user', kind: 'summary', text: 'in short' }, tokens: 3 },
        { op: 'replace', id: 'm2', by: { text: 'te…', tokens: 2 } },
      ],
    };
    const folded = fold(...path, compaction);
    expect(fates(folded)).toEqual([
      ['m0', 'dropped', false],
      ['m1.0', 'shortened', false],
      ['m3', 'seen', false],
    ]);
    expect(folded.row('e4')).toEqual({
      id: 'e4',
      type: 'compaction',
      time: Date.parse(TIME),
      strategy: 'tool-result-hiding',
      strategyName: verbatim('tool-result-hiding'),
      trigger: 'manual',
      tokensBefore: 200,
      tokensAfter: 104,
      durationMs: 3,
      hidden: 0,
      dropped: 1,
      shortened: 1,
      inserted: 1,
      summary: 'in short',
      repairs: [],
      ledger: [],
      summaryModel: null,
      summaryTokens: null,
      state: 'active',
      canUndo: true,
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
  test('an append touches its own rows, a shape entry the page', () => {
    const { transcript } = fold(ask('q'));
    const next = (seq: number, draft: EntryDraft): TranscriptChange =>
      transcript.apply({ seq, parent: seq - 1, time: TIME, ...draft } as TreeEntry);
    expect([
      next(1, call('c1', 'read_file', { path: 'a' })),
      next(2, answer('c1', 'read_file', 'text')),
      next(3, { type: 'usage', model: 'm', usage: { input: 1, cached: 0, output: 1, reasoning: 0 } }),
      next(4, hide('m2', 3)),
      next(5, { type: 'compactionUndone', target: 4 }),
    ]).toEqual([
      { kind: 'rows', ids: ['m1.0'] },
      { kind: 'rows', ids: ['m1.0'] },
      { kind: 'rows', ids: [] },
      { kind: 'page' },
      { kind: 'page' },
    ]);
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
