import { describe, expect, it } from 'vitest';
import { EDIT_TOKENS } from '../../../src/core/agent/parts/hiddenText.ts';
import { prepareSession } from '../../../src/lab/prepareSession.ts';
import { type ReplayOptions, replay } from '../../../src/lab/replay.ts';
import type { Literal, Part } from '../../../src/lab/request.ts';
import { isRealUser, type RecordedMessage, type RecordedSession } from '../../../src/lab/session.ts';
import type { SessionScore } from '../../../src/lab/sessionScore.ts';
import { calls, filler, result, says, session, user } from '../../support/sessions/labSession.ts';

type Requests = (step: number) => readonly Part[];

const all: Requests = (step) => Array.from({ length: step }, (_, i) => i);

/** Everything but the messages named, or with literals in their place. */
const change = (changes: Readonly<Record<number, Literal | null>>): Requests => {
  return (step) =>
    all(step).flatMap((part) => (typeof part === 'number' && part in changes ? (changes[part] ?? []) : part));
};

const inserted = (content: string): Literal => ({ index: null, message: user(content), leadsTo: [] });
const rewritten = (index: number, message: RecordedMessage, leadsTo: readonly number[] = []): Literal => ({
  index,
  message,
  leadsTo,
});

function score(
  recorded: RecordedSession,
  requests: Requests,
  options: Partial<ReplayOptions> = {},
): Promise<SessionScore> {
  const contender = { request: (step: number) => ({ parts: requests(step) }) };
  return replay(prepareSession(recorded), contender, { signal: new AbortController().signal, ...options });
}

/** A file is read, 9,000 tokens of other things pass, then it is edited: everything the edit names is long-range. */
const LONG = session(
  user('Make the reader faster.'),
  calls('r', 'Read', { file_path: '/app/src/reader.ts' }),
  result('r', ['const x = 1;', '  return parse(line, maxDepth);', 'const y = 2;'].join('\n')),
  says(filler(9000)),
  calls('e', 'Edit', { file_path: '/app/src/reader.ts', old_string: 'return parse(line, maxDepth);', new_string: 'z' }),
  result('e', 'done'),
  says('Done.'),
);
const EDIT = 4;

describe('cost', { tags: ['B6'] }, () => {
  // 8,000 fixed; messages of 5, 5 and 5 tokens; requests before messages 1 and 2 hold one and two of them.
  const SHORT = session(user('abcd'), says('abcd'), says('abcd'));

  it('weighs what the request before holds a tenth, the rest five quarters', async () => {
    const { input, cached, cost, fullCost, rewrites, peak, steps } = await score(SHORT, all);
    const expected = 1.25 * 8005 + (0.1 * 8005 + 1.25 * 5);
    expect({ input, cached, cost, fullCost, rewrites, peak, steps }).toEqual({
      input: 8005 + 8010,
      cached: 8005,
      cost: expected,
      fullCost: expected,
      rewrites: 0,
      peak: 8010,
      steps: 2,
    });
  });

  it('breaks the cache at the first message that differs', async () => {
    const LONGER = session(user('abcd'), says('abcd'), says('abcd'), says('abcd'));
    const requests: Requests = (step) => (step === 3 ? [0, inserted('abcd')] : all(step));
    const { cached, rewrites, input } = await score(LONGER, requests);
    expect({ cached, rewrites, input }).toEqual({ cached: 8005 + 8005, rewrites: 1, input: 8005 + 8010 + 8010 });
  });

  it('takes a message that reads the same for the same', async () => {
    const requests: Requests = (step) => [inserted('abcd'), ...all(step)];
    expect((await score(SHORT, requests)).rewrites).toBe(0);
  });

  it('charges a strategy for its own calls of a model', async () => {
    const charge = { input: 100, output: 10 };
    const contender = { request: (step: number) => ({ parts: all(step), charge }) };
    const { cost, fullCost } = await replay(prepareSession(SHORT), contender, { signal: new AbortController().signal });
    expect(cost - fullCost).toBeCloseTo(2 * (1.25 * 100 + 5 * 10));
  });
});

describe('compactions', { tags: ['B6'] }, () => {
  /** Ten thousand tokens, then answers of five. */
  const recorded = (answers: number) =>
    session(user(filler(10_000)), ...Array.from({ length: answers }, () => says('abcd')));
  /** From answer `first` on a note of 1,000 tokens stands for the first message, from answer `second` on another one. */
  const notes = (first: number, second = Number.POSITIVE_INFINITY): Requests => {
    const made = [inserted(filler(1_000)), inserted(`${filler(999)}abcd`)];
    return (step) => {
      const note = step >= second ? made[1] : step >= first ? made[0] : undefined;
      return note ? [note, ...all(step).slice(1)] : all(step);
    };
  };

  it('pay if they save their price before the next one, the session’s end included', async () => {
    // The note is read at 1.25 a token once; each request, its own included, saves 0.1 × 9,000.
    const { paid: once } = await score(recorded(4), notes(2));
    expect(once).toEqual({ total: 1, kept: 1 });
    const charge = { input: 0, output: 1_000 };
    const paidWith = async (answers: number, second?: number) => {
      const requests = notes(2, second);
      const contender = {
        request: (step: number) => ({ parts: requests(step), ...(step === 2 || step === second ? { charge } : {}) }),
      };
      return (await replay(prepareSession(recorded(answers)), contender, { signal: new AbortController().signal }))
        .paid;
    };
    // 5 × 1,000 more: paid after seven requests, and not after four.
    expect(await paidWith(5)).toEqual({ total: 1, kept: 0 });
    expect(await paidWith(12)).toEqual({ total: 1, kept: 1 });
  });

  it('are so many requests apart', async () => {
    const { paid, gaps } = await score(recorded(12), notes(3, 8));
    // The second note is as long as the first: no compaction.
    expect([paid.total, gaps]).toEqual([1, { count: 0, steps: 0 }]);
    const shorter: Requests = (step) => (step >= 8 ? [inserted(filler(500)), ...all(step).slice(1)] : notes(3)(step));
    const both = await score(recorded(12), shorter);
    expect([both.paid.total, both.gaps]).toEqual([2, { count: 1, steps: 5 }]);
  });
});

describe('rereads', { tags: ['B6'] }, () => {
  const LINES = ['export const first = next(1);', 'export const second = next(2);'];
  const edit = (id: string, line: string) =>
    calls(id, 'Edit', { file_path: '/app/src/reader.ts', old_string: line, new_string: 'z' });
  /** Two lines of one message are needed at once, and later one of them again, though no answer repeated it. */
  const recorded = session(
    user('Go.'),
    calls('r', 'Read', { file_path: '/app/src/reader.ts' }),
    result('r', LINES.join('\n')),
    says(filler(100)),
    edit('e', LINES.join('\n')),
    result('e', 'done'),
    says('Done.'),
  );

  it('are one for each step and message, however many lines are missing', async () => {
    const { missingLines, rereads, firstRereads, rereadCost } = await score(recorded, change({ 2: null, 1: null }));
    expect({ missingLines, rereads, firstRereads }).toEqual({ missingLines: 2, rereads: 1, firstRereads: 1 });
    const read = Math.ceil(LINES.join('\n').length / 4) + 4;
    // The request at the edit: 8,000, the first message, and 100 tokens.
    expect(rereadCost).toBeCloseTo(1.25 * (read + 150) + 0.1 * (8000 + 5 + 100));
  });
});

describe('recall', { tags: ['B6'] }, () => {
  it('finds everything when nothing was compacted', async () => {
    const { all: every, longRange, path, identifier, line, toolOnly } = await score(LONG, all);
    expect({ every, longRange, path, identifier, line, toolOnly }).toEqual({
      every: { total: 3, kept: 3 },
      longRange: { total: 3, kept: 3 },
      path: { total: 1, kept: 1 },
      identifier: { total: 1, kept: 1 },
      line: { total: 1, kept: 1 },
      toolOnly: { total: 2, kept: 2 },
    });
  });

  it('counts only anchors that an earlier message mentions', async () => {
    const ungrounded = session(
      user('Go.'),
      calls('r', 'Read', { file_path: '/app/src/reader.ts' }),
      result('r', 'x'),
      says('.'),
    );
    expect((await score(ungrounded, all)).all).toEqual({ total: 0, kept: 0 });
  });

  it('counts an anchor as long-range from 8,000 tokens since its last mention', async () => {
    const mentioned = (tokens: number) =>
      session(
        user('src/reader.ts'),
        says(filler(tokens)),
        calls('r', 'Read', { file_path: '/src/reader.ts' }),
        result('r', ''),
      );
    expect((await score(mentioned(7999), all)).longRange.total).toBe(0);
    expect((await score(mentioned(8000), all)).longRange.total).toBe(1);
  });

  it('misses what a stub hides, says that it can be reached, and charges a reread', async () => {
    const stub = rewritten(2, result('r', '[hidden]'), [2]);
    const { longRange, toolOnly, reachable, rereads, rereadCost } = await score(LONG, change({ 2: stub }));
    // The result has 57 characters, 19 tokens; the request at the edit is 8,000 and four messages.
    const request = 8000 + 10 + 14 + 6 + 9000;
    expect({ longRange, toolOnly, reachable, rereads, rereadCost }).toEqual({
      longRange: { total: 3, kept: 1 },
      toolOnly: { total: 2, kept: 0 },
      reachable: { total: 3, kept: 2 },
      rereads: 1,
      rereadCost: 1.25 * (19 + 150) + 0.1 * request,
    });
  });

  it('counts a missing line that the refusal of the edit brings back apart, with the request that it takes', async () => {
    const stub = rewritten(2, result('r', '[hidden]'), [2]);
    // The first request holds everything, so that the one at the edit is a rewrite.
    const requests: Requests = (step) => (step < EDIT ? all(step) : change({ 2: stub })(step));
    const { edits, repairedEdits, rereads, unrepaired, repairCost, rereadCost } = await score(LONG, requests);
    expect({ edits, repairedEdits, rereads, unrepaired }).toEqual({
      edits: { total: 1, kept: 0 },
      repairedEdits: { total: 1, kept: 1 },
      rereads: 1,
      unrepaired: 0,
    });
    expect(repairCost).toBeGreaterThan(0.1 * 17_000);
    expect(repairCost).toBeLessThan(rereadCost + 1.25 * EDIT_TOKENS);
  });

  it('says of a line beyond the room of a refusal that it must be read', async () => {
    const body = [
      'return parse(line, maxDepth);',
      ...Array.from({ length: 60 }, (_, n) => `const step${n} = next(${n});`),
      'return again(line, maxDepth);',
    ].join('\n');
    const recorded = session(
      user('Make the reader faster.'),
      calls('r', 'Read', { file_path: '/app/src/reader.ts' }),
      result('r', body),
      says(filler(9000)),
      calls('e', 'Edit', { file_path: '/app/src/reader.ts', old_string: body, new_string: 'z' }),
      result('e', 'done'),
      says('Done.'),
    );
    const requests: Requests = (step) => (step < EDIT ? all(step) : change({ 2: null })(step));
    const { repairedEdits, missingLines, rereads, unrepaired, repairCost, rereadCost } = await score(
      recorded,
      requests,
    );
    expect(repairedEdits).toEqual({ total: 1, kept: 0 });
    expect(missingLines).toBe(62);
    // One read brings back all of them, and what the refusal brings back does not spare it.
    expect([rereads, unrepaired]).toEqual([1, 1]);
    expect(repairCost).toBeLessThan(rereadCost + 1.25 * 2 * EDIT_TOKENS + 0.1 * 20_000);
  });

  it('tells a name in a list from a line that was kept', async () => {
    const names = await score(LONG, change({ 1: null, 2: inserted('maxDepth, parse, src/reader.ts') }));
    const line = await score(
      LONG,
      change({ 1: null, 2: inserted('#3 src/reader.ts\n  return parse(line, maxDepth);') }),
    );
    const counts = ({ longRange, wholeLine, verbatim }: SessionScore) => [
      longRange.kept,
      wholeLine.kept,
      verbatim.kept,
    ];
    expect(counts(names)).toEqual([2, 0, 0]);
    // The path stands in a header that no original line is.
    expect(counts(line)).toEqual([3, 2, 0]);
  });

  it('knows a path by either slash', async () => {
    const line = 'edit D:\\app\\src\\reader.ts now, it is slow';
    const recorded = session(
      user(line),
      says(filler(9000)),
      calls('r', 'Read', { file_path: 'D:\\app\\src\\reader.ts' }),
      result('r', ''),
      says('.'),
    );
    const kept = await score(recorded, change({ 0: inserted(`Notes:\n${line}`) }));
    expect([kept.longRange, kept.wholeLine]).toEqual([
      { total: 1, kept: 1 },
      { total: 1, kept: 1 },
    ]);
  });

  it('takes sixty contiguous original characters for a whole line', async () => {
    const long = `prefix ${'x'.repeat(20)} maxDepth ${'y'.repeat(40)} end of the line`;
    const recorded = session(
      user('Go.'),
      calls('r', 'Read', { file_path: '/q/r.ts' }),
      result('r', long),
      says(filler(9000)),
      calls('g', 'Grep', { pattern: 'maxDepth' }),
      result('g', ''),
      says('.'),
    );
    const whole = async (kept: string) =>
      (await score(recorded, change({ 1: null, 2: inserted(kept) }))).wholeLine.kept;
    expect(await whole(`… ${long.slice(8, 78)} …`)).toBe(1);
    expect(await whole(`… ${long.slice(20, 70)} …`)).toBe(0);
  });
});

describe('edits behind a compaction', { tags: ['B6'] }, () => {
  /** Three lines of a file are read, much happens, then one edit repeats two of them, and a patch the third. */
  const EDITED = session(
    user('Go.'),
    says('I look at the file.'),
    calls('r', 'Read', { file_path: '/app/src/reader.ts' }),
    result('r', 'const first = readHeader(input);\nconst second = readBody(input);\nconst third = readTrailer(input);'),
    says(filler(9000)),
    says('Now I edit.'),
    calls('e', 'Edit', {
      file_path: '/app/src/reader.ts',
      old_string: 'const first = readHeader(input);\nconst second = readBody(input);',
      new_string: 'x',
    }),
    result('e', 'done'),
    calls('p', 'apply_patch', {
      input:
        '*** Begin Patch\n*** Update File: src/reader.ts\n const third = readTrailer(input);\n+const y = 1;\n*** End Patch',
    }),
    result('p', 'done'),
    says('Done.'),
  );
  /** The read leaves before message 5; `kept` stands in its place. */
  const compacted =
    (kept: string): Requests =>
    (step) =>
      step < 5 ? all(step) : [0, inserted(kept), ...all(step).slice(4)];
  const edits = async (requests: Requests) => (await score(EDITED, requests)).edits;

  it('succeed only with all of their lines', async () => {
    const [first, second, third] = (EDITED.messages[3] as RecordedMessage).content.split('\n');
    expect(await edits(compacted(`${first}\n${second}\n${third}`))).toEqual({ total: 2, kept: 2 });
    expect(await edits(compacted(`${first}\n${second}`))).toEqual({ total: 2, kept: 1 });
    expect(await edits(compacted(`${first}\n${third}`))).toEqual({ total: 2, kept: 1 });
  });

  it('are none without a compaction, or where the text came after it', async () => {
    expect(await edits(all)).toEqual({ total: 0, kept: 0 });
    const early: Requests = (step) => (step < 2 ? all(step) : [inserted('notes'), ...all(step).slice(1)]);
    expect(await edits(early)).toEqual({ total: 0, kept: 0 });
  });
});

describe('the tail of a compaction', { tags: ['B6'] }, () => {
  it('is the first ten steps after it, with their own cost and recall', async () => {
    const recorded = session(user('abcd'), ...Array.from({ length: 30 }, () => says('abcd')));
    const requests: Requests = (step) => (step < 5 ? all(step) : [inserted('n'), ...all(step).slice(4)]);
    const { tailCost, tailFullCost, rewrites } = await score(recorded, requests);
    // Before message 5 the whole request is written anew but for the fixed part; then nine times one message is.
    const sizes = Array.from({ length: 10 }, (_, i) => 8000 + 5 + 5 * (i + 1));
    const grown = sizes.slice(1).reduce((sum, size) => sum + 0.1 * (size - 5) + 1.25 * 5, 0);
    expect(rewrites).toBe(1);
    expect(tailCost).toBeCloseTo(0.1 * 8000 + 1.25 * 10 + grown);
    expect(tailFullCost).toBeCloseTo(sizes.reduce((sum, _, i) => sum + 0.1 * (8000 + 5 * (4 + i)) + 1.25 * 5, 0));
  });

  it('counts recall only there', async () => {
    const { tail, longRange } = await score(LONG, (step) =>
      step < 4 ? all(step) : [inserted('n'), ...all(step).slice(3)],
    );
    expect([tail.total, longRange.total]).toEqual([3, 3]);
    expect((await score(LONG, all)).tail.total).toBe(0);
  });
});

describe('pairs', { tags: ['B6'] }, () => {
  const PAIRED = session(
    user('Go.'),
    calls('r', 'Read', { file_path: '/app/src/reader.ts' }),
    result('r', `const maxDepth = 3;\n${filler(2000)}`),
    says(filler(9000)),
    calls('g', 'Grep', { pattern: 'maxDepth', path: '/app/src/reader.ts' }),
    result('g', ''),
    says('.'),
  );
  const pair = async (requests: Requests) => (await score(PAIRED, requests)).pair;
  const call = PAIRED.messages[1] as RecordedMessage;

  it('are together in a raw group, however long', async () => {
    expect(await pair(all)).toEqual({ total: 1, kept: 1 });
  });

  it('are together in a trimmed group under 6,000 characters', async () => {
    expect(await pair(change({ 2: rewritten(2, result('r', 'const maxDepth = 3;')) }))).toEqual({ total: 1, kept: 1 });
    const long = `const maxDepth = 3;\n${filler(1900)}`;
    expect(await pair(change({ 1: rewritten(1, call), 2: rewritten(2, result('r', long)) }))).toEqual({
      total: 1,
      kept: 0,
    });
  });

  it('are together within 1,500 characters, and not beyond', async () => {
    const notes = (between: number) => change({ 1: null, 2: inserted(`src/reader.ts${' '.repeat(between)}maxDepth`) });
    expect(await pair(notes(1400))).toEqual({ total: 1, kept: 1 });
    expect(await pair(notes(1600))).toEqual({ total: 1, kept: 0 });
  });

  it('are together wherever they meet, however often each is named before', async () => {
    const often = `${'src/reader.ts '.repeat(300)}maxDepth`;
    expect(await pair(change({ 1: null, 2: inserted(often) }))).toEqual({ total: 1, kept: 1 });
  });

  it('are not together with a longer name beside', async () => {
    const far = ' '.repeat(1600);
    for (const other of ['other-src/reader.ts', 'src/reader.ts.bak', 'src/reader.tsx']) {
      const notes = inserted(`src/reader.ts${far}${other} maxDepth`);
      expect(await pair(change({ 1: null, 2: notes }))).toEqual({ total: 1, kept: 0 });
    }
    const word = inserted(`src/reader.ts maxDepths ${far}maxDepth`);
    expect(await pair(change({ 1: null, 2: word }))).toEqual({ total: 1, kept: 0 });
  });
});

describe('users, files, pairing rules', { tags: ['B6'] }, () => {
  it('counts user characters that still stand, message by message and line by line', async () => {
    const recorded = session(user('first line of it\nsecond'), says('.'));
    const kept = async (text: string) => (await score(recorded, () => [inserted(text)])).user;
    expect(await kept('The user said:\nfirst line of it\nsecond')).toEqual({ total: 23, kept: 23 });
    expect(await kept('… second …')).toEqual({ total: 23, kept: 7 });
    expect(await kept('nothing')).toEqual({ total: 23, kept: 0 });
  });

  it('counts a cut line as far as it stands', async () => {
    const text = 'The reader should read lines of any length without reading them twice, and say so when one is cut.';
    const recorded = session(user(text), says('.'));
    const kept = async (notes: string) => (await score(recorded, () => [inserted(notes)])).user;
    expect(await kept(`${text.slice(0, 40)} […]`)).toEqual({ total: 98, kept: 40 });
    expect(await kept(`${text.slice(0, 40)} […] ${text.slice(-30)}`)).toEqual({ total: 98, kept: 70 });
  });

  it('takes only what a person wrote for a user message', () => {
    const texts = [
      'Fix it.',
      '<system-reminder>\nx',
      '<command-name>/clear',
      '# AGENTS.md instructions for x',
      '  <b>hi',
    ];
    expect(texts.map((text) => isRealUser(user(text)))).toEqual([true, false, false, false, true]);
  });

  it('looks for the names of edited files in every later request', async () => {
    const edited = session(
      user('Go.'),
      calls('w', 'Write', { file_path: '/app/src/new.ts', content: 'x' }),
      result('w', 'ok'),
      says('One.'),
      says('Two.'),
    );
    expect((await score(edited, all)).files).toEqual({ total: 2, kept: 2 });
    expect((await score(edited, (step) => (step > 3 ? [0] : all(step)))).files).toEqual({ total: 2, kept: 1 });
  });

  it('counts requests that break a pairing rule', async () => {
    const invalid = async (changes: Record<number, Literal | null>) => (await score(LONG, change(changes))).invalid;
    expect(await invalid({})).toBe(0);
    expect(await invalid({ 1: null })).toBe(3);
    expect(await invalid({ 2: null })).toBe(3);
  });
});

describe('a replay', { tags: ['B6'] }, () => {
  it('ends before the first recorded compaction when asked to', async () => {
    const recorded = { ...LONG, compactions: [{ after: EDIT, summary: '' }] };
    expect((await score(recorded, all)).steps).toBe(4);
    expect((await score(recorded, all, { beforeFirstCompaction: true })).steps).toBe(2);
  });

  it('shows every request in order', async () => {
    const seen: (readonly [number, readonly Part[]])[] = [];
    await score(session(user('a'), says('b'), says('c')), all, {
      onRequest: (step, parts) => seen.push([step, parts]),
    });
    expect(seen).toEqual([
      [1, [0]],
      [2, [0, 1]],
    ]);
  });

  it('stops when asked to', async () => {
    const controller = new AbortController();
    const stopped = score(LONG, all, {
      signal: controller.signal,
      onRequest: () => controller.abort(new Error('Stopped.')),
    });
    await expect(stopped).rejects.toThrow('Stopped.');
  });

  it('lets others run before each step, and hears there that it should stop', async () => {
    const controller = new AbortController();
    let steps = 0;
    const stopped = score(session(user('a'), ...Array.from({ length: 200 }, () => says('b'))), all, {
      signal: controller.signal,
      onRequest: () => steps++,
      pause: async () => {
        if (steps === 64) controller.abort(new Error('Stopped.'));
      },
    });
    await expect(stopped).rejects.toThrow('Stopped.');
    expect(steps).toBe(64);
  });
});
