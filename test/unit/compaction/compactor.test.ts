import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../src/core/errors.ts';
import { calls, compactionHarness, going, says, user, words } from '../../support/compactionHarness.ts';
import { summarySession } from '../../support/summarySession.ts';

const reads = (n: number, tokens = 200) =>
  Array.from({ length: n }, (_, i) => calls(['read_file', words(tokens, `line${i}`)]));
const stub = (id: string, characters: number) =>
  `tool: [palimpsest:f00d tool result hidden, ${characters} characters; recall with id ${id}]`;

describe('a compaction by hand', () => {
  it('hides all but the newest five groups, and undo gives back exactly what was there', { tags: ['K5'] }, async () => {
    const h = await compactionHarness({
      history: [user('go'), ...reads(7)],
      settings: { strategy: 'tool-result-hiding' },
    });
    const before = h.view();
    const outcome = await h.compactor.compact({ trigger: 'manual' }, going);
    expect(outcome.kind).toBe('compacted');
    const after = h.view();
    expect(after.filter((line, i) => line !== before[i])).toEqual([stub('m4', 1199), stub('m6', 1199)]);
    expect(await h.compactor.undo()).toBe(true);
    expect(h.view()).toEqual(before);
    expect(await h.compactor.redo()).toBe(true);
    expect(h.view()).toEqual(after);
  });

  it('puts one summary in front of the newest two messages, and the latest user message comes back', {
    tags: ['K7'],
  }, async () => {
    const h = await compactionHarness({
      history: [user('first'), says('one'), user('second'), ...reads(3)],
      settings: { strategy: 'llm-summary' },
      summaries: ['<current_focus>reading</current_focus>'],
    });
    const outcome = await h.compactor.compact({ trigger: 'manual', instructions: 'keep names' }, going);
    expect(outcome).toMatchObject({
      kind: 'compacted',
      entry: {
        strategy: 'llm-summary',
        repairs: ['Your latest message was put back.'],
        instructions: 'keep names',
      },
    });
    expect(h.view().map((line) => line.slice(0, 30))).toEqual([
      'user: <current_focus>reading</',
      'user: Ledger (facts of what was compacted, collected by program):'.slice(0, 30),
      'user: second',
      'assistant: ',
      `tool: ${words(200, 'line1').slice(0, 24)}`,
      'assistant: ',
      `tool: ${words(200, 'line2').slice(0, 24)}`,
    ]);
    expect(h.model.requests[0]?.tools).toEqual([]);
    expect(h.model.requests[0]?.messages[1]?.text).toContain('keep names');
  });

  it('a failing summary changes nothing above the hard limit either, when it was asked for by hand', {
    tags: ['C6'],
  }, async () => {
    const error = new ModelError('auth', 'The key was refused.');
    const history = [user('go'), ...reads(60), says('on')];
    const h = await compactionHarness({ history, settings: { strategy: 'llm-summary' }, summaries: [{ error }] });
    expect(h.compactor.gauge.reading.tokens).toBeGreaterThan(h.compactor.gauge.window);
    const before = h.view();
    expect(await h.compactor.compact({ trigger: 'manual' }, going)).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('The key was refused'),
    });
    expect(h.view()).toEqual(before);
    expect(h.journal.context.activeCompactions).toEqual([]);
  });

  it('what stands in for a strategy that is missing uses the settings that were made for it', {
    tags: ['K3'],
  }, async () => {
    const settings = {
      strategy: 'contributed',
      contributedStrategy: 'a.b/c',
    };
    const history = ['a', 'b', 'c'].flatMap((q) => [user(q), says(words(120, q))]);
    const view = async (own: object) => {
      const h = await compactionHarness({ history, settings: { ...settings, 'layered.summary': false, ...own } });
      const outcome = await h.compactor.compact({ trigger: 'manual' }, going);
      expect(outcome).toMatchObject({ entry: { strategy: 'layered' } });
      return h.view();
    };
    expect(await view({})).toContain('user: b');
    expect(await view({ 'layered.userShare': 0 })).not.toContain('user: b');
  });
});

describe('automatic compaction', () => {
  it('runs when the estimate passes the ratio, and not below it', async () => {
    const h = await compactionHarness({
      history: [user('go'), ...reads(6)],
      settings: { strategy: 'tool-result-hiding' },
      window: 10_000,
    });
    expect((await h.compactor.trigger.beforeCall(going)).kind).toBe('none');
    await h.add(...reads(35));
    expect((await h.compactor.trigger.beforeCall(going)).kind).toBe('compacted');
    expect(h.compactor.gauge.reading.tokens).toBeLessThan(8_000);
  });

  it('holds after an undo until a person writes', async () => {
    const h = await compactionHarness({
      history: [user('go'), ...reads(40)],
      settings: { strategy: 'tool-result-hiding' },
      window: 11_000,
    });
    expect((await h.compactor.trigger.beforeCall(going)).kind).toBe('compacted');
    await h.compactor.undo();
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'none' });
    await h.add(user('go on'));
    expect((await h.compactor.trigger.beforeCall(going)).kind).toBe('compacted');
  });

  it('makes room by the ladder when the summary model fails, and the turn goes on', async () => {
    const s = await summarySession({ history: [user('go'), ...reads(8, 10_500)], summaries: ['', '', ''] });
    expect(await s.say()).toEqual({ kind: 'done' });
    expect(s.summariser.requests).toHaveLength(3);
    expect(s.compactions()).toMatchObject([{ strategy: 'fallback' }]);
    expect(s.failures()).toMatchObject([{ strategy: 'llm-summary' }]);
    expect(s.agent.compactor.gauge.reading.tokens).toBeLessThan(80_000);
  });
});
