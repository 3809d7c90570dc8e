import { describe, expect, it } from 'vitest';
import {
  calls,
  compactionHarness,
  going,
  type HarnessOptions,
  type Line,
  reads,
  says,
  user,
  words,
} from '../../support/compactionHarness.ts';
import { createWorkbench, useTool } from '../tools/useTool.ts';

/** Lines of about ten tokens each, `name` in front. */
const file = (name: string, lines = 60) =>
  Array.from({ length: lines }, (_, i) => `${name} ${i} ${words(7)}`).join('\n');
const bench = createWorkbench({ 'a.ts': file('a'), 'b.ts': file('b'), 'large.ts': file('large', 240) });

/** A call of `read_file` with what the tool itself answers. */
async function read(path: string, offset?: number, limit?: number): Promise<Line> {
  const input = { path, ...(offset ? { offset } : {}), ...(limit ? { limit } : {}) };
  const { text } = await useTool(bench, 'read_file', input);
  return calls(['read_file', text, input]);
}

const edit = (path: string, isError = false) =>
  calls(['edit_file', 'done', { path, old_string: 'a', new_string: 'b' }]).map((message) =>
    message.role === 'tool' && isError ? { ...message, isError } : message,
  );

/** Two groups that stay in any case. */
const newer = [user('on'), ...reads(2, 10)];

async function harness(history: readonly Line[], settings: HarnessOptions['settings'] = {}, window = 10_000) {
  return compactionHarness({ history: [user('go'), ...history], settings, window, summaries: Array(9).fill('notes') });
}
type Harness = Awaited<ReturnType<typeof harness>>;

/** `.` for a result of `read_file` behind a stub, `1` for one that is shown, oldest first; the newer ones left out. */
const shown = (h: Harness) =>
  h.journal.context.conversation
    .filter(({ message }) => message.role === 'tool' && message.toolName === 'read_file')
    .map(({ hidden }) => (hidden ? '.' : '1'))
    .join('')
    .slice(0, -2);

/** Finds nothing to do by itself. */
const idle = { strategy: 'tool-result-hiding', 'toolResultHiding.preserveRecentGroups': 100 };

/** What is shown after a compaction whose strategy finds nothing. */
async function left(history: readonly Line[], reads?: string, more: HarnessOptions['settings'] = {}): Promise<string> {
  const h = await harness([...history, ...newer], { ...idle, ...more, ...(reads ? { 'keep.reads': reads } : {}) });
  await h.compactor.compact({ trigger: 'manual' }, going);
  return shown(h);
}

describe('a read of a file that a later one stands for', () => {
  it('stays by default', async () => {
    expect(await left([await read('a.ts'), await read('a.ts'), edit('a.ts')])).toBe('11');
  });

  it('goes first when the same lines were read again', async () => {
    expect(await left([await read('a.ts'), await read('b.ts'), await read('a.ts')], 'newest')).toBe('.11');
    expect(await left([await read('a.ts'), await read('b.ts'), await read('./a.ts')], 'newest')).toBe('.11');
  });

  it.each([
    ['lines inside of the later ones', [11, 10], [5, 20], '.1'],
    ['lines of which one is not', [11, 10], [5, 15], '11'],
    ['all lines by a part', [1, 60], [5, 20], '11'],
    ['a part by all lines', [11, 10], [1, 60], '.1'],
  ] as const)('is told by the lines that the tool gave: %s', async (_what, older, later, expected) => {
    expect(await left([await read('a.ts', ...older), await read('a.ts', ...later)], 'newest')).toBe(expected);
  });

  it('is not told by a part of a long line, which is no line', async () => {
    const bundle = createWorkbench({ 'a.ts': 'x y '.repeat(500) });
    const parts = await Promise.all(
      [{}, { offset: 1, column: 1_001 }].map(async (more) => {
        const input = { path: 'a.ts', ...more };
        return calls([
          'read_file',
          (await useTool(bundle, 'read_file', input, { limits: { maxBytes: 1_000 } })).text,
          input,
        ]);
      }),
    );
    expect(await left(parts, 'newest')).toBe('11');
  });

  it('goes once the file was changed too, where that is wanted, but not by a change that failed', async () => {
    const history = [await read('a.ts'), await read('b.ts')];
    expect(await left([...history, edit('./a.ts')], 'current')).toBe('.1');
    expect(await left([...history, edit('a.ts')], 'newest')).toBe('11');
    expect(await left([...history, edit('a.ts', true)], 'current')).toBe('11');
    expect(await left([edit('a.ts'), ...history], 'current')).toBe('11');
    expect(await left([...history, edit('a.ts'), await read('a.ts')], 'current')).toBe('.11');
  });

  it('stays where the later one failed, is a stub itself, or was cut or put aside', async () => {
    const [older, later] = [await read('a.ts'), await read('a.ts')];
    const as = (change: object): Line => later.map((m) => (m.role === 'tool' ? { ...m, ...change } : m));
    expect(await left([older, as({ isError: true })], 'newest')).toBe('11');
    expect(await left([older, as({ offload: { blob: 'f'.repeat(64), tokens: 600 } })], 'newest')).toBe('11');
    const h = await harness([older, later, ...newer], { 'keep.reads': 'newest', ...idle });
    const plan = [{ op: 'replace', id: 'm6', by: { text: 'stub', tokens: 5, hidden: true } }] as const;
    const origin = { strategy: 'x', trigger: 'manual', tokensBefore: 2, tokensAfter: 1, durationMs: 0 } as const;
    await h.journal.append({ type: 'compaction', base: h.journal.context.head ?? 0, plan, attempt: 1, ...origin });
    await h.compactor.compact({ trigger: 'manual' }, going);
    expect(shown(h)).toBe('1.');
  });

  it('stays where it is pinned, of a tool that is kept, in the newest two groups, or in rounds that stay whole', async () => {
    const twice = [await read('a.ts'), await read('a.ts')];
    expect(await left(twice, 'newest', { 'keep.protectedTools': ['read_file'] })).toBe('11');
    const pinned = await harness([...twice, ...newer], { 'keep.reads': 'newest', ...idle });
    await pinned.journal.append({ type: 'pinned', ids: pinned.journal.context.blockOf('m4') });
    await pinned.compactor.compact({ trigger: 'manual' }, going);
    expect(shown(pinned)).toBe('11');
    const recent = await harness([...reads(6, 10), ...twice], { 'keep.reads': 'newest', ...idle });
    await recent.compactor.compact({ trigger: 'manual' }, going);
    expect(recent.view().filter((line) => line.includes('a 0 '))).toHaveLength(2);
    const whole = { 'keep.reads': 'newest', strategy: 'round-summary', 'roundSummary.requireConfirmation': false };
    const rounds = [user('q1'), says(words(4_000)), user('q2'), ...twice, ...reads(2, 10), user('q3'), says('a3')];
    const h = await harness(rounds, { ...whole, 'roundSummary.triggerBasis': 'estimate' }, 6_000);
    expect(await h.compactor.trigger.beforeMessage(10, going)).toMatchObject({ kind: 'compacted' });
    expect(shown(h)).toBe('11');
  });
});

describe('what the strategy does with superseded reads out of the way', () => {
  const again = async () => [await read('a.ts'), await read('a.ts'), await read('a.ts')];

  it('is nothing when that is enough for the target: no model is asked', async () => {
    const large = [await read('large.ts'), await read('large.ts'), await read('large.ts')];
    const h = await harness([says(words(1_000)), ...large, ...newer], {
      strategy: 'llm-summary',
      'keep.reads': 'newest',
    });
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({
      kind: 'compacted',
      entry: { strategy: 'llm-summary', repairs: [expect.stringContaining('later reads replace them: 2.')] },
    });
    expect(h.model.requests).toEqual([]);
    expect(shown(h)).toBe('..1');
    await h.compactor.undo();
    expect(shown(h)).toBe('111');
  });

  it('is done with what is left, in the same compaction: a summary does not read them', async () => {
    const settings = { strategy: 'llm-summary', 'keep.reads': 'newest', 'llmSummary.preserveRecentMessages': 3 };
    const h = await harness([says(words(7_000)), ...(await again()), ...newer], settings);
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'compacted' });
    const prompt = h.model.requests.flatMap(({ messages }) => messages.map(({ text }) => text)).join('');
    expect(prompt.match(/\ba 0 word/g)).toHaveLength(1);
    expect(prompt.match(/tool result hidden/g)).toHaveLength(2);
    expect(h.view()[0]).toMatch(/^user: notes/);
  });

  it('keeps them hidden where it finds nothing else, and where it fails', async () => {
    const settings = { ...idle, 'keep.reads': 'newest' };
    // 8,200 tokens are above 0.8 of the window; without two reads they are below that, and above the target.
    const history = [says(words(6_200)), ...(await again()), ...newer];
    const h = await harness(history, settings);
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({
      kind: 'compacted',
      entry: { strategy: idle.strategy },
    });
    expect(shown(h)).toBe('..1');
    const failing = await compactionHarness({
      history: [user('go'), ...history],
      settings: { strategy: 'llm-summary', 'keep.reads': 'newest', 'summary.retries': 0 },
      summaries: ['', ''],
    });
    expect(await failing.compactor.compact({ trigger: 'manual' }, going)).toMatchObject({ kind: 'failed' });
    expect(shown(failing)).toBe('111');
    await failing.add(says(words(600)));
    expect(await failing.compactor.trigger.beforeCall(going)).toMatchObject({
      kind: 'compacted',
      entry: { strategy: 'fallback' },
    });
    expect(shown(failing)).toBe('..1');
  });
});
