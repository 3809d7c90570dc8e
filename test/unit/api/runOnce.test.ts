import { describe, expect, it } from 'vitest';
import type { StrategyFactory, StrategyPorts } from '../../../src/api/index.ts';
import type { RunOnceOptions } from '../../../src/api/testing.ts';
import { generateHistory, ModelError, runOnce } from '../../../src/core/compaction/conformance/testing.ts';
import type { Message } from '../../../src/core/context/message.ts';

const history: readonly Message[] = [
  { role: 'user', kind: 'user', text: 'Why does the test fail?' },
  { role: 'assistant', text: '', toolCalls: [{ id: 'a', name: 'read_file', arguments: '{"path":"a.ts"}' }] },
  { role: 'tool', toolCallId: 'a', toolName: 'read_file', text: 'const clock = now();\n'.repeat(200) },
  { role: 'assistant', text: 'The clock is read twice.' },
  { role: 'user', kind: 'user', text: 'Mend it.' },
];
type Compact = ReturnType<StrategyFactory['create']>['compact'];
const strategy = (compact: Compact): StrategyFactory => ({ needs: [], create: () => ({ compact }) });
const hidesAll = strategy(async ({ history, hide }) => history.map((message) => hide(message)));
const summarises: StrategyFactory<'llm'> = {
  needs: ['llm'],
  create: ({ llm }) => ({
    compact: async ({ history }) => {
      const { text } = await llm.complete({ system: 'Sum up.', prompt: 'x', maxOutputTokens: 50 });
      return [{ role: 'user', kind: 'summary', text }, ...history.filter((message) => message.protected)];
    },
  }),
};

describe('one call of a strategy in a test of its author', () => {
  it('gives back the history as it would be committed', { tags: ['B7'] }, async () => {
    const result = await runOnce(hidesAll, history);
    if (result.kind !== 'compacted') throw new Error(`it was ${result.kind}`);
    expect(result.history.map(({ id, hidden }) => [id, hidden])).toEqual([
      ['m0', false],
      ['m1', false],
      ['m2', true],
      ['m3', false],
      ['m4', false],
    ]);
    expect(result.tokensAfter).toBeLessThan(result.tokensBefore);
    expect(result.history.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(result.tokensAfter);
    expect(result.overTarget).toBe(false);
  });

  it('calls it with what the test says', { tags: ['B7'] }, async () => {
    let seen: object = {};
    const watches: StrategyFactory<'settings'> = {
      needs: ['settings'],
      create: ({ settings }) => ({
        compact: async ({ trigger, instructions, attempt, targetTokens, thresholdTokens, tokenCount, ...context }) => {
          const { maxContextSize, reservedContextSize } = context;
          const figures = { targetTokens, thresholdTokens, tokenCount, maxContextSize, reservedContextSize };
          const pinned = context.history.flatMap(({ id, protected: isProtected }) => (isProtected ? [id] : []));
          seen = { trigger, instructions, attempt, ...figures, pinned, settings: settings() };
          return null;
        },
      }),
    };
    const figures = { targetTokens: 7, thresholdTokens: 8, tokenCount: 9, maxContextSize: 10, reservedContextSize: 3 };
    const asked = { trigger: 'overflow', instructions: 'Keep the clock.', attempt: 2, ...figures };
    const result = await runOnce(watches, history, { ...asked, pins: [0], settings: { longest: 5 } });
    expect(result.kind).toBe('unchanged');
    expect(seen).toEqual({ ...asked, pinned: ['m0', 'm4'], settings: { longest: 5 } });
  });

  it('tells it what the history tells, and what an earlier compaction kept', { tags: ['B7'] }, async () => {
    let seen: object = {};
    let disposals = 0;
    const watches: StrategyFactory = {
      needs: [],
      create: () => ({
        compact: async ({ details, previousSummary, files, history }) => {
          seen = { details, previousSummary, files };
          return { messages: history.slice(1), details: { runs: 2 } };
        },
        dispose: () => {
          disposals++;
        },
      }),
    };
    const notes: Message = { role: 'user', kind: 'summary', text: 'The clock was looked at.' };
    const result = await runOnce(watches, [notes, ...history], { details: { runs: 1 } });
    expect(seen).toEqual({
      details: { runs: 1 },
      previousSummary: 'The clock was looked at.',
      files: { read: ['a.ts'], changed: [] },
    });
    expect(result).toMatchObject({ kind: 'compacted', details: { runs: 2 } });
    expect(disposals).toBe(1);
  });

  it('keeps what is pinned and what its tool keeps', { tags: ['B7'] }, async () => {
    const kinds = [{ pins: [2] }, { protectedTools: ['read_file'] }].map((options) =>
      runOnce(hidesAll, history, options),
    );
    expect((await Promise.all(kinds)).map(({ kind }) => kind)).toEqual(['unchanged', 'unchanged']);
  });

  it('says which rule is broken, and hands over what was thrown', { tags: ['B7'] }, async () => {
    const drops = strategy(async ({ history }) => history.filter(({ role }) => role !== 'tool'));
    expect(await runOnce(drops, history)).toMatchObject({ kind: 'broken', rule: 'the block of m1 lost its end' });
    const pinned = strategy(async ({ history }) => history.slice(1));
    expect(await runOnce(pinned, history, { pins: [0] })).toMatchObject({
      kind: 'broken',
      rule: 'the protected message m0 was dropped or changed',
    });
    const cause = new Error('no idea');
    const fails = strategy(() => Promise.reject(cause));
    expect(await runOnce(fails, history)).toMatchObject({
      kind: 'broken',
      rule: 'it threw an error: no idea',
      thrown: cause,
    });
    const late = await runOnce(
      strategy(() => new Promise(() => undefined)),
      history,
      { deadlineMs: 1 },
    );
    expect(late).toMatchObject({ kind: 'broken', rule: expect.stringMatching(/did not answer within/) });
  });

  it('says what was mended, and what would be rejected for its size', { tags: ['B7'] }, async () => {
    const forgets = strategy(async ({ history }) => history.slice(0, 4));
    expect(await runOnce(forgets, history.toSpliced(2, 1, { ...(history[2] as Message) }))).toMatchObject({
      repairs: ['Your latest message was put back.'],
    });
    const grows = strategy(async ({ history }) => [
      { role: 'user', kind: 'summary', text: 'more '.repeat(900) },
      ...history,
    ]);
    expect(await runOnce(grows, history)).toMatchObject({ kind: 'notSmaller', overTarget: true });
  });

  it('answers for the model, and shows what it was asked', { tags: ['B7'] }, async () => {
    const answer = await runOnce(summarises, history, { model: ({ system, prompt }) => `${system} ${prompt}` });
    expect(answer).toMatchObject({
      kind: 'compacted',
      requests: [{ system: 'Sum up.', prompt: 'x', maxOutputTokens: 50 }],
      history: [{ kind: 'summary', text: 'Sum up. x' }, { id: 'm4' }],
    });
  });

  it.each([
    ['none can be reached', null, 'No model can be reached for a summary.'],
    [
      'it throws a ModelError',
      () => {
        throw new ModelError('network', 'The line is cut.');
      },
      'The line is cut.',
    ],
    [
      'it throws the ModelError of another copy',
      () => {
        throw Object.assign(new Error('The line is cut.'), { name: 'ModelError', kind: 'network' });
      },
      'The line is cut.',
    ],
    ['it answers with nothing', '', 'The summary model gave an empty answer.'],
  ])('does not blame the strategy when its model fails: %s', { tags: ['B7'] }, async (_how, model, reason) => {
    expect(await runOnce(summarises, history, { model })).toMatchObject({ kind: 'modelFailed', reason });
  });

  it('gives back what was done by then when the rest fails, and says what failed', { tags: ['B7'] }, async () => {
    const cause = new Error('no idea');
    const halfWay = strategy(async ({ history, hide, soFar }) => {
      soFar(history.map((message) => hide(message)));
      throw cause;
    });
    expect(await runOnce(halfWay, history)).toMatchObject({
      kind: 'compacted',
      history: [{}, {}, { hidden: true }, {}, {}],
      failure: { by: 'strategy', reason: 'it threw an error: no idea', thrown: cause },
    });
  });

  it('shows what it logged and reported, and stops when told', { tags: ['B7'] }, async () => {
    const stop = new AbortController();
    const talks: StrategyFactory<'log'> = {
      needs: ['log'],
      create: ({ log }) => ({
        compact: async ({ report }) => {
          log('warn', 'careful');
          report('half', 0.5);
          stop.abort();
          return null;
        },
      }),
    };
    expect(await runOnce(talks, history, { signal: stop.signal })).toEqual({
      kind: 'stopped',
      log: [{ level: 'warn', text: 'careful' }],
      reports: [{ text: 'half', fraction: 0.5 }],
      requests: [],
    });
  });

  it.each([
    [{ pin: [0] }, /has no option pin: it has trigger/],
    [{ pins: [5] }, /names the place 5 in a history of 5 messages/],
    [{ targetTokens: Number.NaN }, /targetTokens of runOnce must be a number/],
  ])('refuses %j', { tags: ['B7'] }, async (options, reason) => {
    await expect(runOnce(hidesAll, history, options as RunOnceOptions)).rejects.toThrow(reason);
  });

  it('names a factory that cannot be used', { tags: ['B7'] }, async () => {
    const factory = { needs: ['shell'], create: () => null } as unknown as StrategyFactory<keyof StrategyPorts>;
    expect(await runOnce(factory, history)).toMatchObject({
      kind: 'broken',
      rule: expect.stringMatching(/is not a port/),
    });
  });

  it('has histories to begin with, the same for the same seed', { tags: ['B7'] }, async () => {
    expect(generateHistory(7)).toEqual(generateHistory(7));
    expect(generateHistory(7)).not.toEqual(generateHistory(8));
    expect(generateHistory(3, 9).filter(({ role }) => role === 'user')).toHaveLength(9);
    expect((await runOnce(hidesAll, generateHistory(1, 20))).kind).toBe('compacted');
  });
});
